internal import Domain
internal import OAuth

extension SignInContext {
    /// How far a login is, as its waiting page shows it.
    ///
    /// An approval that logs nobody in any more is as one that came too late: the button would lead
    /// nowhere. So is a link that this browser has replaced at another of its pages; of one that a
    /// login elsewhere has ended it is told nothing (decision 0200).
    func status(
        _ authorization: Authorization.State,
        _ link: StreamID,
        _ state: LoginLink.State,
        _ browser: BrowserRequest
    ) async throws(OAuthError) -> LoginStatus {
        let now = commands.clock.now
        let status = LoginStatus(authorization, state, at: now)
        guard let request = state.request else { return status }
        switch status {
        case .pending:
            return try await isReplaced(link, of: request.authorization, by: browser)
                ? .expired : status
        case .approved:
            if try await opensStill(link, request, browser) { return status }
            // Or it has just logged in who that is, and registered them.
            let newest = try await load(Authorization.self, request.authorization, for: browser)
            let later = LoginStatus(newest, state, at: now)
            return later == .approved ? .expired : later
        case .denied, .expired, .canceled, .completed: return status
        }
    }

    /// Whether this browser has asked for a mail at another of its requests since: by its cookies
    /// and by those requests, never by what has become of the link.
    func isReplaced(
        _ link: StreamID,
        of id: StreamID,
        by browser: BrowserRequest
    ) async throws(OAuthError) -> Bool {
        do throws(StoreError) {
            let others = try await otherRequests(of: browser, than: id, by: browser.deadline)
            return others.compactMap(\.loginLink).contains { link.bornAt < $0.bornAt }
        } catch { throw OAuthError(error) }
    }

    /// What the log says of the requests that the browser's cookies name, each the newest with its
    /// secret that asked for a mail; asked at once: those links were asked for at other nodes
    /// perhaps.
    func otherRequests(of browser: BrowserRequest, than id: StreamID, by deadline: Deadline)
        async throws(StoreError) -> [Authorization.Started]
    {
        let others = browser.transactions.filter { $0.stream != id }
        let states = try await commands.store.states(
            Authorization.self,
            of: others.map(\.stream),
            by: deadline
        )
        return others.compactMap { other in
            guard let started = states[other.stream]?.started, started.browser == other.digest
            else { return nil }
            return started
        }
    }

    /// Whether this browser waits for a mail that it has asked for itself: then the one whose link
    /// is opened in it, and which another has asked for, is not that one (decision 0241).
    func awaitsMail(_ browser: BrowserRequest) async throws(OAuthError) -> Bool {
        guard !browser.transactions.isEmpty else { return false }
        let now = commands.clock.now
        let store = commands.store
        do throws(StoreError) {
            let requests = try await store.states(
                Authorization.self,
                of: browser.transactions.map(\.stream),
                by: browser.deadline
            )
            let links = browser.transactions.compactMap { own -> StreamID? in
                guard case .started(let started)? = requests[own.stream],
                    started.browser == own.digest, now < started.request.expiresAt
                else { return nil }
                return started.loginLink
            }
            let states = try await store.states(LoginLink.self, of: links, by: browser.deadline)
            return states.values.contains { $0.awaited.map { now < $0.expiresAt } ?? false }
        } catch { throw OAuthError(error) }
    }

    /// Whether an approval of before still logs its user in at its client (WireContract 9.7).
    ///
    /// `isConsumed`: it has done so already, and may itself have registered whose address it is.
    /// Nothing is appended that would compare what this node has heard of the client.
    func opensStill(
        _ link: StreamID,
        _ request: LoginLink.Request,
        isConsumed: Bool = false,
        _ browser: BrowserRequest
    ) async throws(OAuthError) -> Bool {
        let current = try await currentProject(of: browser)
        guard !current.isSuspended else { throw .suspendedProject }
        guard current.enabledClient(request.client) != nil else { return false }
        guard let subject = request.subject else {
            if isConsumed { return true }
            guard current.settings.signup == .open else { return false }
            return try await isUnclaimed(link, request, browser)
        }
        let owner = try await load(Subject.self, subject.stream, for: browser)
        return owner.honours(linkRequestedAt: request.requestedAt)
    }

    /// Whether a link's address is nobody's still, as it was when the link was asked for.
    private func isUnclaimed(
        _ link: StreamID,
        _ request: LoginLink.Request,
        _ browser: BrowserRequest
    ) async throws(OAuthError) -> Bool {
        guard let email = try await email(of: link, request, by: browser.deadline) else {
            return false
        }
        let name = commands.names.loginID(email, in: browser.project.number)
        let login = try await load(LoginID.self, name, for: browser)
        if case .free = login { return true }
        return false
    }
}
