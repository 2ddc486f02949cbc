package import Domain
package import OAuth

/// Checks an authorization request in the order of WireContract 4.2, steps 1–12.
///
/// Nothing is looked up: what depends on streams follows in `Authorize`.
package struct AuthorizationRequestReader: Sendable {
    /// Every parameter that counts; a repeat of one is refused, all others are ignored.
    package static let parameters: Set<String> = [
        "client_id", "redirect_uri", "response_type", "response_mode", "scope", "state", "nonce",
        "code_challenge", "code_challenge_method", "prompt", "max_age", "login_hint",
        "id_token_hint", "acr_values", "ui_locales", "resource", "dpop_jkt", "request_uri",
        "request", "x_sso_enabled", "x_suppress_idp_session_cookie",
        "x_pre_authenticated_url_token", colorScheme, "x_state", "x_platform", "x_page",
        "x_authentication_flow_group", "x_oauth_provider_alias", "x_wechat_redirect_uri",
    ]

    package static let colorScheme = "x_color_scheme"

    package static let stateBytesMax = 512
    /// How long its pages may be posted (WireContract 4.3).
    package static let lifetimeSeconds: Int64 = 1800

    /// What was asked, and by whom.
    package struct Asked: Sendable {
        package var client: ClientSettings
        package var request: AuthorizationRequest
        /// An address to fill in.
        package var loginHint: EmailAddress?
        /// The session that the hint names; perhaps a live one (WireContract 4.5).
        package var hintedSession: SessionID?
    }

    private let signer: any TokenSigner
    let digester: any Digester

    package init(signer: any TokenSigner, digester: any Digester) {
        self.signer = signer
        self.digester = digester
    }

    /// A request as it came: whole, or as the reference of one that was pushed.
    package enum Incoming: Sendable {
        case asked(Asked)
        case reference(OpaqueToken, of: ClientSettings)
    }

    /// Whether a request stands for one that was pushed: nothing else in it counts.
    package static func isReference(_ form: Form) -> Bool { form.single("request_uri") != nil }

    package func read(_ form: Form, in project: Project, at now: Instant)
        throws(AuthorizationRefusal) -> Incoming
    {
        let request = RequestParameters(form)
        let client: ClientSettings
        let redirect: (uri: RedirectURI, isGiven: Bool)
        do throws(OAuthError) {
            try Self.checkSizes(request)
            client = try Self.client(request, in: project)
            if let text = try request.optional("request_uri") {
                let token = OpaqueToken(.requestURI, reading: text, digester: digester)
                guard let token else { throw .foreignReference("malformed") }
                return .reference(token, of: client)
            }
            guard !client.requiresPushedRequests else { throw .unpushedRequest }
            redirect = try Self.redirectURI(request, of: client)
        } catch { throw .page(error) }
        let destination = AuthorizationResponse.Destination(
            request,
            to: redirect.uri,
            by: Self.answerMode(request, to: redirect.uri),
            in: project
        )
        do {
            return .asked(
                try asked(request, client, redirect, destination, in: project, at: now)
            )
        } catch { throw .redirect(AuthorizationResponse(to: destination, failing: error)) }
    }

    /// As above, of a request that its client pushes (WireContract 4.6): no browser has come
    /// yet, so all is said to the client.
    package func readPushed(
        _ request: RequestParameters,
        of client: ClientSettings,
        in project: Project,
        at now: Instant
    ) throws(OAuthError) -> Asked {
        try Self.checkSizes(request)
        try Self.requireUsers(of: client)
        guard try request.optional("request_uri") == nil else {
            throw .foreignReference("inside a pushed request")
        }
        let redirect = try Self.redirectURI(request, of: client)
        let destination = AuthorizationResponse.Destination(
            request,
            to: redirect.uri,
            by: Self.answerMode(request, to: redirect.uri),
            in: project
        )
        return try asked(request, client, redirect, destination, in: project, at: now)
    }

    /// Steps 5–12.
    private func asked(
        _ request: RequestParameters,
        _ client: ClientSettings,
        _ redirect: (uri: RedirectURI, isGiven: Bool),
        _ destination: AuthorizationResponse.Destination,
        in project: Project,
        at now: Instant
    ) throws(OAuthError) -> Asked {
        let type = try Self.responseType(request, client)
        try Self.checkResponseMode(request, to: redirect.uri)
        let prompt = try Self.prompt(request)
        let maxAge = try Self.maxAge(request)
        let challenge = type == .code ? try Self.codeChallenge(request, client) : nil
        let dpopKey = try Self.thumbprint(request, of: client)
        try Self.checkText(request, "state")
        let nonce = try Self.checkText(request, "nonce")
        let scope = try Self.scope(request, client, type)
        let resources = try Self.resources(request, project)
        let hint = try idTokenHint(request, in: project)
        return Asked(
            client: client,
            request: AuthorizationRequest(
                client: client.id,
                redirectURI: redirect.uri,
                redirectURIGiven: redirect.isGiven,
                responseType: type,
                responseMode: destination.mode,
                scope: scope,
                state: destination.state,
                nonce: nonce,
                codeChallenge: challenge,
                prompt: prompt,
                maxAge: maxAge,
                resources: resources,
                dpopKey: dpopKey,
                sso: Self.sso(request),
                expectedSubject: hint?.subject,
                startedAt: now,
                expiresAt: now.adding(seconds: Self.lifetimeSeconds)
            ),
            loginHint: Self.loginHint(request),
            hintedSession: hint?.session
        )
    }

    /// What is asked of a browser that an app vouches for, besides what is its own.
    struct Vouched: Sendable {
        var prompt: Set<AuthorizationRequest.Prompt>
        var maxAge: Int64?
        /// Nil: none was named.
        var scope: Scope?
        var hint: IDTokenClaims?
    }

    /// Steps 7 and 9–12: what such a request has no use for must still be right.
    func vouched(_ request: RequestParameters, _ client: ClientSettings, in project: Project)
        throws(OAuthError) -> Vouched
    {
        let prompt = try Self.prompt(request)
        let maxAge = try Self.maxAge(request)
        _ = try Self.thumbprint(request, of: client)
        try Self.checkText(request, "state")
        try Self.checkText(request, "nonce")
        let scope = try Self.scope(request, client, .none)
        _ = try Self.resources(request, project)
        return Vouched(
            prompt: prompt,
            maxAge: maxAge,
            scope: try request.optional("scope") == nil ? nil : scope,
            hint: try idTokenHint(request, in: project)
        )
    }

    /// Step 12.
    private func idTokenHint(_ request: RequestParameters, in project: Project)
        throws(OAuthError) -> IDTokenClaims?
    {
        guard let text = try request.optional("id_token_hint") else { return nil }
        guard let claims = signer.verifyIDToken(text, of: project) else {
            throw .invalidHint
        }
        return claims
    }
}

extension AuthorizationRequest.ColorScheme {
    /// What `x_color_scheme` says; nil for none, and for one that is not known.
    package init?(_ text: [UInt8]?) {
        let known = Self.allCases.first { text?.elementsEqual($0.rawValue.utf8) ?? false }
        guard let known else { return nil }
        self = known
    }
}

extension OAuthError {
    /// Unknown, used, too old, or of another client or browser: one answer.
    static func foreignReference(_ cause: String) -> Self {
        Self(.invalidRequest, "the request_uri is not valid", cause: cause, refusal: "AZ-004")
    }

    /// Nobody whom we believe signed it, or it is not ours.
    static var invalidHint: Self {
        Self(.invalidRequest, "the id_token_hint is not valid", refusal: "AZ-016")
    }

    /// The client must push its requests.
    static var unpushedRequest: Self {
        Self(.invalidRequest, "the request must be pushed first", refusal: "AZ-019")
    }
}
