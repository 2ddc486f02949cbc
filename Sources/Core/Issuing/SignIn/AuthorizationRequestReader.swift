package import Domain
package import OAuth

/// Checks an authorization request in the order of wire.md section 4.2, steps 1–12.
///
/// Nothing is looked up: what depends on streams follows in `Authorize`.
package struct AuthorizationRequestReader: Sendable {
    /// Every parameter that counts; a repeat of one is refused, all others are ignored.
    package static let parameters: Set<String> = [
        "client_id", "redirect_uri", "response_type", "response_mode", "scope", "state", "nonce",
        "code_challenge", "code_challenge_method", "prompt", "max_age", "login_hint",
        "id_token_hint", "acr_values", "ui_locales", "resource", "dpop_jkt", "request_uri",
        "request", "x_sso_enabled", "x_suppress_idp_session_cookie",
        "x_pre_authenticated_url_token", "x_color_scheme", "x_state", "x_platform", "x_page",
        "x_authentication_flow_group", "x_oauth_provider_alias", "x_wechat_redirect_uri",
    ]

    package static let stateBytesMax = 512
    /// How long its pages may be posted (wire.md section 4.3).
    package static let lifetimeSeconds: Int64 = 1800

    /// What was asked, and by whom.
    package struct Asked: Sendable {
        package var client: ClientSettings
        package var request: AuthorizationRequest
        /// An address to fill in.
        package var loginHint: EmailAddress?
        /// The session that the hint names; perhaps a live one (wire.md section 4.5).
        package var hintedSession: SessionID?
    }

    private let signer: any TokenSigner
    let digester: any Digester

    package init(signer: any TokenSigner, digester: any Digester) {
        self.signer = signer
        self.digester = digester
    }

    package func read(_ form: Form, in project: Project, at now: Instant)
        throws(AuthorizationRefusal) -> Asked
    {
        let request = TokenRequest(form)
        let client: ClientSettings
        let redirect: (uri: RedirectURI, isGiven: Bool)
        do throws(OAuthError) {
            try Self.checkSizes(request)
            client = try Self.client(request, in: project)
            // Pushed requests have no door yet: a reference is one that nobody issued.
            guard try request.optional("request_uri") == nil else { throw .foreignReference }
            redirect = try Self.redirectURI(request, of: client)
        } catch { throw .page(error) }
        let destination = AuthorizationResponse.Destination(
            redirectURI: redirect.uri,
            mode: Self.answerMode(request),
            state: request.form.single("state").map { String(decoding: $0, as: UTF8.self) },
            issuer: project.issuer
        )
        do {
            return try asked(request, client, redirect, destination, in: project, at: now)
        } catch { throw .redirect(AuthorizationResponse(to: destination, failing: error)) }
    }

    /// Steps 5–12.
    private func asked(
        _ request: TokenRequest,
        _ client: ClientSettings,
        _ redirect: (uri: RedirectURI, isGiven: Bool),
        _ destination: AuthorizationResponse.Destination,
        in project: Project,
        at now: Instant
    ) throws(OAuthError) -> Asked {
        let type = try Self.responseType(request, client)
        try Self.checkResponseMode(request)
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

    /// Step 12.
    func idTokenHint(_ request: TokenRequest, in project: Project)
        throws(OAuthError) -> IDTokenClaims?
    {
        guard let text = try request.optional("id_token_hint") else { return nil }
        guard let claims = signer.verifyIDToken(text, of: project) else {
            throw OAuthError(.invalidRequest, "the id_token_hint is not valid", refusal: "AZ-016")
        }
        return claims
    }
}

extension OAuthError {
    /// A pushed request that nobody was given.
    static var foreignReference: Self {
        Self(.invalidRequest, "the request_uri is not valid", refusal: "AZ-004")
    }
}
