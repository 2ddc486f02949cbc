package import Domain
package import OAuth

/// Trades an authorization code for a session (RFC 6749 section 4.1.3, PKCE per RFC 7636).
package struct AuthorizationCodeGrant: GrantType {
    package static var names: [String] { ["authorization_code"] }
    package static let required = ["code"]
    package static let parameters: Set<String> = [
        "code", "redirect_uri", "code_verifier", "resource", "x_app2app_device_key_jwt",
        "device_secret",
    ]

    let commands: CommandRunner
    private let issuance: TokenIssuance
    let digester: any Digester
    let devices: DeviceProofs
    let secrets: DeviceSecrets
    let sealer: any Sealer

    package init(
        commands: CommandRunner,
        issuance: TokenIssuance,
        digester: any Digester,
        devices: DeviceProofs,
        sealer: any Sealer
    ) {
        self.sealer = sealer
        self.devices = devices
        self.commands = commands
        self.issuance = issuance
        self.digester = digester
        secrets = DeviceSecrets(digester: digester, entropy: commands.entropy)
    }

    /// The parameters of one request, checked for their form.
    struct Asked: Sendable {
        var code: OpaqueToken
        var redirectURI: RedirectURI?
        var verifier: TokenDigest?
        var resources: [[UInt8]]
        /// Nothing of it is looked at before the code has been.
        var deviceKeyJWT: [UInt8]?
        /// Nil also for what never was one: it is as if none had been sent.
        var deviceSecret: OpaqueToken?

        func presentation(by client: ClientID, _ key: Thumbprint?, at now: Instant)
            -> AuthorizationCode.Presentation
        {
            AuthorizationCode.Presentation(
                secret: code.digest,
                client: client,
                redirectURI: redirectURI,
                verifier: verifier,
                dpopKey: key,
                at: now
            )
        }
    }

    /// What one attempt decided.
    private enum Outcome {
        case granted(TokenIssuance.Grant)
        /// Redeemed before; with everything else right what was issued from it may have to end, and
        /// with it the keys that rest on a session of this opening.
        case replayed(AuthorizationCode.Redemption, keysOf: OfflineGrant.Opening?)
    }

    package func exchange(_ request: RequestParameters, for caller: Caller)
        async throws(OAuthError) -> TokenResponse
    {
        let asked = try read(request, of: caller.client)
        let outcome: Outcome
        do {
            outcome = try await commands.run(caller.request, on: asked.code.stream) {
                (work: inout Work) async throws(CommandError<OAuthError>) in
                try await attempt(asked, caller, in: &work)
            }
        } catch { throw OAuthError(error) }
        switch outcome {
        case .granted(let grant): return try issuance.response(grant, in: caller.project)
        case .replayed(let redemption, let opening):
            if let opening { try await endKeys(of: redemption.grant, opening, caller) }
            await commands.cascade(from: redemption.grant, caller.request)
            throw .refusedCode("replayed", refusal: "AC-004")
        }
    }

    private func read(_ request: RequestParameters, of client: ClientSettings)
        throws(OAuthError) -> Asked
    {
        let text = try request.required("code")
        let uri = try request.optional("redirect_uri")
        // No mistake of a client's is final because of its length (WireContract 1.1).
        guard (uri?.count ?? 0) <= RedirectURI.bytesMax else {
            throw OAuthError(.invalidRequest, "redirect_uri is too long")
        }
        let verifier = try request.optional("code_verifier")
        if let verifier {
            let isWellFormed =
                43...128 ~= verifier.count && verifier.allSatisfy(PercentEncoding.isUnreserved)
            guard isWellFormed else {
                throw OAuthError(.invalidRequest, "code_verifier is malformed", refusal: "AC-001")
            }
        }
        guard let code = OpaqueToken(.authorizationCode, reading: text, digester: digester) else {
            throw .refusedCode("not a code")
        }
        let redirectURI = uri.flatMap { RedirectURI($0) }
        guard uri == nil || redirectURI != nil else { throw .refusedCode("malformed redirect_uri") }
        return Asked(
            code: code,
            redirectURI: redirectURI,
            verifier: verifier.map { digester.sha256($0) },
            resources: try request.resources(),
            deviceKeyJWT: try deviceKeyJWT(request, of: client),
            deviceSecret: try request.optional("device_secret").flatMap(secrets.read)
        )
    }

    /// Read only for apps that may let others in; all others' is ignored (WireContract 5.2).
    private func deviceKeyJWT(_ request: RequestParameters, of client: ClientSettings)
        throws(OAuthError) -> [UInt8]?
    {
        guard client.app2app != nil, let text = try request.optional("x_app2app_device_key_jwt")
        else { return nil }
        guard text.count <= ClientJWT.bytesMax else {
            throw .refusedJWT("form", refusal: "DJ-001")
        }
        return text
    }

    /// What the app signed, well-formed; for a code that counts (WireContract 5.2, step 7).
    func deviceKeyJWT(of asked: Asked) throws(CommandError<OAuthError>) -> ClientJWT? {
        guard let text = asked.deviceKeyJWT else { return nil }
        do { return try devices.open(text, as: .app2app) } catch { throw .refused(error) }
    }

    private func attempt(_ asked: Asked, _ caller: Caller, in work: inout Work)
        async throws(CommandError<OAuthError>) -> Outcome
    {
        let client = try await work.admit(caller).value
        var code = try await work.loading(AuthorizationCode.self, asked.code.stream)
        guard let ticket = code.state.ticket else { throw .refused(.refusedCode("unknown code")) }
        // Before anything is decided: what is born here must not lie before its client came.
        let host = try await hostGrant(of: ticket, in: &work)
        if let host { work.passMillisecond(of: host) }
        let key = caller.shownKey(for: ticket.dpopKey, whoseOwnerHas: client.dpop)
        let presentation = asked.presentation(by: client.id, key, at: work.now)
        let session =
            ticket.renews ?? ticket.continuation?.session
            ?? SessionID(.timeOrdered(at: work.now, from: commands.entropy))
        work.attributes.subject = ticket.subject
        work.attributes.session = session
        // All that a renewal gives: what else a code gives has a family or a session of its own.
        let renewal =
            ticket.renews == nil
            ? nil : TokenID(.timeOrdered(at: work.now, from: commands.entropy))
        let redeem = AuthorizationCode.Command.redeem(
            presentation,
            grant: session,
            family: Self.family(of: ticket, joining: host?.state.session),
            token: renewal
        )
        do { try work.decide(redeem, on: &code) } catch {
            // What is over no key brings back, so it is said first (WireContract 5.2, step 5).
            if case .otherKey = error {
                try await requireAlive(ticket, code.stream, joining: host, in: &work)
            }
            guard case .redeemed(let redemption) = error else {
                throw .refused(OAuthError(error, key))
            }
            let opening = try await recordReplay(presentation, of: &code, redemption, in: &work)
            return .replayed(redemption, keysOf: opening)
        }
        try await requireAlive(ticket, code.stream, in: &work)
        return .granted(
            try await issue(
                Redeemed(ticket: ticket, code: code.stream, session: session, renewal: renewal),
                host,
                asked,
                caller,
                client,
                in: &work
            )
        )
    }

    /// What a code rests on, but for the session that it joins or renews: who issues looks at that.
    private func requireAlive(
        _ ticket: AuthorizationCode.Ticket,
        _ code: StreamID,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) {
        try await work.requireAlive(
            ticket.subject,
            ticket.browserSession,
            since: ticket.authentication.at,
            refused: .refusedCode("subject or browser session ended")
        )
        guard work.project.honours(ticket.client, since: code.bornAt) else {
            throw .refused(.refusedCode("the client was removed since"))
        }
        // Withdrawn since, it is too late for a code; what it would open nobody would end.
        try await work.requireNotWithdrawn(
            from: ticket.client,
            of: ticket.subject,
            for: ticket.scope,
            refused: .refusedCode("the consent was withdrawn since")
        )
        if let owner = ticket.owner {
            try await work.requireLive(owner, refused: .refusedCode("the owner's session ended"))
        }
    }

    /// As above, and that session, for a code that nothing will be issued for.
    private func requireAlive(
        _ ticket: AuthorizationCode.Ticket,
        _ code: StreamID,
        joining host: Loaded<OfflineGrant>?,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) {
        try await requireAlive(ticket, code, in: &work)
        _ = try await self.host(of: ticket, host, in: &work)
        guard let renewed = ticket.renews else { return }
        try await work.requireLive(renewed, refused: .refusedCode("the renewed session ended"))
    }
}

extension AuthorizationCode.State {
    /// What was issued, whatever became of it; nil when nothing was.
    package var ticket: AuthorizationCode.Ticket? {
        switch self {
        case .absent: nil
        case .issued(let shared), .redeemed(let shared, _), .replayed(let shared, _): shared.value
        }
    }
}

extension OAuthError {
    /// One answer for unknown, expired, used and foreign codes: nobody can tell them apart.
    static func refusedCode(_ cause: String, refusal: StaticString = "AC-002") -> Self {
        Self(.invalidGrant, "the authorization code is not valid", cause: cause, refusal: refusal)
    }

    /// Another device key than the session's: it keeps its first one for good.
    static var otherDeviceKey: Self {
        Self(.invalidGrant, "the session has another device key", refusal: "DK-001")
    }

    fileprivate init(_ rejection: AuthorizationCode.Rejection, _ key: Thumbprint?) {
        switch rejection {
        case .otherKey: self = .otherKey(key, refusal: "AC-003")
        case .alreadyIssued, .unknown, .otherClient, .otherRedirectURI, .wrongVerifier,
            .expired, .redeemed:
            self = .refusedCode("\(rejection)")
        }
    }
}
