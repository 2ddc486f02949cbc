internal import Domain
package import OAuth

/// Trades an id token and a device secret for a share in their session (RFC 8693): OpenID Native
/// SSO, and pre-authenticated URLs (WireContract 5.6 and 5.7).
package struct TokenExchangeGrant: GrantType {
    package static var names: [String] { ["urn:ietf:params:oauth:grant-type:token-exchange"] }
    package static let parameters: Set<String> = [
        "audience", "subject_token", "subject_token_type", "actor_token", "actor_token_type",
        "requested_token_type", "scope",
    ]
    package static let required = [
        "subject_token", "subject_token_type", "actor_token", "actor_token_type",
    ]
    // The web client of a URL gets no access token here; the exchange for one checks for itself.
    package static var mintsAccessTokens: Bool { false }

    /// The app asks for a URL in the web client's name, with its own secret and key.
    package static func showsOwnKey(_ request: RequestParameters) -> Bool {
        let wanted = try? request.optional("requested_token_type")
        return wanted?.isSame(as: urlTokenType) != true
    }

    let commands: CommandRunner
    let issuance: TokenIssuance
    let signer: any TokenSigner
    let digester: any Digester
    let secrets: DeviceSecrets

    package init(
        commands: CommandRunner,
        issuance: TokenIssuance,
        signer: any TokenSigner,
        digester: any Digester
    ) {
        self.commands = commands
        self.issuance = issuance
        self.signer = signer
        self.digester = digester
        secrets = DeviceSecrets(digester: digester, entropy: commands.entropy)
    }

    private static let tokenType = "urn:ietf:params:oauth:token-type:"
    static let accessTokenType = tokenType + "access_token"
    /// With the seed's misspelling, which apps copy.
    private static let subjectTypes = [tokenType + "id_token", tokenType + "id-token"]
    private static let actorTypes = [
        "urn:x-oath:params:oauth:token-type:device-secret",
        "urn:openid:params:token-type:device-secret",
    ]
    /// What is asked for.
    private enum Wanted: String, CaseIterable {
        case accessToken = "urn:ietf:params:oauth:token-type:access_token"
        case refreshToken = "urn:ietf:params:oauth:token-type:refresh_token"
        case url = "urn:authgear:params:oauth:token-type:pre-authenticated-url-token"
    }

    /// What came, with everything right but for what only the session tells.
    struct Presented: Sendable {
        var identity: IDTokenClaims
        var hash: TokenDigest
        var secret: OpaqueToken
        var scope: Scope?
    }

    package func exchange(_ request: RequestParameters, for caller: Caller)
        async throws(OAuthError) -> TokenResponse
    {
        let wanted = try Self.wanted(request)
        let subjectToken = try request.required("subject_token")
        try Self.require("subject_token_type", of: request, in: Self.subjectTypes)
        let actorToken = try request.required("actor_token")
        try Self.require("actor_token_type", of: request, in: Self.actorTypes)
        let audience = try request.optional("audience")
        guard wanted == .url || audience != nil else {
            throw .refusedExchange("audience is missing")
        }
        let scope = try request.scope()
        guard wanted == .url || caller.client.dpop != .bound || caller.proof != nil else {
            throw .missingProof()
        }
        guard audience?.isSame(as: caller.project.issuer) ?? true else {
            throw OAuthError(.invalidTarget, "the audience is not the issuer", refusal: "NS-002")
        }
        let identity = try await identity(subjectToken, caller)
        guard let hash = identity.deviceSecretHash else { throw .refusedExchange("no ds_hash") }
        guard let secret = secrets.read(actorToken) else { throw .wrongDeviceSecret("malformed") }
        let presented = Presented(identity: identity, hash: hash, secret: secret, scope: scope)
        switch wanted {
        case .accessToken, .refreshToken: return try await join(presented, caller)
        case .url: return try await issueURL(presented, caller)
        }
    }

    private static func require(_ name: String, of request: RequestParameters, in known: [String])
        throws(OAuthError)
    {
        let type = try request.required(name)
        guard known.contains(where: { type.isSame(as: $0) }) else {
            throw .refusedExchange(name)
        }
    }

    private static func wanted(_ request: RequestParameters) throws(OAuthError) -> Wanted {
        guard let text = try request.optional("requested_token_type") else { return .accessToken }
        guard let wanted = Wanted.allCases.first(where: { text.isSame(as: $0.rawValue) })
        else { throw .refusedExchange("requested_token_type") }
        return wanted
    }

    /// Step 3; that it has expired does not matter: its session decides.
    private func identity(_ token: [UInt8], _ caller: Caller)
        async throws(OAuthError) -> IDTokenClaims
    {
        let verifier = TokenVerifier(signer, projects: commands.projects)
        let verified: IDTokenClaims?
        do {
            verified = try await verifier.idToken(token, of: caller.project, by: caller.deadline)
        } catch { throw OAuthError(error) }
        guard let claims = verified else { throw .refusedExchange("subject_token") }
        let latest = commands.clock.now.adding(seconds: CommandRunner.clockSkewSeconds)
        guard claims.issuedAt <= latest else { throw .refusedExchange("subject_token: iat") }
        return claims
    }

    /// Steps 4 and 5: the session lives, and the two tokens are of one device in it.
    func open(_ presented: Presented, for client: ClientID, in work: inout Work)
        async throws(CommandError<OAuthError>) -> (Loaded<OfflineGrant>, OfflineGrant.Session)
    {
        let (id, key) = (presented.identity.session, presented.identity.key)
        try work.requireKey(key, refused: .refusedExchange("subject_token"))
        var grant = try await work.loading(OfflineGrant.self, id.stream)
        guard let known = grant.state.openSession, known.isLive(at: work.now),
            known.opening.subject == presented.identity.subject
        else { throw .refused(.endedExchange) }
        work.attributes.subject = known.opening.subject
        work.attributes.session = id
        // Whose part was ended by its removal lets nobody in either (decision 0080).
        let host = presented.identity.audience
        try await work.requireKnown(host)
        guard work.project.client(host) != nil, work.project.honours(host, in: known)
        else { throw .refused(.endedExchange) }
        // A guest that is disabled invites nobody (decision 0190); of the first app the use asks,
        // and the id token that came with a URL is that app's, whatever became of the site.
        switch known.known(host)?.via {
        case .nativeSSO, .continue: try await work.requireEnabled(host, refused: .disabledHost)
        case .opening, .preAuthenticatedURL, nil: break
        }
        try work.dismissRemoved(client, from: &grant)
        let session = grant.state.session ?? known
        try await work.requireAlive(session, of: client, letInBy: host, refused: .endedExchange)
        let secret = presented.secret
        guard secret.stream == id.stream,
            session.deviceSecret?.standing(of: secret.digest, at: work.now) != nil
        else { throw .refused(.wrongDeviceSecret("not of the session, or no more")) }
        guard secrets.isHash(presented.hash, of: secret.digest) else {
            throw .refused(.wrongDeviceSecret("ds_hash"))
        }
        return (grant, session)
    }
}

extension OAuthError {
    /// Not for good: it may be enabled again.
    fileprivate static var disabledHost: Self {
        Self(
            .unauthorizedClient,
            "the client of the id token is disabled",
            refusal: "NS-005"
        )
    }

    /// Parameters that are missing or wrong whatever the session.
    static func refusedExchange(_ cause: String) -> Self {
        Self(
            .invalidRequest,
            "the token exchange is not valid",
            cause: cause,
            refusal: "NS-001"
        )
    }

    /// Session or user gone: the same request can never succeed.
    static var endedExchange: Self {
        Self(.invalidGrant, "the session has ended", refusal: "NS-003")
    }

    /// One answer for unknown, replaced, revoked and foreign secrets.
    static func wrongDeviceSecret(_ cause: String) -> Self {
        Self(
            .invalidGrant,
            "the device secret is not valid",
            cause: cause,
            refusal: "NS-004"
        )
    }
}
