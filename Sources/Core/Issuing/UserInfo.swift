package import Domain
package import OAuth

/// What the holder of an access token may know about the user (OpenID Connect Core section 5.3).
package struct UserInfo: Sendable {
    private let liveness: Liveness
    private let store: any EventStore
    private let sealer: any Sealer
    private let access: AccessProofs
    private let clock: any WallClock

    package init(
        liveness: Liveness,
        store: any EventStore,
        sealer: any Sealer,
        access: AccessProofs,
        clock: any WallClock
    ) {
        self.liveness = liveness
        self.store = store
        self.sealer = sealer
        self.access = access
        self.clock = clock
    }

    /// The members that scope opens (WireContract 9.1).
    package struct Claims: Hashable, Sendable {
        package var subject: String
        package var email: EmailAddress?
        package var emailVerified: Bool
        /// Seconds since 1970.
        package var updatedAt: Int64?
    }

    private static let emailScopes: Set<String> = [
        BuiltInScopes.email, BuiltInScopes.fullAccess, BuiltInScopes.fullUserInfo,
    ]
    private static let profileScopes: Set<String> = [
        BuiltInScopes.profile, BuiltInScopes.fullAccess, BuiltInScopes.fullUserInfo,
    ]

    /// A nonce for the caller's next proof; nil when the project asks for none.
    package func nonce(in project: Project) -> String? { access.nonce(in: project) }

    /// The claims for a bearer of `token`.
    ///
    /// - Throws: `invalid_token` for a bad token, `invalid_grant` when its session has ended (apps
    ///   erase theirs), `insufficient_scope` without `openid`.
    package func claims(
        for presented: AccessProofs.Presented,
        in project: Project,
        by deadline: Deadline
    ) async throws(OAuthError) -> Claims {
        let claims = try await access.claims(of: presented, in: project, by: deadline)
        do { return try await told(claims, in: project, by: deadline) } catch {
            throw presented.challenging(error)
        }
    }

    private func told(
        _ claims: AccessTokenClaims,
        in project: Project,
        by deadline: Deadline
    ) async throws(OAuthError) -> Claims {
        guard claims.audience.contains(project.issuer) else { throw .invalidToken }
        let mayAsk = claims.scope.contains("openid")
        guard let id = claims.session, let subject = SubjectID(text: claims.subject.utf8) else {
            throw mayAsk ? .invalidToken : .insufficientScope("openid")
        }
        try await liveness.requireLive(id, by: claims, in: project, at: clock.now, by: deadline)
        // After that its session has ended, on which apps erase theirs (WireContract 9.1).
        guard mayAsk else { throw .insufficientScope("openid") }
        do { return try await describe(subject, claims.scope, by: deadline) } catch {
            throw OAuthError(error)
        }
    }

    private func describe(_ id: SubjectID, _ scope: Scope, by deadline: Deadline)
        async throws(StoreError) -> Claims
    {
        // Its life has just been asked for, and with it this.
        let known = Loaded<Subject>(id.stream, rememberedBy: store)?.state
        let state: Subject.State
        if let known {
            state = known
        } else {
            state = try await store.load(Subject.self, id.stream, by: deadline).state
        }
        guard case .active(let profile) = state else {
            return Claims(subject: id.description, emailVerified: false)
        }
        var claims = Claims(subject: id.description, emailVerified: profile.value.emailVerified)
        if scope.tokens.contains(where: Self.profileScopes.contains) {
            claims.updatedAt = profile.value.updatedAt.seconds
        }
        if scope.tokens.contains(where: Self.emailScopes.contains),
            let key = try await sealer.existingKey(id.stream, by: deadline)
        {
            let place = SealedPlace(stream: id.stream, member: "email")
            claims.email = key.open(profile.value.email, at: place).flatMap { EmailAddress($0) }
        }
        return claims
    }
}

extension OAuthError {
    /// A token that is malformed, of another key or type, expired or revoked alone
    /// (WireContract 9.1).
    package static var invalidToken: Self {
        Self(
            .invalidToken,
            "the access token is not valid",
            refusal: "AT-001",
            challenge: .bearer(error: .invalidToken)
        )
    }

    /// Its session has ended: apps erase what they stored (WireContract 10).
    package static var sessionEnded: Self {
        Self(
            .invalidGrant,
            "the session has ended",
            refusal: "AT-002",
            status: 401,
            challenge: .bearer(error: .invalidToken)
        )
    }

    /// A token without the scope a resource needs.
    package static func insufficientScope(_ scope: String) -> Self {
        Self(
            .insufficientScope,
            "the access token lacks a scope",
            refusal: "AT-003",
            status: 403,
            challenge: .bearer(error: .insufficientScope, scope: scope),
            scope: scope
        )
    }
}
