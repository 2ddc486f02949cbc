internal import Domain
internal import OAuth

extension ApproveLoginLink {
    /// Ends the subject's other open links, if there is a subject, in the append that approves one
    /// (WireContract 7.5, decisions 0160 and 0179); of an address that is nobody's yet the first
    /// login ends them (decision 0191).
    func supersedeOthers(than approved: Loaded<LoginLink>, in work: inout Work)
        async throws(CommandError<OAuthError>)
    {
        guard let subject = approved.state.request?.subject else { return }
        let others: [StreamID]
        do {
            others = try await young(
                of: subject,
                besides: approved.stream,
                at: work.now,
                by: work.deadline
            )
        } catch { throw .store(error) }
        var ended = 0
        for other in others where ended < Self.endedMax {
            var loaded: Loaded<LoginLink>
            do throws(StoreError) { loaded = try await work.load(LoginLink.self, other) } catch {
                // One that cannot be read opens nothing, and holds up no other.
                if case .corrupt = error { continue }
                throw .store(error)
            }
            guard Self.isOpen(loaded.state, at: work.now) else { continue }
            // Another client may have asked for it.
            _ = try? work.decide(.supersede(by: approved.stream), on: &loaded, of: subject)
            ended += 1
        }
    }

    /// Those that may be open, newest first: before all others those of which more is known than
    /// that they were asked for, for anybody can ask for any number that nobody is sent.
    private func young(
        of subject: SubjectID,
        besides approved: StreamID,
        at now: Instant,
        by deadline: Deadline
    ) async throws(StoreError) -> [StreamID] {
        var (touched, untouched): ([StreamID], [StreamID]) = ([], [])
        var pages = 0
        let oldest = now.adding(seconds: -Self.ageMaxSeconds)
        try await context.commands.store.eachPage(of: subject, [.loginLink], by: deadline) {
            (page: [OpenedStream]) throws(StoreError) in
            let young = page.filter { $0.stream.bornAt > oldest }
            for link in young where !link.isOver && link.stream != approved {
                if !link.isUntouched {
                    touched.append(link.stream)
                } else if untouched.count < Self.endedMax {
                    untouched.append(link.stream)
                }
            }
            pages += 1
            return young.count == page.count && pages < Self.pagesMax
        }
        return touched.prefix(Self.touchedMax) + untouched
    }

    private static func isOpen(_ state: LoginLink.State, at now: Instant) -> Bool {
        guard case .requested(let request) = state else { return false }
        return now < request.expiresAt
    }

    /// Of an append's 64 streams the approval has some itself.
    private static let endedMax = 48
    /// The longest life of a link, and a minute in which clocks may differ.
    private static let ageMaxSeconds: Int64 = 1800 + 60
    /// More than one address is sent in that time, those that are expired among them.
    private static let touchedMax = 128
    /// Twice as many links as a project may make in an hour (Security 9, L6): the time
    /// that is looked at may lie in two.
    private static let pagesMax = 20
}
