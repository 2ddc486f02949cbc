package import Domain
package import OAuth

/// Who may read the revocation feed: the holder of a token for this server with the scope, proven
/// as at userinfo, of a client that counts now (WireContract 9.1 and 12.1).
package struct FeedAccess: Sendable {
    /// What a token needs.
    package static let scope = BuiltInScopes.revocationsRead

    private let access: AccessProofs
    private let projects: any ProjectDirectory

    package init(access: AccessProofs, projects: any ProjectDirectory) {
        self.access = access
        self.projects = projects
    }

    /// Lets a request in, or says why not.
    ///
    /// - Throws: as `AccessProofs.claims`; `invalid_token` for no token, one for other audiences,
    ///   or one of a client that the log has as disabled, or gone since the token was made;
    ///   `insufficient_scope`; `temporarily_unavailable` when the log did not answer.
    package func admit(
        _ presented: AccessProofs.Presented?,
        in project: Project,
        by deadline: Deadline
    ) async throws(OAuthError) {
        guard let presented else { throw .noToken }
        let believed = try await access.believe(presented, in: project, by: deadline)
        do { try await admit(believed, in: project, by: deadline) } catch {
            throw presented.challenging(error)
        }
    }

    private func admit(
        _ believed: AccessProofs.Believed,
        in project: Project,
        by deadline: Deadline
    ) async throws(OAuthError) {
        let claims = believed.claims
        guard claims.audience.contains(project.issuer) else {
            throw .invalidToken("for other audiences")
        }
        // Before the log is asked: many have tokens, few of this scope.
        guard claims.scope.contains(Self.scope) else { throw .insufficientScope(Self.scope) }
        let current: Project
        do { current = try await projects.newest(project, by: deadline) } catch {
            throw OAuthError(error)
        }
        // The feed also tells what ends in a suspended project (decision 0201).
        guard current.servedClient(claims.client) != nil else {
            throw .invalidToken("client disabled")
        }
        guard current.believes(claims.key) else { throw .invalidToken("key lost") }
        guard current.honours(claims.client, since: claims.token.bornAt) else {
            throw .invalidToken("client removed since")
        }
        // Who may not read must not use up the places of those who may (decision 0148).
        try access.useUp(believed, of: ProofHolder(.client(claims.client), in: project.number))
    }
}
