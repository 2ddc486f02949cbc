internal import Domain
internal import OAuth

// The seed of pre-authenticated URLs, WireContract 5.7.
extension TokenExchangeGrant {
    static let urlTokenType = "urn:authgear:params:oauth:token-type:pre-authenticated-url-token"

    /// What one attempt decided.
    private struct IssuedURL {
        var token: OpaqueToken
        var ticket: PreAuthenticatedURL.Ticket
        var secret: DeviceSecrets.Handed
        var identity: IDTokenClaims
    }

    /// The app asks, in the name of the web client.
    func issueURL(_ presented: Presented, _ caller: Caller)
        async throws(OAuthError) -> TokenResponse
    {
        let issued: IssuedURL
        do {
            issued = try await commands.run(caller.request, on: presented.secret.stream) {
                (work: inout Work) async throws(CommandError<OAuthError>) in
                try await attempt(presented, caller, in: &work)
            }
        } catch { throw OAuthError(error) }
        let identity: [UInt8]
        do {
            identity = try signer.sign(
                issued.identity,
                beside: nil,
                with: caller.client.idTokenAlgorithm,
                for: caller.project
            )
        } catch { throw OAuthError(error) }
        let life = issued.ticket.expiresAt.seconds - issued.identity.issuedAt.seconds
        return TokenResponse(
            accessToken: TokenResponse.AccessToken(
                text: issued.token.text,
                type: .bearer,
                expiresInSeconds: max(0, life),
                scope: nil
            ),
            idToken: identity,
            deviceSecret: issued.secret.text,
            issuedTokenType: Self.urlTokenType
        )
    }

    private func attempt(_ presented: Presented, _ caller: Caller, in work: inout Work)
        async throws(CommandError<OAuthError>) -> IssuedURL
    {
        let client = try await work.admit(caller).value
        var (grant, session) = try await open(presented, for: client.id, in: &work)
        guard let current = session.deviceSecret else {
            throw .refused(.wrongDeviceSecret("none"))
        }
        // The request has the web client's name; who sends it is the app that has the secret.
        work.attributes.actor = .client(session.opening.client)
        work.attributes.client = session.opening.client
        // The secret is the app's, and so are its settings.
        try await work.requireKnown(session.opening.client)
        let owner = work.project.client(session.opening.client)
        try await work.admitProof(of: owner, caller)
        if let key = current.dpopKey {
            let shown = caller.shownKey(for: key, whoseOwnerHas: owner?.dpop)
            guard shown == key else {
                throw .refused(caller.unreadableProof ?? .otherKey(shown))
            }
        }
        let first = work.project.enabledClient(session.opening.client, in: session)
        guard first?.value.preAuthenticatedURL != nil, client.opensURLs,
            // What it opens for itself would outlive the secret: its own part stays (0195).
            client.id != session.opening.client,
            // Its browser brings what was pushed: nothing would redeem the URL (decision 0115).
            !client.requiresPushedRequests, work.project.settings.cookieDomain != nil
        else { throw .refused(.closedURL) }
        guard work.project.accepts(session.authentication, at: client.id) else {
            throw .refused(.laxerURL)
        }
        guard session.opening.scope.contains(BuiltInScopes.preAuthenticatedURL) else {
            throw .refused(.lacksURLScope)
        }
        let scope = try await scope(presented, session, client, in: &work)
        // Its id tells when it was made: a client that has left since cannot use it.
        work.passMillisecond(of: grant)
        let token = OpaqueToken(
            .preAuthenticatedURL,
            stream: .timeOrdered(at: work.now, from: commands.entropy),
            secret: commands.entropy.bytes(32),
            digester: digester
        )
        let ticket = PreAuthenticatedURL.Ticket(
            session: presented.identity.session,
            client: client.id,
            scope: scope,
            secret: token.digest,
            expiresAt: session.opening.clip(
                work.after(seconds: work.project.settings.urlTokenLifetimeSeconds)
            )
        )
        let secret = try rotate(presented, current, &grant, in: &work)
        try issue(ticket, token, hint: presented.identity.audience, on: &grant, in: &work)
        let identity = identity(of: session, ticket, secret, work)
        return IssuedURL(token: token, ticket: ticket, secret: secret, identity: identity)
    }

    /// Step 8: by default the session's, cut to the web client's.
    private func scope(
        _ presented: Presented,
        _ session: OfflineGrant.Session,
        _ client: ClientSettings,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) -> Scope {
        let granted = session.opening.scope
        let scope = try await work.granted(
            presented.scope ?? granted.intersection(client.allowedScopes),
            isAsked: presented.scope != nil,
            by: session.opening.subject,
            client: client
        )
        guard let scope, scope.isSubset(of: granted), scope.isSubset(of: client.allowedScopes)
        else { throw .refused(.exceededURL) }
        return scope
    }

    /// The next secret; who shows the one before gets the one that is just being handed over.
    private func rotate(
        _ presented: Presented,
        _ current: OfflineGrant.DeviceSecret,
        _ grant: inout Loaded<OfflineGrant>,
        in work: inout Work
    ) throws(CommandError<OAuthError>) -> DeviceSecrets.Handed {
        if current.standing(of: presented.secret.digest, at: work.now) == .previous,
            let again = secrets.again(current, in: grant.stream)
        {
            return secrets.handed(again)
        }
        return try work.rotateDeviceSecret(of: &grant, current.dpopKey, secrets)
    }

    private func issue(
        _ ticket: PreAuthenticatedURL.Ticket,
        _ token: OpaqueToken,
        hint: ClientID,
        on grant: inout Loaded<OfflineGrant>,
        in work: inout Work
    ) throws(CommandError<OAuthError>) {
        let issued = OfflineGrant.URLIssued(
            client: ticket.client,
            depth: 0,
            url: token.stream,
            at: work.now
        )
        do { try work.decide(.share(.issueURL(issued, hint: hint)), on: &grant) } catch {
            throw .refused(OAuthError(issuingURL: error))
        }
        var url = Loaded<PreAuthenticatedURL>.new(token.stream)
        do { try work.decide(.issue(ticket), on: &url) } catch {
            throw .refused(OAuthError(.serverError, "try again later", cause: "\(error)"))
        }
    }

    /// For the web client, and without personal data: the URL travels through a browser.
    private func identity(
        of session: OfflineGrant.Session,
        _ ticket: PreAuthenticatedURL.Ticket,
        _ secret: DeviceSecrets.Handed,
        _ work: Work
    ) -> IDTokenClaims {
        let lifetime = work.project.settings.idTokenLifetimeSeconds
        return IDTokenClaims(
            subject: session.opening.subject,
            audience: ticket.client,
            issuedAt: work.now,
            expiresAt: work.now.adding(seconds: lifetime),
            authentication: session.authentication,
            session: ticket.session,
            deviceSecretHash: secret.hash
        )
    }
}

extension OAuthError {
    /// One of the two clients, or the project, does without these URLs.
    fileprivate static var closedURL: Self {
        Self(
            .unauthorizedClient,
            "this client may not open pre-authenticated URLs",
            refusal: "PU-001"
        )
    }

    /// Not for good: the user may log in to the session again.
    fileprivate static var laxerURL: Self {
        Self(
            .unauthorizedClient,
            "the login of the session does not meet the policy of this client",
            refusal: "PU-008"
        )
    }

    fileprivate static var lacksURLScope: Self {
        Self(
            .insufficientScope,
            "the session lacks a scope",
            refusal: "PU-002",
            scope: BuiltInScopes.preAuthenticatedURL
        )
    }

    fileprivate static var exceededURL: Self {
        Self(
            .invalidScope,
            "the scope exceeds the session's or the client's",
            refusal: "PU-003"
        )
    }

    fileprivate init(issuingURL rejection: OfflineGrant.Rejection) {
        switch rejection {
        case .tooMany: self = .overfullShare
        case .stranger: self = .closedURL
        case .alreadyOpen, .unknown, .otherClient, .otherSubject, .otherKey, .expired, .ended,
            .otherDeviceKey, .proofNeeded, .wrongSecret, .scope:
            self = .endedExchange
        }
    }
}
