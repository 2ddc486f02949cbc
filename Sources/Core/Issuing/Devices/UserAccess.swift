package import Domain
package import OAuth

/// Who calls a route for a user's own things: the holder of a live token with full access
/// (WireContract 9.1 and 9.5).
package struct UserAccess: Sendable {
    /// What a token needs for such routes.
    package static let scope = BuiltInScopes.fullAccess

    private let access: AccessProofs
    private let liveness: Liveness
    private let clock: any WallClock

    package init(access: AccessProofs, liveness: Liveness, clock: any WallClock) {
        self.access = access
        self.liveness = liveness
        self.clock = clock
    }

    /// The user, and the session that asks for them.
    package struct Caller: Hashable, Sendable {
        package var subject: SubjectID
        package var session: SessionID
        package var client: ClientID
    }

    /// A nonce for the caller's next proof; nil when the project asks for none.
    package func nonce(in project: Project) -> String? { access.nonce(in: project) }

    /// The caller of a request.
    ///
    /// - Throws: `Unauthenticated` for no or a bad token, `InvalidGrant` when its session has
    ///   ended (apps erase theirs), `AccessDenied` without full access; each with the challenge
    ///   of WireContract 9.1; `AccessDenied` without one in a suspended project.
    package func caller(
        with presented: AccessProofs.Presented?,
        in project: Project,
        by deadline: Deadline
    ) async throws(EnvelopeError) -> Caller {
        guard let presented else { throw EnvelopeError(tokenError: .noToken) }
        let claims: AccessTokenClaims
        do { claims = try await access.claims(of: presented, in: project, by: deadline) } catch {
            throw EnvelopeError(tokenError: error)
        }
        do { return try await holder(of: claims, in: project, by: deadline) } catch {
            throw EnvelopeError(tokenError: presented.challenging(error))
        }
    }

    private func holder(
        of claims: AccessTokenClaims,
        in project: Project,
        by deadline: Deadline
    ) async throws(OAuthError) -> Caller {
        guard claims.audience.contains(project.issuer) else {
            throw .invalidToken("not for a user's things")
        }
        guard let session = claims.session, let subject = SubjectID(text: claims.subject.utf8)
        else {
            // A service's own: good, and without a user it can have no such scope.
            throw liveness.honours(claims, in: project)
                ? .insufficientScope(Self.scope) : .invalidToken("of a disabled client")
        }
        try await liveness.requireLive(
            session,
            by: claims,
            in: project,
            at: clock.now,
            by: deadline
        )
        guard claims.scope.contains(Self.scope) else { throw .insufficientScope(Self.scope) }
        return Caller(subject: subject, session: session, client: claims.client)
    }
}

extension OAuthError {
    /// No token at all (RFC 6750 section 3.1).
    package static var noToken: Self {
        Self(.invalidToken, "an access token is required", challenge: .bearer(error: nil))
    }

    /// As `invalidToken`; the log hears why.
    static func invalidToken(_ cause: String) -> Self {
        var error = Self.invalidToken
        error.cause = cause
        return error
    }
}

extension EnvelopeError {
    /// The refusal of an access token where answers have form B.
    fileprivate init(tokenError error: OAuthError) {
        let reason: Reason =
            switch error.code {
            case .invalidGrant: .invalidGrant
            // Of clients only a suspended project says that here.
            case .insufficientScope, .unauthorizedClient: .accessDenied
            case .rateLimited: .rateLimited
            case .temporarilyUnavailable: .serviceUnavailable
            default: .unauthenticated
            }
        self.init(reason, like: error)
    }
}
