internal import Domain
internal import OAuth

extension ApproveLoginLink {
    /// Ends the subject's other open links, if there is a subject, in the append that approves one
    /// (wire.md section 7.5, decision 0160).
    func supersedeOthers(than approved: Loaded<LoginLink>, in work: inout Work)
        async throws(CommandError<OAuthError>)
    {
        guard let subject = approved.state.request?.subject else { return }
        for other in try await open(of: subject, by: work.deadline) where other != approved.stream {
            var loaded: Loaded<LoginLink>
            do throws(StoreError) { loaded = try await work.load(LoginLink.self, other) } catch {
                // One that cannot be read opens nothing, and holds up no other.
                if case .corrupt = error { continue }
                throw .store(error)
            }
            guard Self.isOpen(loaded.state, at: work.now) else { continue }
            // Another client may have asked for it.
            _ = try? work.decide(.supersede(by: approved.stream), on: &loaded, of: subject)
        }
    }

    /// Those of the newest that are open, or of which nothing is known: most are over, and asked
    /// for at once.
    private func open(of subject: SubjectID, by deadline: Deadline)
        async throws(CommandError<OAuthError>) -> [StreamID]
    {
        let store = context.commands.store
        let now = context.commands.clock.now
        do {
            let links = try await store.streams(
                of: subject,
                kinds: [.loginLink],
                limit: Self.otherLinksMax,
                by: deadline
            )
            // Of one that cannot be read the others know nothing: each is looked at.
            guard let known = try? await store.states(LoginLink.self, of: links, by: deadline)
            else { return links }
            return links.filter { Self.isOpen(known[$0], at: now) }
        } catch { throw .store(error) }
    }

    private static func isOpen(_ state: LoginLink.State?, at now: Instant) -> Bool {
        guard case .requested(let request) = state else { return false }
        return now < request.expiresAt
    }
}
