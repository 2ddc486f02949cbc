internal import Domain
package import OAuth

/// The user gives up: back to the client with `access_denied` (`POST /login/cancel`).
package struct CancelLogin: Sendable {
    private let context: SignInContext

    package init(_ context: SignInContext) { self.context = context }

    package func cancel(_ posted: SignInContext.Posted, _ browser: BrowserRequest)
        async throws(OAuthError) -> SignInAnswer
    {
        try await context.pressing(.giveUp(.cancel), posted, browser) {
            () async throws(OAuthError) in
            let started = try await context.open(posted, for: .cancel, of: browser)
            return try await refuse(posted.request, started, browser)
        }
    }

    /// Ends an open request, also from the consent page.
    func refuse(
        _ id: StreamID,
        _ started: Authorization.Started,
        _ browser: BrowserRequest
    ) async throws(OAuthError) -> SignInAnswer {
        let command = browser.command(client: started.request.client)
        let response = try await context.run(command, of: browser, on: id) {
            (work: inout Work) async throws(CommandError<OAuthError>) in
            var (authorization, current) = try await work.loadOpen(id, of: browser)
            if let link = current.loginLink {
                // The mail in flight approves nothing any more; nobody has refused it.
                var loaded = try await work.loading(LoginLink.self, link)
                _ = try? work.decide(.supersede(by: link), on: &loaded)
            }
            return try work.fail(&authorization, .accessDenied, .userRefused)
        }
        return SignInAnswer(.respond(response))
    }
}
