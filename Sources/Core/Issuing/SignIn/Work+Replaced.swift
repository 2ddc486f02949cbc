internal import Domain
internal import OAuth

extension Work {
    /// Ends the browser-session of somebody else than `subject` that the cookie shows, in the
    /// append of the login that takes its place (decision 0160).
    ///
    /// One that has expired opens nothing any more, and its apps stay (decision 0006).
    ///
    /// - Returns: which it was, and whose; nil: there is none that has not ended.
    mutating func endReplaced(_ cookie: OpaqueToken?, by subject: SubjectID)
        async throws(CommandError<OAuthError>) -> (session: SessionID, owner: SubjectID)?
    {
        guard let cookie else { return nil }
        var former = try await loading(BrowserSession.self, cookie.stream)
        guard case .open(let session) = former.state, session.value.isLive(at: now),
            session.value.cookie == cookie.digest, session.value.subject != subject
        else { return nil }
        // Of one that is open, no end is refused.
        _ = try? decide(.end(.superseded), on: &former, of: session.value.subject)
        return (SessionID(cookie.stream), session.value.subject)
    }
}
