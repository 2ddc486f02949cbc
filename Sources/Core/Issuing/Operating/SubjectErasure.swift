internal import Domain

/// Records the end of what an erased subject had: sessions that are not long past, keys, consents,
/// address.
///
/// Guards refuse all of it since `subject.erased` (Events 5).
struct SubjectErasure: Sendable {
    private let commands: CommandRunner
    private let subject: SubjectID
    private let request: CommandRequest

    init(_ commands: CommandRunner, of subject: SubjectID, request: CommandRequest) {
        self.commands = commands
        self.subject = subject
        self.request = request
    }

    /// One command each; what has ended already is left alone, so it may be repeated.
    ///
    /// - Returns: how many sessions that were live this ended.
    @discardableResult
    func endAll() async throws(StoreError) -> Int {
        let caused = try await commands.request(
            request,
            causedBy: Subject.self,
            subject.stream
        ) { if case .erased = $0 { true } else { false } }
        return try await Self(commands, of: subject, request: caused).endEach()
    }

    private func endEach() async throws(StoreError) -> Int {
        var sessionCount = 0
        var unread = UnreadableStreams()
        do throws(StoreError) {
            sessionCount = try await SessionEnding(commands: commands).endAll(
                of: subject,
                grants: .erasure,
                browserSessions: .erasure,
                request: request
            )
        } catch { try unread.note(error) }
        let store = commands.store
        try await store.eachStream(
            of: subject,
            [.biometricKey, .consent, .loginID],
            by: request.deadline
        ) { (opened: OpenedStream) async throws(StoreError) in
            guard !opened.isOver else { return true }
            do throws(StoreError) { try await end(opened) } catch { try unread.note(error) }
            return true
        }
        // What was over was passed over.
        try await commands.confirm(by: request.deadline)
        try unread.report()
        return sessionCount
    }

    private func end(_ opened: OpenedStream) async throws(StoreError) {
        switch opened.kind {
        case .biometricKey:
            try await run(BiometricKey.self, .disable(.erasure), on: opened.stream)
        case .consent:
            try await run(Consent.self, .withdraw(by: .erasure), on: opened.stream)
        case .loginID:
            try await run(LoginID.self, .release(by: subject, .erasure), on: opened.stream)
        case .subject, .loginLink, .authorization, .browserSession, .authorizationCode,
            .offlineGrant, .preAuthenticatedURL, .spent, .signingKey, .projectConfig:
            return
        }
    }

    private func run<A: Aggregate>(
        _ aggregate: A.Type,
        _ command: A.Command,
        on stream: StreamID
    ) async throws(StoreError) {
        try await commands.runUnrefused(request.ending, on: stream) {
            (work: inout Work) async throws(StoreError) in
            var loaded = try await work.load(aggregate, stream)
            work.attributes.subject = subject
            // Withdrawn, or somebody else's meanwhile: nothing is left to do.
            _ = try? work.decide(command, on: &loaded)
        }
    }
}
