internal import Domain
internal import OAuth

// OpenID Native SSO section 4.3, WireContract 5.6.
extension TokenExchangeGrant {
    func join(_ presented: Presented, _ caller: Caller)
        async throws(OAuthError) -> TokenResponse
    {
        let grant: TokenIssuance.Grant
        do {
            grant = try await commands.run(caller.request, on: presented.secret.stream) {
                (work: inout Work) async throws(CommandError<OAuthError>) in
                try await attempt(presented, caller, in: &work)
            }
        } catch { throw OAuthError(error) }
        var response = try issuance.response(grant, in: caller.project)
        response.issuedTokenType = Self.accessTokenType
        return response
    }

    private func attempt(_ presented: Presented, _ caller: Caller, in work: inout Work)
        async throws(CommandError<OAuthError>) -> TokenIssuance.Grant
    {
        let client = try await work.admit(caller).value
        var (grant, session) = try await open(presented, for: client.id, in: &work)
        try await work.requireKnown(session.opening.client)
        let first = work.project.enabledClient(session.opening.client, in: session)
        let isShared = first.map { client.shares(sessionsOf: $0.value) } ?? false
        guard isShared, session.known(presented.identity.audience) != nil else {
            throw .refused(.stranger)
        }
        guard work.project.accepts(session.authentication, at: client.id) else {
            throw .refused(.laxerShare)
        }
        let scope = try await scope(presented, session, client, in: &work)
        // All loads are done: from here on every event carries the time of the append.
        work.passMillisecond(of: grant)
        let plan = try plan(presented, scope, session, client, caller, work)
        let refreshToken = RefreshToken.first(
            of: plan.session,
            family: session.nextFamily,
            from: commands.entropy,
            digester: digester
        )
        let isOffline = scope.contains("offline_access")
        let join = OfflineGrant.Join(
            client: client.id,
            invitation: .nativeSSO(
                secret: presented.secret.digest,
                invitedBy: presented.identity.audience,
                isShared: isShared
            ),
            parent: Parent(kind: .session, stream: grant.stream),
            scope: scope,
            at: work.now
        )
        let issue =
            isOffline
            ? family(of: plan, refreshToken.digest, client, caller, in: session, work) : nil
        do {
            try work.decide(
                .share(.join(join, refreshToken: issue, accessToken: Self.token(of: plan))),
                on: &grant
            )
        } catch { throw .refused(OAuthError(joining: error)) }
        var granted = plan
        granted.refreshToken = isOffline ? refreshToken.text : nil
        return granted
    }

    /// Step 7: by default all that the first client has and this one may have.
    private func scope(
        _ presented: Presented,
        _ session: OfflineGrant.Session,
        _ client: ClientSettings,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) -> Scope {
        let granted = session.opening.scope
        let scope = presented.scope ?? granted.intersection(client.allowedScopes)
        let user = session.opening.subject
        guard !scope.isEmpty, scope.isSubset(of: granted), scope.isSubset(of: client.allowedScopes),
            try await work.isConsented(scope, by: user, client: client)
        else { throw .refused(.exceededShare) }
        return scope
    }

    private func plan(
        _ presented: Presented,
        _ scope: Scope,
        _ session: OfflineGrant.Session,
        _ client: ClientSettings,
        _ caller: Caller,
        _ work: Work
    ) throws(CommandError<OAuthError>) -> TokenIssuance.Grant {
        let audience: [String]
        do {
            audience = try Audience.resolve(
                asked: [],
                granted: [],
                scope: scope,
                defaults: client.defaultResources,
                issuer: work.project.issuer
            )
        } catch { throw .refused(error) }
        return TokenIssuance.Grant(
            token: TokenID(.timeOrdered(at: work.now, from: commands.entropy)),
            subject: session.opening.subject,
            session: presented.identity.session,
            client: client.id,
            scope: scope,
            audience: audience,
            authentication: session.authentication,
            // As it came: a rotation whose answer is lost would cost the device its shared login.
            deviceSecret: secrets.handed(presented.secret),
            confirmation: caller.confirmation,
            issuedAt: work.now,
            expiresAt: session.opening.clip(work.after(seconds: client.accessTokenLifetimeSeconds))
        )
    }

    private static func token(of plan: TokenIssuance.Grant) -> OfflineGrant.AccessTokenIssue {
        OfflineGrant.AccessTokenIssue(
            token: plan.token,
            client: plan.client,
            scope: plan.scope,
            via: .nativeSSO,
            dpopKey: plan.confirmation,
            expiresAt: plan.expiresAt
        )
    }

    private func family(
        of plan: TokenIssuance.Grant,
        _ secret: TokenDigest,
        _ client: ClientSettings,
        _ caller: Caller,
        in session: OfflineGrant.Session,
        _ work: Work
    ) -> OfflineGrant.RefreshTokenIssue {
        OfflineGrant.RefreshTokenIssue(
            client: plan.client,
            family: session.nextFamily,
            scope: plan.scope,
            secret: secret,
            rotates: client.rotates(dpopBound: caller.familyKey != nil),
            dpopKey: caller.familyKey,
            expiresAt: work.after(seconds: client.refreshTokenLifetimeSeconds)
        )
    }
}

extension OAuthError {
    fileprivate static var stranger: Self {
        Self(
            .unauthorizedClient,
            "this client may not share the session",
            refusal: "NS-005"
        )
    }

    fileprivate static var exceededShare: Self {
        Self(
            .invalidScope,
            "the scope exceeds what may be shared",
            refusal: "NS-006"
        )
    }

    /// Not for good: the user may log in to the session again.
    fileprivate static var laxerShare: Self {
        Self(
            .unauthorizedClient,
            "the login of the session does not meet the policy of this client",
            refusal: "NS-008"
        )
    }

    /// Too many clients, or too many steps from the first one.
    static var overfullShare: Self {
        Self(.invalidGrant, "the session is shared too far", refusal: "NS-007")
    }

    fileprivate init(joining rejection: OfflineGrant.Rejection) {
        switch rejection {
        case .tooMany:
            self = .overfullShare
        case .wrongSecret: self = .wrongDeviceSecret("\(rejection)")
        case .stranger: self = .stranger
        case .scope: self = .exceededShare
        case .alreadyOpen, .unknown, .otherClient, .otherSubject, .otherKey, .expired, .ended,
            .otherDeviceKey, .proofNeeded:
            self = .endedExchange
        }
    }
}
