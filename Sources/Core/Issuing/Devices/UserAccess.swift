package import Domain
package import OAuth

/// Who calls a route for a user's own things: the holder of a live token with full access
/// (wire.md sections 9.1 and 9.5).
package struct UserAccess: Sendable {
    /// What a token needs for such routes.
    package static let scope = "https://authgear.com/scopes/full-access"

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

    /// The caller of a request.
    ///
    /// - Throws: `Unauthenticated` for no or a bad token, `InvalidGrant` when its session has
    ///   ended (apps erase theirs), `AccessDenied` without full access.
    package func caller(
        with presented: AccessProofs.Presented?,
        in project: Project,
        by deadline: Deadline
    ) async throws(EnvelopeError) -> Caller {
        guard let presented else { throw .unauthenticated("no access token") }
        let claims: AccessTokenClaims
        do { claims = try access.claims(of: presented, in: project) } catch {
            throw .unauthenticated(error.cause)
        }
        guard claims.audience.contains(project.issuer), let session = claims.session,
            let subject = SubjectID(text: claims.subject.utf8)
        else { throw .unauthenticated("not for a user's things") }
        let live: OfflineGrant.Session?
        do {
            live = try await liveness.session(
                session,
                for: claims.client,
                in: project,
                at: clock.now,
                by: deadline
            )
        } catch { throw EnvelopeError(.serviceUnavailable, "try again", cause: "\(error)") }
        guard let live else {
            guard liveness.isEnabled(claims.client, in: project) else {
                throw .unauthenticated("client disabled")
            }
            throw EnvelopeError(.invalidGrant, "the session has ended")
        }
        guard live.accepts(claims.token, of: claims.client) else {
            throw .unauthenticated("revoked alone")
        }
        guard claims.scope.contains(Self.scope) else {
            throw EnvelopeError(.accessDenied, "the access token lacks a scope")
        }
        return Caller(subject: subject, session: session, client: claims.client)
    }
}

extension EnvelopeError {
    fileprivate static func unauthenticated(_ cause: String) -> Self {
        Self(.unauthenticated, "an access token is required", cause: cause)
    }
}
