package import Domain

/// Records what an end left to record when the process that ended it could not (decision 0078).
///
/// All of it refuses from that end's commit on (architecture.md section 8.8); what is recorded
/// here tells lists, audits and other services.
package struct FinishEndings: Sendable {
    private let log: any EndingLog
    private let commands: CommandRunner
    private let personalData: any PersonalData

    package init(
        _ log: any EndingLog,
        commands: CommandRunner,
        personalData: any PersonalData
    ) {
        self.log = log
        self.commands = commands
        self.personalData = personalData
    }

    /// What one pass did.
    package struct Outcome: Hashable, Sendable {
        /// Ends that do not come again; `RecordedEnding.pageMax`: there may be more.
        package var endingCount = 0
        /// Sessions that refused already and are recorded as ended now.
        package var sessionCount = 0
        /// Ends that could not be followed because a stream cannot be read; they do not come again.
        package var unreadable: [StreamID] = []
        /// Ends that could not be followed now, and come again.
        package var waiting: [Waiting] = []

        /// An end that comes again.
        package struct Waiting: Hashable, Sendable {
            package var stream: StreamID
            package var error: StoreError
        }
    }

    /// Goes through the ends that are due on no other node.
    ///
    /// `endsBy`: when they must be done, so that time is left to note how far they are.
    ///
    /// - Throws: when the log did not answer; the rest comes with the next pass.
    package func run(by deadline: Deadline, endsBy: Deadline? = nil)
        async throws(StoreError) -> Outcome
    {
        var outcome = Outcome()
        outcome.endingCount = try await log.eachDue(by: deadline) {
            (ending: RecordedEnding) async -> Bool in
            do throws(StoreError) {
                outcome.sessionCount += try await finish(ending, by: endsBy ?? deadline)
                return true
            } catch {
                if case .corrupt = error {
                    outcome.unreadable.append(ending.stream)
                    return true
                }
                outcome.waiting.append(Outcome.Waiting(stream: ending.stream, error: error))
                return false
            }
        }
        return outcome
    }

    private func finish(_ ending: RecordedEnding, by deadline: Deadline)
        async throws(StoreError) -> Int
    {
        // A project that is not served has nothing that is not refused.
        guard let project = commands.projects.all.first(where: { $0.number == ending.project })
        else { return 0 }
        let request = CommandRequest(
            project: project,
            attributes: EventAttributes(actor: .system),
            deadline: deadline
        )
        let sessions = SessionEnding(commands: commands)
        switch ending.kind {
        case .offlineGrant:
            return try await sessions.cascade(from: SessionID(ending.stream), request: request)
        case .browserSession:
            return try await sessions.finishBrowser(SessionID(ending.stream), request: request)
        case .subject:
            return try await finish(SubjectID(ending.stream), request)
        case .loginID, .loginLink, .authorization, .authorizationCode, .biometricKey, .consent,
            .preAuthenticatedURL, .spent, .signingKey, .projectConfig:
            return 0
        }
    }

    private func finish(_ id: SubjectID, _ request: CommandRequest)
        async throws(StoreError) -> Int
    {
        let subject = try await commands.store.loadCurrent(
            Subject.self,
            id.stream,
            by: request.deadline
        )
        switch subject.state {
        // Enabled again: that began by ending all that was open (`SubjectAdministration.enable`).
        case .absent, .active: return 0
        case .disabled:
            return try await SessionEnding(commands: commands).endAll(
                of: id,
                grants: .subjectDisabled,
                browserSessions: .subjectDisabled,
                request: request
            )
        case .erased:
            try await personalData.destroy(of: id, by: request.deadline)
            return try await SubjectErasure(commands, of: id, request: request).endAll()
        }
    }
}
