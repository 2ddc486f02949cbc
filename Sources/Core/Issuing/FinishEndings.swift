package import Domain

/// Records what an end left to record when the process that ended it could not (decision 0078).
///
/// All of it refuses from that end's commit on (Architecture 8.8); what is recorded
/// here tells lists, audits and other services.
package struct FinishEndings: Sendable {
    /// How long each end of a page may take before any of them may take longer.
    private static let turnMilliseconds = 1_000

    private let log: any EndingLog
    private let commands: CommandRunner
    private let personalData: any PersonalData
    private let pause: any Pause

    package init(
        _ log: any EndingLog,
        commands: CommandRunner,
        personalData: any PersonalData,
        pause: any Pause
    ) {
        self.log = log
        self.commands = commands
        self.personalData = personalData
        self.pause = pause
    }

    /// What one pass did.
    package struct Outcome: Hashable, Sendable {
        /// Ends that do not come again; `RecordedEnding.pageMax`: there may be more.
        package var endingCount = 0
        /// Sessions that refused already and are recorded as ended now.
        package var sessionCount = 0
        /// Users whose erasure is complete and does not come again: nothing of theirs can be read,
        /// and all they had is recorded as ended.
        package var erased: [StreamID] = []
        /// Streams that cannot be read: of an end, or of something that ends with one.
        ///
        /// All else that ends with it is recorded, so the end need not come again.
        package var unreadable: [StreamID] = []
        /// Ends that could not be followed now, and come again.
        package var waiting: [Waiting] = []
        /// For each app's session whose end comes again: the version of its stream up to which
        /// everything is done, where the next pass goes on.
        package var reached: [StreamID: Int32] = [:]
        /// Why the log did not answer, if it did not; the rest comes with the next pass.
        package var failure: StoreError?

        /// An end that comes again.
        package struct Waiting: Hashable, Sendable {
            package var stream: StreamID
            package var error: StoreError
        }
    }

    /// Goes through the ends that are due on no other node.
    ///
    /// `endsBy`: when they must be done, so that time is left to note how far they are. `reached`:
    /// how far the pass before came, so that an end which needs more than one pass goes on there.
    /// `isCurrent`: whether all that the pass did is still recorded; otherwise its ends come again.
    package func run(
        by deadline: Deadline,
        endsBy: Deadline? = nil,
        after reached: [StreamID: Int32] = [:],
        isCurrent: @Sendable () -> Bool = { true }
    ) async -> Outcome {
        var outcome = Outcome(reached: reached)
        do throws(StoreError) {
            outcome.endingCount = try await log.nextDue(by: deadline) { page in
                let count = await follow(page, by: endsBy ?? deadline, &outcome)
                // Another server may lack what the one before was told.
                guard isCurrent() else {
                    outcome.erased = []
                    return 0
                }
                // One behind an end that waits is followed again, and named when it is passed.
                let passed = page.prefix(count).filter(\.isErasure).map(\.stream)
                outcome.erased = outcome.erased.filter { passed.contains($0) }
                return count
            }
        } catch {
            outcome.failure = error
            // All of them come again. After an unknown outcome they may not: better reported twice
            // than never.
            if error != .outcomeUnknown { outcome.erased = [] }
        }
        return outcome
    }

    /// What the ends of a page have in common, read once.
    private struct Known {
        /// The states of the apps' sessions among them: they have ended, so they stay.
        let grants: [StreamID: OfflineGrant.State]
        /// With settings no older than the page: what is passed over is not looked at again.
        var projects: [ProjectNumber: Project] = [:]
    }

    private var now: Deadline { pause.deadline(inMilliseconds: 0) }

    /// Gives each end its turn, then what is left of the time to those whose turn was too short.
    ///
    /// - Returns: how many of the first are done; one that had no turn is not, and has no error.
    private func follow(_ page: [RecordedEnding], by end: Deadline, _ outcome: inout Outcome)
        async -> Int
    {
        var known = Known(grants: await states(of: page, by: end))
        var errors: [Int: StoreError] = [:]
        var slow: [Int] = []
        // Kept for the slow: were all of them slow, none would ever be done.
        let half = now.halfway(to: end)
        var begun = 0
        for index in page.indices {
            guard now < (slow.isEmpty ? end : half) else { break }
            begun += 1
            let turn = min(end, pause.deadline(inMilliseconds: Self.turnMilliseconds))
            errors[index] = await follow(page[index], &known, by: turn, &outcome)
            if errors[index] != nil, now >= turn { slow.append(index) }
        }
        for (place, index) in slow.enumerated() where now < end {
            // Nor may the first of them take all from the others.
            let share = place == slow.count - 1 ? end : now.halfway(to: end)
            errors[index] = await follow(page[index], &known, by: share, &outcome)
        }
        outcome.waiting = page.indices.compactMap { index in
            errors[index].map { Outcome.Waiting(stream: page[index].stream, error: $0) }
        }
        let undone = page.indices.filter { errors[$0] != nil || $0 >= begun }
        let again = Set(undone.map { page[$0].stream })
        outcome.reached = outcome.reached.filter { again.contains($0.key) }
        return errors.keys.min() ?? begun
    }

    /// The states of the apps' sessions among them, read at once.
    ///
    /// If one cannot be read, or all take longer than a turn, each is read when its turn comes.
    private func states(of page: [RecordedEnding], by end: Deadline)
        async -> [StreamID: OfflineGrant.State]
    {
        let streams = page.filter { $0.kind == .offlineGrant }.map(\.stream)
        let turn = min(end, pause.deadline(inMilliseconds: Self.turnMilliseconds))
        let states = try? await commands.store.states(OfflineGrant.self, of: streams, by: turn)
        return states ?? [:]
    }

    /// - Returns: why it must come again; nil: it need not.
    private func follow(
        _ ending: RecordedEnding,
        _ known: inout Known,
        by deadline: Deadline,
        _ outcome: inout Outcome
    ) async -> StoreError? {
        var reached = outcome.reached[ending.stream] ?? 0
        var unread = UnreadableStreams()
        defer { if reached > 0 { outcome.reached[ending.stream] = reached } }
        // First, and whatever of the user or the project cannot be read: no erasure is passed while
        // its keys are there (decision 0227).
        if ending.isErasure {
            do throws(StoreError) {
                try await personalData.destroy(of: SubjectID(ending.stream), by: deadline)
            } catch { return error }
        }
        do throws(StoreError) {
            outcome.sessionCount += try await finish(
                ending,
                &known,
                after: &reached,
                &unread,
                by: deadline
            )
            if ending.isErasure { outcome.erased.append(ending.stream) }
        } catch {
            // Also where the end comes again: it may go on behind what could not be read.
            for case .corrupt(let stream, _)? in [unread.first, error]
            where !outcome.unreadable.contains(stream) {
                outcome.unreadable.append(stream)
            }
            guard case .corrupt = error else { return error }
        }
        return nil
    }

    private func finish(
        _ ending: RecordedEnding,
        _ known: inout Known,
        after reached: inout Int32,
        _ unread: inout UnreadableStreams,
        by deadline: Deadline
    ) async throws(StoreError) -> Int {
        let request = CommandRequest(
            project: try await project(ending.project, &known, by: deadline),
            attributes: EventAttributes(actor: .system),
            deadline: deadline
        )
        let sessions = SessionEnding(commands: commands)
        switch ending.kind {
        case .offlineGrant:
            let id = SessionID(ending.stream)
            let grant = known.grants[ending.stream]
            return try await finish(id, grant, after: &reached, &unread, request)
        case .browserSession:
            return try await sessions.finishBrowser(SessionID(ending.stream), request: request)
        case .subject:
            return try await finish(SubjectID(ending.stream), request)
        case .loginID, .loginLink, .authorization, .authorizationCode, .biometricKey, .consent,
            .preAuthenticatedURL, .spent, .signingKey, .projectConfig:
            return 0
        }
    }

    private func project(
        _ number: ProjectNumber,
        _ known: inout Known,
        by deadline: Deadline
    ) async throws(StoreError) -> Project {
        if let project = known.projects[number] { return project }
        let project = try await commands.project(number, by: deadline)
        let newest = try await commands.newest(project, by: deadline)
        known.projects[number] = newest
        return newest
    }

    private func finish(
        _ id: SessionID,
        _ known: OfflineGrant.State?,
        after reached: inout Int32,
        _ unread: inout UnreadableStreams,
        _ request: CommandRequest
    ) async throws(StoreError) -> Int {
        let grant: OfflineGrant.State
        if let known {
            grant = known
        } else {
            grant =
                try await commands.store
                .loadCurrent(OfflineGrant.self, id.stream, by: request.deadline)
                .seen(from: request.project.number).state
        }
        let sessions = SessionEnding(commands: commands)
        // First: what else cannot be followed is no reason to leave a thief's key.
        var count = try await sessions.endKeys(of: id, being: grant, request, &unread)
        count += try await sessions.cascade(
            from: id,
            being: grant,
            after: &reached,
            request,
            &unread
        )
        try unread.report()
        return count
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
        case .erased: return try await finishErased(id, request)
        }
    }

    /// The keys that there are when it is the erasure's turn, `follow` has destroyed before.
    private func finishErased(_ id: SubjectID, _ request: CommandRequest)
        async throws(StoreError) -> Int
    {
        var count = 0
        var unread = UnreadableStreams()
        do throws(StoreError) {
            count = try await SubjectErasure(commands, of: id, request: request).endAll()
        } catch { try unread.note(error) }
        // Until the address was free, a login with it could make more keys, behind those that were
        // looked through.
        try await personalData.destroy(of: id, by: request.deadline)
        try unread.report()
        return count
    }
}

extension Deadline {
    /// Half of the time from this one to `end`, if that is later.
    fileprivate func halfway(to end: Deadline) -> Deadline {
        Deadline(nanoseconds: nanoseconds + (max(self, end).nanoseconds - nanoseconds) / 2)
    }
}
