internal import Domain
internal import OAuth

extension ApproveLoginLink {
    /// The link that a token is of, while it may be approved or is, by whoever holds it.
    func find(_ presented: Presented, _ browser: BrowserRequest)
        async throws(Refusal) -> (OpaqueToken, LoginLink.Request, isApproved: Bool)
    {
        guard
            let token = OpaqueToken(
                .loginLink,
                reading: presented.token,
                digester: context.digester
            )
        else { throw .dead("malformed") }
        var state = try await self.state(of: token.stream, browser)
        guard let request = state.request,
            tokens.isValid(token, generation: request.generation)
        else { throw .dead("unknown or superseded by a newer mail") }
        let named = presented.client.flatMap { ClientID($0) } ?? request.client
        guard !browser.project.mayLack(request.client), !browser.project.mayLack(named) else {
            throw .failed(OAuthError(StoreError.unavailable))
        }
        // It may be approved yet when the project goes on.
        guard !browser.project.isSuspended else { throw .failed(.suspendedProject) }
        guard let client = browser.project.enabledClient(request.client)?.value,
            presented.client.map({ Self.opens($0, client, in: browser.project) }) ?? true
        else { throw .dead("other client") }
        guard context.commands.clock.now < request.expiresAt else { throw .dead("expired") }
        if case .requested = state {
            if try await isAwaited(request, browser) { return (token, request, false) }
            // Its own login may have come between, by the same press that came twice at once.
            state = try await self.state(of: token.stream, browser)
        }
        switch state {
        case .requested: throw .dead("its sign-in is over")
        case .approved, .consumed:
            let opens: Bool
            do {
                opens = try await context.opensStill(
                    token.stream,
                    request,
                    isConsumed: state.isConsumed,
                    browser
                )
            } catch { throw .failed(error) }
            guard opens else { throw .dead("stopped since") }
            return (token, request, true)
        case .denied(_, let why): throw .denied(token.stream, why)
        case .absent, .superseded: throw .dead("ended")
        }
    }

    private func state(of link: StreamID, _ browser: BrowserRequest)
        async throws(Refusal) -> LoginLink.State
    {
        do { return try await context.load(LoginLink.self, link, for: browser) } catch {
            throw .failed(error)
        }
    }

    /// Whether the sign-in still waits for somebody to log in: where nothing would go on, nobody is
    /// told that it does.
    private func isAwaited(_ request: LoginLink.Request, _ browser: BrowserRequest)
        async throws(Refusal) -> Bool
    {
        let login: Authorization.State
        do {
            login = try await context.load(Authorization.self, request.authorization, for: browser)
        } catch { throw .failed(error) }
        guard case .started(let started) = login else { return false }
        return context.commands.clock.now < started.request.expiresAt
    }

    /// Whether a path of the client `name`, while it is enabled, carries links of `client`.
    private static func opens(
        _ name: [UInt8],
        _ client: ClientSettings,
        in project: Project
    ) -> Bool {
        name.elementsEqual(client.id.text.utf8)
            || name.elementsEqual(client.loginLinkApp.text.utf8)
                && project.enabledClient(client.loginLinkApp) != nil
    }
}
