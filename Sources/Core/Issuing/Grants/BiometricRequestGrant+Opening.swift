internal import Domain
internal import OAuth

extension BiometricRequestGrant {
    /// What a client that names no scope gets, as far as it may.
    private static let standardScope = Scope(
        unchecked: [BuiltInScopes.openID, BuiltInScopes.offlineAccess, BuiltInScopes.fullAccess]
    )

    private func scope(
        _ asked: Scope?,
        of subject: SubjectID,
        _ client: ClientSettings,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) -> Scope {
        let scope = try await work.granted(
            asked ?? Self.standardScope.intersection(client.allowedScopes),
            isAsked: asked != nil,
            by: subject,
            client: client
        )
        guard let scope, scope.contains("offline_access"), scope.isSubset(of: client.allowedScopes)
        else {
            throw .refused(
                OAuthError(
                    .invalidScope,
                    "the scope is not allowed, or lacks offline_access",
                    refusal: "BK-006"
                )
            )
        }
        return scope
    }

    func open(
        _ login: Login,
        _ session: SessionID,
        _ registration: BiometricKey.Registration,
        _ keyStream: StreamID,
        _ approval: Approval?,
        _ caller: Caller,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) -> (TokenIssuance.Grant, code: OpaqueToken?) {
        let subject = registration.subject
        let scope = try await scope(login.scope, of: subject, caller.client, in: &work)
        var plan = try plan(scope, session, registration, caller, work)
        let first = RefreshToken.first(
            of: session,
            family: 1,
            from: commands.entropy,
            digester: digester
        )
        plan.refreshToken = first.text
        let phone = caller.device(saidIn: login.jwt)
        let device = try await work.sealed(phone, subject, on: session.stream, sealer)
        let opening = OfflineGrant.Opening(
            subject: subject,
            client: plan.client,
            scope: plan.scope,
            authentication: plan.authentication,
            via: .biometric,
            parent: Parent(kind: .biometricKey, stream: keyStream),
            browserSession: nil,
            openedAt: work.now,
            expiresAt: work.after(seconds: caller.client.refreshTokenLifetimeSeconds),
            idleMilliseconds: (caller.client.refreshTokenIdleSeconds ?? 0) * 1000,
            device: device
        )
        var grant = Loaded<OfflineGrant>.new(session.stream)
        do {
            try work.decide(
                .open(
                    opening,
                    refreshToken: family(of: plan, first.digest, caller, until: opening.expiresAt),
                    accessToken: Self.token(of: plan)
                ),
                on: &grant
            )
        } catch { throw .refused(.refusedLogin("\(error)")) }
        plan.deviceSecret = try work.handDeviceSecret(
            nil,
            of: plan.client,
            for: plan.scope,
            to: &grant,
            key: caller.familyKey,
            secrets
        )
        guard let approval else { return (plan, nil) }
        return (plan, try await approve(approval, plan.scope, &grant, in: &work))
    }

    /// What the new session hands out, but for its refresh token.
    private func plan(
        _ granted: Scope,
        _ session: SessionID,
        _ registration: BiometricKey.Registration,
        _ caller: Caller,
        _ work: Work
    ) throws(CommandError<OAuthError>) -> TokenIssuance.Grant {
        let client = caller.client
        let audience: [String]
        do {
            audience = try Audience.resolve(
                asked: [],
                granted: [],
                scope: granted,
                defaults: client.defaultResources,
                issuer: work.project.issuer
            )
        } catch { throw .refused(error) }
        return TokenIssuance.Grant(
            token: TokenID(.timeOrdered(at: work.now, from: commands.entropy)),
            subject: registration.subject,
            session: session,
            client: client.id,
            scope: granted,
            audience: audience,
            authentication: Authentication(
                methods: [.hwk, .user],
                at: work.now,
                // Whoever was let in by a tap can set a key up, too.
                approval: registration.approval
            ),
            confirmation: caller.confirmation,
            issuedAt: work.now,
            expiresAt: work.after(seconds: client.accessTokenLifetimeSeconds)
        )
    }

    private static func token(of plan: TokenIssuance.Grant) -> OfflineGrant.AccessTokenIssue {
        OfflineGrant.AccessTokenIssue(
            token: plan.token,
            client: plan.client,
            scope: plan.scope,
            via: .biometric,
            dpopKey: plan.confirmation,
            expiresAt: plan.expiresAt
        )
    }

    private func family(
        of plan: TokenIssuance.Grant,
        _ secret: TokenDigest,
        _ caller: Caller,
        until expiresAt: Instant
    ) -> OfflineGrant.RefreshTokenIssue {
        OfflineGrant.RefreshTokenIssue(
            client: plan.client,
            family: 1,
            scope: plan.scope,
            secret: secret,
            rotates: caller.client.rotates(dpopBound: caller.familyKey != nil),
            dpopKey: caller.familyKey,
            expiresAt: expiresAt
        )
    }

    private func approve(
        _ approval: Approval,
        _ granted: Scope,
        _ grant: inout Loaded<OfflineGrant>,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) -> OpaqueToken {
        let cut: Scope
        do { cut = try approval.request.scope(within: granted, approval.target) } catch {
            throw .refused(error)
        }
        return try await work.approve(
            approval.request.approval(
                of: approval.target,
                scope: cut,
                from: grant,
                .biometric
            ),
            &grant,
            commands.entropy,
            digester
        )
    }
}
