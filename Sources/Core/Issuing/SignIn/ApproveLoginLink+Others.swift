internal import Domain
internal import OAuth

extension ApproveLoginLink {
    /// Ends the subject's other open links once one is approved (wire.md section 7.5).
    func supersedeOthers(
        of subject: SubjectID,
        than link: StreamID,
        _ browser: BrowserRequest
    ) async throws(OAuthError) {
        let store = context.commands.store
        var command = browser.command()
        command.attributes.subject = subject
        let caused: CommandRequest
        let others: [StreamID]
        do {
            caused = try await context.commands.request(command, causedBy: LoginLink.self, link) {
                if case .approved = $0 { true } else { false }
            }
            others = try await store.streams(
                of: subject,
                kinds: [.loginLink],
                limit: Self.otherLinksMax,
                by: browser.deadline
            )
        } catch { throw OAuthError(error) }
        for other in others where other != link {
            try await context.run(caused, of: browser, on: other) {
                (work: inout Work) async throws(CommandError<OAuthError>) in
                var loaded = try await work.loading(LoginLink.self, other)
                guard case .requested(let request) = loaded.state, work.now < request.expiresAt
                else { return }
                _ = try? work.decide(.supersede(by: link), on: &loaded)
            }
        }
    }
}
