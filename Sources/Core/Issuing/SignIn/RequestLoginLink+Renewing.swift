internal import Domain
internal import OAuth

extension RequestLoginLink {
    /// At a reauthentication the address is the hint's subject's, whatever the form says
    /// (WireContract 4.5); nil for what is none.
    func email(
        _ started: Authorization.Started,
        _ address: [UInt8]?,
        _ browser: BrowserRequest
    ) async throws(OAuthError) -> EmailAddress? {
        guard started.request.renews != nil, let subject = started.request.expectedSubject else {
            return address.flatMap { EmailAddress($0) }
        }
        return try await context.email(of: subject, for: browser)
    }

    /// The user of a reauthentication was disabled or erased since it began: no form can mend that,
    /// so the client hears `login_required`, as at its beginning.
    func endRenewal(
        _ id: StreamID,
        _ started: Authorization.Started,
        _ browser: BrowserRequest
    ) async throws(OAuthError) -> SignInAnswer {
        let command = browser.command(client: started.request.client)
        let response = try await context.run(command, of: browser, on: id) {
            (work: inout Work) async throws(CommandError<OAuthError>) in
            var (authorization, _) = try await work.loadOpen(id, of: browser)
            let error = OAuthError.loginRequired("the user of the hint cannot log in")
            return try work.fail(&authorization, .loginRequired, error)
        }
        return SignInAnswer(.respond(response))
    }
}
