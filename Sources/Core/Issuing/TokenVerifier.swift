package import Domain
package import OAuth

/// Verifies the tokens of a project, and asks the log before it disbelieves one by a key that this
/// node has not heard of (Security I24; decision 0052).
package struct TokenVerifier: Sendable {
    private let signer: any TokenSigner
    private let projects: any ProjectDirectory

    package init(_ signer: any TokenSigner, projects: any ProjectDirectory) {
        self.signer = signer
        self.projects = projects
    }

    /// The claims of an access token with a good signature of `project`, not expired; else nil.
    ///
    /// - Throws: when the key is unknown here and the log did not answer: it may be a good token.
    package func accessToken(
        _ token: [UInt8],
        of project: Project,
        at now: Instant,
        by deadline: Deadline
    ) async throws(StoreError) -> AccessTokenClaims? {
        if let claims = signer.verifyAccessToken(token, of: project, at: now) { return claims }
        guard let project = try await newer(project, for: token, by: deadline) else { return nil }
        return signer.verifyAccessToken(token, of: project, at: now)
    }

    /// As above, of an ID token; an expired one verifies, too (WireContract 4.1).
    package func idToken(
        _ token: [UInt8],
        of project: Project,
        by deadline: Deadline
    ) async throws(StoreError) -> IDTokenClaims? {
        if let claims = signer.verifyIDToken(token, of: project) { return claims }
        guard let project = try await newer(project, for: token, by: deadline) else { return nil }
        return signer.verifyIDToken(token, of: project)
    }

    /// `project`, with the keys of the log if `token` is signed by one that `project` has not heard
    /// of: for a hint, which is read with everything else of its request.
    package func project(_ project: Project, knowing token: [UInt8]?, by deadline: Deadline)
        async throws(OAuthError) -> Project
    {
        guard let token else { return project }
        do { return try await newer(project, for: token, by: deadline) ?? project } catch {
            throw OAuthError(error)
        }
    }

    /// The project with other keys than `project` has; nil if `project` has the key of the token,
    /// if the token names none, or if there are no others.
    private func newer(_ project: Project, for token: [UInt8], by deadline: Deadline)
        async throws(StoreError) -> Project?
    {
        guard signer.isByUnknownKey(token, of: project) else { return nil }
        let current = try await projects.withCurrentKeys(project, by: deadline)
        return current === project ? nil : current
    }
}
