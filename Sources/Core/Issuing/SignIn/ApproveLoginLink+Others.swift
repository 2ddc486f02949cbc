internal import Domain
internal import OAuth

extension ApproveLoginLink {
    /// Ends the subject's other links that were open when this one was approved (wire.md section
    /// 7.5), if there is a subject; the approval stands whatever becomes of this.
    func supersedeOthers(
        of subject: SubjectID?,
        than link: StreamID,
        _ browser: BrowserRequest
    ) async {
        guard let subject, let approval = try? await approval(of: link, by: browser.deadline),
            let others = try? await context.commands.store.streams(
                of: subject,
                kinds: [.loginLink],
                limit: Self.otherLinksMax,
                by: browser.deadline
            )
        else { return }
        var command = browser.command()
        command.attributes.subject = subject
        command.attributes.cause = Cause(stream: link, version: approval.version)
        for other in others where other != link {
            try? await context.run(command, of: browser, on: other) {
                (work: inout Work) async throws(CommandError<OAuthError>) in
                var loaded = try await work.loading(LoginLink.self, other)
                // An approval that comes again late ends none that was asked for since.
                guard case .requested(let request) = loaded.state, work.now < request.expiresAt,
                    request.requestedAt <= approval.occurredAt
                else { return }
                _ = try? work.decide(.supersede(by: link), on: &loaded)
            }
        }
    }

    /// The event of a link's approval.
    private func approval(of link: StreamID, by deadline: Deadline)
        async throws(StoreError) -> RecordedEvent?
    {
        var approval: RecordedEvent?
        try await context.commands.store.eachEvent(of: link, by: deadline) { event in
            guard case .loginLink(.approved) = event.body else { return true }
            approval = event
            return false
        }
        return approval
    }
}
