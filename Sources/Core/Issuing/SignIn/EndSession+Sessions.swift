internal import Domain
internal import OAuth

// The sessions that a logout asks about.
extension EndSession {
    /// How the client of the hint came into its session; nil when that, or its part, is over.
    func admission(by hint: IDTokenClaims, _ browser: BrowserRequest)
        async throws(OAuthError) -> OfflineGrant.ClientVia?
    {
        let stream = hint.session.stream
        let state = try await context.load(OfflineGrant.self, stream, for: browser)
        guard let session = state.openSession, session.opening.subject == hint.subject,
            session.isLive(at: context.commands.clock.now)
        else { return nil }
        return session.known(hint.audience)?.via
    }

    /// What apps let this browser in by, of whichever kind: the first that is live, and whose all
    /// are; nil when none of it is.
    func liveViews(of browser: BrowserRequest)
        async throws(OAuthError) -> (first: SessionID, clients: [ClientID])?
    {
        let now = context.commands.clock.now
        var first: SessionID?
        var clients: [ClientID] = []
        for view in browser.appSessions where now < view.expiresAt {
            let stream = view.session.stream
            let state = try await context.load(OfflineGrant.self, stream, for: browser)
            guard let session = state.openSession, session.isLive(at: now) else { continue }
            first = first ?? view.session
            if !clients.contains(view.client) { clients.append(view.client) }
        }
        return first.map { (first: $0, clients: clients) }
    }

    /// Whether the hint names this browser-session, or a session that came from it.
    func names(_ id: SessionID, _ hint: IDTokenClaims, _ browser: BrowserRequest)
        async throws(OAuthError) -> Bool
    {
        if hint.session == id { return true }
        let stream = hint.session.stream
        let state = try await context.load(OfflineGrant.self, stream, for: browser)
        return state.session?.opening.browserSession == id
    }
}
