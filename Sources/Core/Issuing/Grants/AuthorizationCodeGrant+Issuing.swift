internal import Domain
internal import OAuth

extension AuthorizationCodeGrant {
    /// A code that counts, and what it is redeemed for.
    struct Redeemed {
        var ticket: AuthorizationCode.Ticket
        var code: StreamID
        var session: SessionID
        /// The access token of a renewal; nil for all others, whose is drawn when it is born.
        var renewal: TokenID?
    }

    /// Opens the session, renews the one the login was for, or joins the app's, in one append.
    func issue(
        _ redeemed: Redeemed,
        _ host: Loaded<OfflineGrant>?,
        _ asked: Asked,
        _ caller: Caller,
        _ client: ClientSettings,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) -> TokenIssuance.Grant {
        let (ticket, session) = (redeemed.ticket, redeemed.session)
        let audience: [String]
        do {
            audience = try Audience.resolve(
                asked: asked.resources,
                granted: ticket.resources,
                scope: ticket.scope,
                defaults: client.defaultResources,
                issuer: work.project.issuer
            )
        } catch { throw .refused(error) }
        // Before the token is drawn: its birth must not lie before its client came.
        let host = try await self.host(of: ticket, host, in: &work)
        let token = OfflineGrant.AccessTokenIssue(
            token: redeemed.renewal
                ?? TokenID(.timeOrdered(at: work.now, from: commands.entropy)),
            client: client.id,
            scope: ticket.scope,
            via: Self.origin(of: ticket),
            dpopKey: caller.confirmation,
            expiresAt: work.after(seconds: client.accessTokenLifetimeSeconds)
        )
        let opened: Opened
        if let host {
            // It binds nothing there, and has to be well-formed all the same.
            _ = try deviceKeyJWT(of: asked)
            opened = try join(host, ticket, redeemed.code, token, caller, client, in: &work)
        } else if ticket.renews != nil {
            opened = try await renew(ticket, session, token, asked, caller, client, in: &work)
        } else {
            opened = try await open(redeemed, token, asked, caller, client, in: &work)
        }
        return TokenIssuance.Grant(
            token: token.token,
            subject: ticket.subject,
            session: session,
            client: client.id,
            scope: ticket.scope,
            audience: audience,
            authentication: ticket.authentication,
            nonce: ticket.nonce,
            refreshToken: opened.refreshToken?.text,
            deviceSecret: opened.deviceSecret,
            confirmation: caller.confirmation,
            issuedAt: work.now,
            expiresAt: opened.expiresAt
        )
    }

    /// What a session hands out beside its access token.
    struct Opened {
        var refreshToken: RefreshToken?
        var deviceSecret: DeviceSecrets.Handed?
        /// Of the access token: not after a session that lives shorter (I8).
        var expiresAt: Instant
    }

    private func open(
        _ redeemed: Redeemed,
        _ token: OfflineGrant.AccessTokenIssue,
        _ asked: Asked,
        _ caller: Caller,
        _ client: ClientSettings,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) -> Opened {
        let (ticket, session) = (redeemed.ticket, redeemed.session)
        let jwt = try deviceKeyJWT(of: asked)
        var grant = Loaded<OfflineGrant>.new(session.stream)
        let family = Self.family(of: ticket)
        let lifetime = client.refreshTokenLifetimeSeconds
        let expiresAt = family != nil ? work.after(seconds: lifetime) : token.expiresAt
        let device = try await work.sealed(
            caller.device(saidIn: jwt),
            ticket.subject,
            on: session.stream,
            sealer
        )
        let opening = OfflineGrant.Opening(
            subject: ticket.subject,
            client: client.id,
            scope: ticket.scope,
            authentication: ticket.authentication,
            via: ticket.via == .authorize ? .code : .app2app,
            parent: ticket.owner.map { Parent(kind: .session, stream: $0.stream) }
                ?? Parent(kind: .code, stream: redeemed.code),
            browserSession: ticket.browserSession,
            openedAt: work.now,
            expiresAt: expiresAt,
            idleMilliseconds: family == nil ? 0 : (client.refreshTokenIdleSeconds ?? 0) * 1000,
            device: device
        )
        let first = family.map { refreshToken($0, of: session) }
        let issue = first.map { Self.issue($0, ticket, caller, client, until: expiresAt) }
        do {
            try work.decide(.open(opening, refreshToken: issue, accessToken: token), on: &grant)
        } catch { throw .refused(.refusedCode("\(error)")) }
        try await bind(jwt, to: &grant, of: client, ticket, in: &work)
        let secret = try await share(&grant, ticket, asked, caller, in: &work)
        try await join(ticket, client, session, in: &work)
        return Opened(
            refreshToken: first,
            deviceSecret: secret,
            expiresAt: opening.clip(token.expiresAt)
        )
    }

    /// What a token of this code was given for.
    private static func origin(of ticket: AuthorizationCode.Ticket)
        -> OfflineGrant.AccessTokenIssue.Via
    {
        if ticket.continuation != nil { return .continue }
        return switch ticket.via {
        case .authorize: .code
        case .app2app, .app2appBiometric: .app2app
        }
    }

    /// The number of the refresh tokens that a code gives; nil when it gives none.
    static func family(
        of ticket: AuthorizationCode.Ticket,
        joining session: OfflineGrant.Session? = nil
    ) -> UInt16? {
        guard ticket.renews == nil, ticket.scope.contains("offline_access") else { return nil }
        return session?.nextFamily ?? 1
    }

    func refreshToken(_ family: UInt16, of session: SessionID) -> RefreshToken {
        RefreshToken.first(
            of: session,
            family: family,
            from: commands.entropy,
            digester: digester
        )
    }

    /// What is recorded of the first refresh token of a family.
    static func issue(
        _ first: RefreshToken,
        _ ticket: AuthorizationCode.Ticket,
        _ caller: Caller,
        _ client: ClientSettings,
        until expiresAt: Instant
    ) -> OfflineGrant.RefreshTokenIssue {
        OfflineGrant.RefreshTokenIssue(
            client: client.id,
            family: first.family,
            scope: ticket.scope,
            secret: first.digest,
            rotates: client.rotates(dpopBound: caller.familyKey != nil),
            dpopKey: caller.familyKey,
            resources: ticket.resources,
            expiresAt: expiresAt
        )
    }

    /// Gives a lasting session with `device_sso` its secret, and notes of any session that it is on
    /// the device of the secret that was shown.
    ///
    /// That asks for no scope, and gives nothing: apps send their secret unasked (WireContract 10).
    private func share(
        _ grant: inout Loaded<OfflineGrant>,
        _ ticket: AuthorizationCode.Ticket,
        _ asked: Asked,
        _ caller: Caller,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) -> DeviceSecrets.Handed? {
        let known = try await work.sessionOnDevice(asked.deviceSecret, of: ticket.subject)
        var secret: DeviceSecrets.Handed?
        if ticket.scope.contains("offline_access") {
            secret = try work.handDeviceSecret(
                nil,
                of: ticket.client,
                for: ticket.scope,
                to: &grant,
                key: caller.familyKey,
                secrets
            )
        }
        guard let known else { return secret }
        do { try work.decide(.share(.linkDevice(known)), on: &grant) } catch {
            throw .refused(.refusedCode("\(error)"))
        }
        return secret
    }

    /// Tells the browser-session who joined, so that logout reaches everybody (Events 8.5).
    private func join(
        _ ticket: AuthorizationCode.Ticket,
        _ client: ClientSettings,
        _ session: SessionID,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) {
        guard let id = ticket.browserSession else { return }
        var browser = try await work.loading(BrowserSession.self, id.stream)
        do { try work.decide(.join(.init(client: client.id, grant: session)), on: &browser) } catch
        {
            throw .refused(.refusedCode("\(error)"))
        }
    }

    private func renew(
        _ ticket: AuthorizationCode.Ticket,
        _ session: SessionID,
        _ token: OfflineGrant.AccessTokenIssue,
        _ asked: Asked,
        _ caller: Caller,
        _ client: ClientSettings,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) -> Opened {
        var grant = try await work.loading(OfflineGrant.self, session.stream)
        if let renewed = grant.state.session {
            let ended = OAuthError.refusedCode("what the session rests on ended")
            try await work.requireAlive(renewed, of: client.id, refused: ended)
        }
        let command = OfflineGrant.Command.reauthenticate(
            ticket.authentication,
            by: client.id,
            subject: ticket.subject,
            accessToken: token,
            at: work.now
        )
        do { try work.decide(command, on: &grant) } catch {
            throw .refused(.refusedCode("\(error)"))
        }
        let jwt = try deviceKeyJWT(of: asked)
        try await bind(jwt, to: &grant, of: client, ticket, in: &work)
        let secret = try work.handDeviceSecret(
            asked.deviceSecret,
            of: ticket.client,
            for: ticket.scope,
            to: &grant,
            key: caller.familyKey,
            secrets
        )
        let expiresAt = grant.state.session?.opening.clip(token.expiresAt) ?? token.expiresAt
        return Opened(deviceSecret: secret, expiresAt: expiresAt)
    }

    /// Binds the session's device key: the user has just logged in (WireContract 5.2).
    ///
    /// The same key again is nothing new; another one is refused, whoever signed.
    private func bind(
        _ jwt: ClientJWT?,
        to grant: inout Loaded<OfflineGrant>,
        of client: ClientSettings,
        _ ticket: AuthorizationCode.Ticket,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) {
        guard let jwt else { return }
        let key: DeviceKey
        let use: SingleUse
        do throws(OAuthError) {
            guard let signer = jwt.key ?? grant.state.session?.deviceKey else {
                throw OAuthError.refusedJWT("jwk is missing", refusal: "DJ-001")
            }
            try devices.requireSignature(of: jwt, by: signer)
            let expected = DeviceProofs.Expected(
                purpose: .app2app,
                client: client.id,
                redirectURI: ticket.redirectURI,
                codeChallenge: ticket.codeChallenge.map { Base64URL.encode($0.digest.bytes) }
            )
            use = try devices.check(jwt, expected, in: work.project, at: work.now)
            key = signer
        } catch { throw .refused(error) }
        do { try work.decide(.bindDeviceKey(key, insecure: false), on: &grant) } catch {
            throw .refused(.otherDeviceKey)
        }
        try await work.spend(use, refused: .usedChallenge)
    }
}
