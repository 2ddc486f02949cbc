internal import Domain
internal import OAuth

extension ApproveLoginLink {
    /// Ends the subject's other open links, if there is a subject, in the append that approves one
    /// (wire.md section 7.5, decisions 0160 and 0179).
    func supersedeOthers(than approved: Loaded<LoginLink>, in work: inout Work)
        async throws(CommandError<OAuthError>)
    {
        guard let subject = approved.state.request?.subject else { return }
        let others: [StreamID]
        do {
            others = try await open(
                of: subject,
                besides: approved.stream,
                at: work.now,
                by: work.deadline
            )
        } catch { throw .store(error) }
        for other in others {
            var loaded: Loaded<LoginLink>
            do throws(StoreError) { loaded = try await work.load(LoginLink.self, other) } catch {
                // One that cannot be read opens nothing, and holds up no other.
                if case .corrupt = error { continue }
                throw .store(error)
            }
            guard Self.openRequest(loaded.state, at: work.now) != nil else { continue }
            // Another client may have asked for it.
            _ = try? work.decide(.supersede(by: approved.stream), on: &loaded, of: subject)
        }
    }

    /// The open ones, newest first, as many as may end with an approval: before all others those
    /// that somebody may hold, for anybody can ask for any number that nobody is sent.
    private func open(
        of subject: SubjectID,
        besides approved: StreamID,
        at now: Instant,
        by deadline: Deadline
    ) async throws(StoreError) -> [StreamID] {
        var (held, others): ([StreamID], [StreamID]) = ([], [])
        var pages = 0
        let oldest = now.adding(seconds: -Self.otherLinksAgeMaxSeconds)
        try await context.commands.store.eachPage(
            of: subject,
            [.loginLink],
            length: Self.batchLength,
            by: deadline
        ) { (page: [OpenedStream]) async throws(StoreError) in
            let young = page.filter { $0.stream.bornAt > oldest }
            let links = young.filter { !$0.isOver && $0.stream != approved }.map(\.stream)
            let states = try await states(of: links, by: deadline)
            for link in links {
                guard let request = Self.openRequest(states[link], at: now) else { continue }
                if request.mayBeHeld { held.append(link) } else { others.append(link) }
            }
            pages += 1
            return young.count == page.count && pages < Self.otherLinkPagesMax
        }
        return Array((held + others).prefix(Self.otherLinksMax))
    }

    /// What the log says of these; without those that cannot be read.
    private func states(of links: [StreamID], by deadline: Deadline)
        async throws(StoreError) -> [StreamID: LoginLink.State]
    {
        let store = context.commands.store
        do { return try await store.states(LoginLink.self, of: links, by: deadline) } catch {
            guard case .corrupt = error else { throw error }
        }
        var states: [StreamID: LoginLink.State] = [:]
        for link in links {
            do {
                states[link] = try await store.loadCurrent(
                    LoginLink.self,
                    link,
                    by: deadline
                ).state
            } catch {
                guard case .corrupt = error else { throw error }
            }
        }
        return states
    }

    private static func openRequest(_ state: LoginLink.State?, at now: Instant)
        -> LoginLink.Request?
    {
        guard case .requested(let request) = state, now < request.expiresAt else { return nil }
        return request
    }

    /// Of an append's 64 streams the approval has some itself.
    private static let otherLinksMax = 48
    /// The longest life of a link, and a minute in which clocks may differ.
    private static let otherLinksAgeMaxSeconds: Int64 = 1800 + 60
    /// As many links as go into one query.
    private static let batchLength = 64
    /// About as many links as a project mails in an hour (security.md section 9, L6).
    private static let otherLinkPagesMax = 80
}

extension LoginLink.Request {
    /// Whether a mail with it went out, or was in the queue when it was asked for again.
    fileprivate var mayBeHeld: Bool { isMailed || generation > 1 }
}
