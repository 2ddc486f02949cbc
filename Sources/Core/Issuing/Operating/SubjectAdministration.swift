package import Domain

/// Looks up, disables, enables and erases users (WireContract 13.3).
package struct SubjectAdministration: Sendable {
    private let commands: CommandRunner
    private let personalData: any PersonalData

    package init(commands: CommandRunner, personalData: any PersonalData) {
        self.commands = commands
        self.personalData = personalData
    }

    /// One user as an operator sees it.
    package struct Entry: Hashable, Sendable {
        package var subject: SubjectID
        package var status: Status
        package var createdAt: Instant

        package enum Status: String, Hashable, Sendable { case active, disabled }
    }

    /// The user that has an address now; none is the empty list.
    package func find(_ email: EmailAddress, in project: Project, by deadline: Deadline)
        async throws(OperationError) -> [Entry]
    {
        do {
            let stream = commands.names.loginID(email, in: project.number)
            let store = commands.store
            let claim = try await store.loadCurrent(LoginID.self, stream, by: deadline)
            guard case .claimed(let id) = claim.state else { return [] }
            let subject = try await store.loadCurrent(Subject.self, id.stream, by: deadline)
            switch subject.state {
            case .absent, .erased: return []
            case .active(let profile):
                let createdAt = profile.value.registeredAt
                return [Entry(subject: id, status: .active, createdAt: createdAt)]
            case .disabled(let profile):
                let createdAt = profile.value.registeredAt
                return [Entry(subject: id, status: .disabled, createdAt: createdAt)]
            }
        } catch { throw .store(error) }
    }

    /// How far an order is that is committed (decision 0219).
    package enum Outcome: String, Hashable, Sendable {
        /// All that it asks for is recorded.
        case done
        /// Sessions that refuse already are recorded as ended later, by any issuer.
        case waiting
        /// This program cannot read a session, and so not end it; it refuses while that is so.
        case unreadable
    }

    /// From its commit on nothing of the subject passes; then its sessions are recorded as ended,
    /// one command each (WireContract 9.7).
    ///
    /// The commit is the answer: what is left of the sessions is no error.
    @discardableResult
    package func disable(_ id: SubjectID, by order: Order)
        async throws(OperationError) -> Outcome
    {
        try await run(on: id, by: order) { _, _ in .disable(.operator) }
        do throws(OperationError) {
            return try await endSessions(of: id, by: order)
        } catch { return .waiting }
    }

    /// - Throws: where one is left that can be read.
    private func endSessions(of id: SubjectID, by order: Order)
        async throws(OperationError) -> Outcome
    {
        var unread = UnreadableStreams()
        do throws(StoreError) {
            _ = try await SessionEnding(commands: commands).endAll(
                of: id,
                (.subjectDisabled, .subjectDisabled),
                order.request,
                &unread
            )
        } catch { throw .store(error) }
        return unread.first == nil ? .done : .unreadable
    }

    /// Revives no session: what was open when the user was disabled, and is not recorded as ended
    /// because nobody came to it, is ended first.
    ///
    /// But for one that cannot be read: it refuses, and is no reason to keep its user out.
    @discardableResult
    package func enable(_ id: SubjectID, by order: Order)
        async throws(OperationError) -> Outcome
    {
        var outcome = Outcome.done
        var ended: Int32?
        var other = try await disabling(of: id, in: order.project, by: order.deadline)
        repeat {
            if other != nil {
                outcome = try await endSessions(of: id, by: order)
            }
            ended = other
            try await run(on: id, by: order) { subject, now in
                other = nil
                // Disabled meanwhile, with sessions of since.
                if case .disabled = subject.state, subject.version != ended {
                    other = subject.version
                    return nil
                }
                return .enable(at: now)
            }
        } while other != nil
        return outcome
    }

    /// The version at which a user was disabled; nil: it is not.
    private func disabling(of id: SubjectID, in project: Project, by deadline: Deadline)
        async throws(OperationError) -> Int32?
    {
        do {
            let subject = try await commands.store
                .loadCurrent(Subject.self, id.stream, by: deadline)
                .seen(from: project.number)
            if case .disabled = subject.state { return subject.version }
            return nil
        } catch { throw .store(error) }
    }

    /// Final: from its commit on nothing of the subject passes, then no personal byte of it can be
    /// read, then its sessions, consents and address are recorded as ended.
    ///
    /// After a failure it is to be repeated until it succeeds: each step may be done again.
    ///
    /// - Returns: `.done`.
    @discardableResult
    package func erase(_ id: SubjectID, by order: Order)
        async throws(OperationError) -> Outcome
    {
        try await run(on: id, by: order) { _, _ in .erase }
        do throws(StoreError) {
            // What follows reads no sealed member, so the keys go first.
            try await personalData.destroy(of: id, by: order.deadline)
            try await SubjectErasure(commands, of: id, request: order.request).endAll()
        } catch { throw .store(error) }
        return .done
    }

    /// `command`: nil to leave the user as it is.
    private func run(
        on id: SubjectID,
        by order: Order,
        _ command: (Loaded<Subject>, Instant) -> Subject.Command?
    ) async throws(OperationError) {
        var request = order.request
        request.attributes.subject = id
        do throws(CommandError<OperationError>) {
            try await commands.run(request.ending, on: id.stream) {
                (work: inout Work) async throws(CommandError<OperationError>) in
                var subject: Loaded<Subject>
                do throws(StoreError) {
                    subject = try await work.load(Subject.self, id.stream)
                } catch {
                    throw .store(error)
                }
                guard let command = command(subject, work.now) else { return }
                do throws(Subject.Rejection) {
                    try work.decide(command, on: &subject)
                } catch {
                    if case .unknown = error { throw .refused(.notFound) }
                    throw .refused(.conflict(.user(error)))
                }
            }
        } catch { throw error.operation }
    }
}
