internal import Domain
internal import OAuth

extension ApproveLoginLink {
    /// Ends the subject's other open links once one is approved (wire.md section 7.5), if there is
    /// a subject; the approval stands whatever becomes of this.
    ///
    /// `isRepeated`: of an approval that was before; it ends none that was asked for since.
    func supersedeOthers(
        of subject: SubjectID?,
        than link: StreamID,
        isRepeated: Bool = false,
        _ browser: BrowserRequest
    ) async {
        let store = context.commands.store
        guard let subject, let approval = try? await approval(of: link, by: browser.deadline),
            let others = try? await store.streams(
                of: subject,
                kinds: [.loginLink],
                limit: Self.otherLinksMax,
                by: browser.deadline
            )
        else { return }
        let now = context.commands.clock.now
        func isOpen(_ state: LoginLink.State?) -> Bool {
            guard case .requested(let request) = state, now < request.expiresAt else {
                return false
            }
            return !isRepeated || request.requestedAt <= approval.occurredAt
        }
        // Most are over. Of one that cannot be read the others know nothing: each is looked at.
        let known = try? await store.states(LoginLink.self, of: others, by: browser.deadline)
        var command = browser.command()
        command.attributes.subject = subject
        command.attributes.cause = Cause(stream: link, version: approval.version)
        for other in others where other != link && (known.map { isOpen($0[other]) } ?? true) {
            try? await context.run(command, of: browser, on: other) {
                (work: inout Work) async throws(CommandError<OAuthError>) in
                var loaded = try await work.loading(LoginLink.self, other)
                guard isOpen(loaded.state) else { return }
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
