internal import Domain
internal import OAuth

/// A login that counts for a request, and what it is taken from (WireContract 4.3).
enum CountingLogin {
    case browser(LiveSession)
    /// A session of an app, which vouched for its user to this browser.
    case app(Continuation, SubjectID, Authentication)

    var login: Authorization.Login {
        switch self {
        case .browser(let live): live.login
        case .app(let continuation, let subject, let authentication):
            Authorization.Login(
                subject: subject,
                browserSession: nil,
                continuation: continuation,
                via: .appSession,
                authentication: authentication
            )
        }
    }
}

extension Work {
    /// The browser-session of this browser, else the app's session it was let in by; guards it
    /// with all it rests on.
    mutating func countingLogin(for request: AuthorizationRequest, of browser: BrowserRequest)
        async throws(CommandError<OAuthError>) -> CountingLogin?
    {
        // Who wants a login apart from all others shares no app's session either. To renew a
        // session its own user logs in, whoever is in this browser (decision 0106).
        guard request.sso, request.renews == nil, !request.prompt.contains(.login) else {
            return nil
        }
        let live = try await liveSession(browser.session)
        if let live, accepts(live.session.subject, live.session.authentication, for: request) {
            return .browser(live)
        }
        guard let view = browser.appSession(.url),
            // Whoever opens a mailed URL has its cookie: beyond the client that the app chose
            // nothing goes on before the user has been asked once.
            !request.prompt.contains(.none) || view.isConfirmed || view.client == request.client,
            // Apps log in for themselves: with keys of their own, and not into a browser's view.
            let client = project.enabledClient(request.client)?.value,
            client.applicationType != .native,
            let session = try await liveSession(view),
            // An account that the user chose in this browser is never passed over for the app's.
            live == nil || live?.session.subject == session.opening.subject,
            session.known(request.client)?.via != .opening,
            accepts(session.opening.subject, session.authentication, for: request),
            // What the URL was not made for it cannot give: the user logs in.
            request.scope.isSubset(of: view.scope),
            request.scope.isSubset(of: session.opening.scope)
        else { return nil }
        return .app(
            Continuation(session: view.session, host: view.client, since: view.issuedAt),
            session.opening.subject,
            session.authentication
        )
    }

    /// Whether a login that another request asked for is as good as this one's own would be.
    private func accepts(
        _ subject: SubjectID,
        _ login: Authentication,
        for request: AuthorizationRequest
    ) -> Bool {
        request.accepts(subject, login, at: now) && project.accepts(login, at: request.client)
    }

    /// The session of an app that a browser's cookie is a view of, while it lives and its clients
    /// are in it; guards it with all it rests on.
    mutating func liveSession(_ view: AppSession)
        async throws(CommandError<OAuthError>) -> OfflineGrant.Session?
    {
        guard now < view.expiresAt, project.enabledClient(view.client) != nil else { return nil }
        let grant = try await loading(OfflineGrant.self, view.session.stream)
        guard let session = grant.state.openSession, session.isLive(at: now),
            let known = session.known(view.client), view.issuedAt >= known.since,
            project.enabledClient(session.opening.client, in: session) != nil
        else { return nil }
        do {
            try await requireAlive(
                session,
                of: view.client,
                refused: .loginRequired("the app's session ended")
            )
        } catch {
            guard case .refused = error else { throw error }
            return nil
        }
        require(grant)
        return session
    }

    /// Refuses a browser that is somebody else's (WireContract 4.4, step d).
    mutating func requireNobody(but subject: SubjectID, in browser: BrowserRequest)
        async throws(CommandError<OAuthError>)
    {
        if let live = try await liveSession(browser.session), live.session.subject != subject {
            throw .refused(.foreignBrowser("somebody else is signed in here"))
        }
        for view in browser.appSessions {
            guard let live = try await liveSession(view), live.opening.subject != subject else {
                continue
            }
            throw .refused(.foreignBrowser("an app of somebody else has opened this browser"))
        }
    }

    /// As `see(_:)` above, for a login of either kind.
    mutating func see(_ login: CountingLogin?) {
        guard case .browser(let session) = login else { return }
        var live: LiveSession? = session
        see(&live)
    }
}

extension AuthorizationRequest {
    /// Whether a login of this subject, at that time, is fresh and right enough.
    func accepts(_ subject: SubjectID, _ authentication: Authentication, at now: Instant) -> Bool {
        guard !prompt.contains(.login) else { return false }
        if let maxAge, now >= authentication.at.adding(seconds: maxAge) { return false }
        return expectedSubject == nil || expectedSubject == subject
    }
}
