internal import Domain
internal import OAuth

extension SignInContext {
    /// How far a login is, as its waiting page shows it.
    ///
    /// An approval that logs nobody in any more is as one that came too late: the button would lead
    /// nowhere (decision 0200).
    func status(
        _ authorization: Authorization.State,
        _ link: StreamID,
        _ state: LoginLink.State,
        _ browser: BrowserRequest
    ) async throws(OAuthError) -> LoginStatus {
        let status = LoginStatus(authorization, state, at: commands.clock.now)
        guard status == .approved, let request = state.request else { return status }
        return try await opensStill(link, request, browser) ? status : .expired
    }

    /// Whether an approval of before still logs its user in at its client (wire.md section 9.7).
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
        let name = names.loginID(email, in: browser.project.number)
        let login = try await load(LoginID.self, name, for: browser)
        if case .free = login { return true }
        return false
    }
}
