package import Domain

/// Loads, decides and appends; again when another command got there first (Architecture 8).
package struct CommandRunner: Sendable {
    /// Enough to outlast a queue of commands on the same stream at another node.
    ///
    /// Its commands find the newest state in its cache, ours must load it first, so with a few
    /// attempts ours would lose until that queue is empty. The pauses add up to 191 ms, and
    /// half as much again by chance, on average.
    package static let attemptsMax = 12
    /// How old a decision may be when it is appended, in ms; an older one is decided again.
    ///
    /// The time of an event is the time of its decision, and a watermark promises that none with an
    /// earlier time will come. Loads may be slow, and a process may stand still for any time.
    package static let ageMaxMilliseconds = 1000
    /// How far another node's clock may be from ours, while both are trusted, and some more.
    package static let clockSkewSeconds: Int64 = 5
    private static let pausesMilliseconds = [0, 0, 1, 2, 4, 8, 16, 32, 32, 32, 32, 32]

    package let store: any EventStore
    package let projects: any ProjectDirectory
    package let clock: any WallClock
    package let entropy: any Entropy
    /// Where commands find what is named and not numbered.
    let names: StreamNames
    private let pause: any Pause

    package init(
        store: any EventStore,
        projects: any ProjectDirectory,
        clock: any WallClock,
        entropy: any Entropy,
        names: StreamNames,
        pause: any Pause
    ) {
        self.store = store
        self.projects = projects
        self.clock = clock
        self.entropy = entropy
        self.names = names
        self.pause = pause
    }

    /// Runs `body` until what it decided is committed, at most `attemptsMax` times.
    ///
    /// `stream` is the one most likely contended: commands on it in this process take turns.
    /// `body` may run several times, also because it threw `.store(.conflict)`, or refused what the
    /// log may allow; each time it sees newer state, under the same command id. What must not be
    /// done again is not its affair, but that of `request.committed`, or of the caller.
    ///
    /// - Throws: `.refused` with what `body` refused; `.store` when the log did not answer, or not
    ///   by the request's deadline.
    package func run<Outcome, Refusal: Error>(
        _ request: CommandRequest,
        on stream: StreamID,
        _ body: (inout Work) async throws(CommandError<Refusal>) -> Outcome
    ) async throws(CommandError<Refusal>) -> Outcome {
        do { try await store.enter(stream, by: request.deadline) } catch { throw .store(error) }
        defer { store.leave(stream) }
        let command = CommandID(StreamID.timeOrdered(at: clock.now, from: entropy))
        var project = request.project
        var isCareful = false
        for attempt in 0..<Self.attemptsMax {
            guard await mayBegin(attempt, by: request.deadline) else { break }
            let freshUntil = pause.deadline(inMilliseconds: Self.ageMaxMilliseconds)
            var work = Work(
                project: project,
                command: command,
                attributes: request.attributes,
                now: clock.now,
                deadline: request.deadline,
                store: store,
                names: names,
                priority: request.priority,
                isCareful: isCareful,
                isRepeated: attempt > 0
            )
            let outcome: Outcome
            do { outcome = try await body(&work) } catch {
                switch error {
                // What a wrong clock refuses may be right.
                case .refused where clock.problem != nil: throw .store(.unavailable)
                // A stale cache may refuse what the log would allow: only current state refuses.
                case .refused where !work.isCurrent: isCareful = true
                // The body saw for itself what an append would have run into.
                case .store(.conflict): project = await reloaded(project, by: request.deadline)
                case .refused, .store: throw error
                }
                continue
            }
            // Such an append uses up proofs and records nothing else: it does not compare what the
            // answer rests on, so that must be the log's word.
            if work.onlySpends, !work.isCurrent {
                isCareful = true
                continue
            }
            switch await finish(work, request, freshUntil: freshUntil) {
            case .committed: return outcome
            case .unchanged where work.isCurrent: return outcome
            case .unchanged: isCareful = true
            case .failed(.conflict): project = await reloaded(project, by: request.deadline)
            case .failed(let why): throw .store(why)
            }
        }
        throw .store(.unavailable)
    }

    private enum Ending { case committed, unchanged, failed(StoreError) }

    private func finish(_ work: Work, _ request: CommandRequest, freshUntil: Deadline) async
        -> Ending
    {
        if let stream = work.damaged { return .failed(.corrupt(stream, version: 0)) }
        // After the decision, which the request acts on even when it changed nothing: the clock may
        // have stepped during it.
        guard clock.problem == nil else { return .failed(.unavailable) }
        guard let commit = work.commit else { return await compare(work) }
        guard pause.deadline(inMilliseconds: 0) <= freshUntil else { return .failed(.conflict) }
        do { try await store.append(commit, by: work.deadline) } catch { return .failed(error) }
        request.committed?(commit)
        return .committed
    }

    /// Compares what an answer without an append rests on, and sees that it lasts, since no append
    /// does.
    private func compare(_ work: Work) async -> Ending {
        guard work.isCurrent else { return .unchanged }
        do throws(StoreError) {
            if !work.guards.isEmpty {
                let holds = try await store.areCurrent(work.guards, by: work.deadline)
                guard holds else { return .failed(.conflict) }
            }
            try await confirm(by: work.deadline)
            return .unchanged
        } catch { return .failed(error) }
    }

    /// After its pause; not when whoever asked hears no more of it.
    private func mayBegin(_ attempt: Int, by deadline: Deadline) async -> Bool {
        guard attempt > 0 else { return true }
        let base = Self.pausesMilliseconds[attempt]
        if base > 0 {
            let jitter = Int(entropy.bytes(1).first ?? 0) % (base + 1)
            await pause.wait(milliseconds: base + jitter)
        }
        return !pause.isPast(deadline)
    }

    /// The conflict may have been about the configuration: read it again before the next attempt.
    private func reloaded(_ project: Project, by deadline: Deadline) async -> Project {
        // When it cannot be read the next append is refused again, and then the caller hears it.
        try? await projects.reload(project.number, by: deadline)
        return projects.project(number: project.number) ?? project
    }
}

extension CommandRunner {
    /// Returns once what was found done lasts: it may be the work of a commit that was answered to
    /// nobody (decision 0234).
    ///
    /// For who looks for themselves, finds that nothing is left to do, and runs no command for it.
    ///
    /// - Throws: `.unavailable` when that cannot be said by the deadline.
    package func confirm(by deadline: Deadline) async throws(StoreError) {
        try await store.confirm(by: deadline)
    }

    /// As `run`, for a `body` that refuses nothing: throws what `run` throws as `.store`.
    func runUnrefused<Outcome>(
        _ request: CommandRequest,
        on stream: StreamID,
        _ body: (inout Work) async throws(StoreError) -> Outcome
    ) async throws(StoreError) -> Outcome {
        do throws(CommandError<Never>) {
            return try await run(request, on: stream) {
                (work: inout Work) async throws(CommandError<Never>) -> Outcome in
                do throws(StoreError) { return try await body(&work) } catch { throw .store(error) }
            }
        } catch {
            switch error {
            case .store(let why): throw why
            }
        }
    }

    /// A project by its number, read when this process has not read it yet.
    ///
    /// - Throws: also `.unavailable` for one that this program cannot read: what rests on it waits
    ///   for a process that can.
    func project(_ number: ProjectNumber, by deadline: Deadline)
        async throws(StoreError) -> Project
    {
        if let project = projects.project(number: number) { return project }
        try await projects.reload(number, by: deadline)
        guard let project = projects.project(number: number) else { throw .unavailable }
        return project
    }

    /// `project` with the configuration of the log, read again where that has moved.
    ///
    /// It also counts as behind its document if one of its events cannot be read here: another
    /// process can read it.
    func newest(_ project: Project, by deadline: Deadline) async throws(StoreError) -> Project {
        if try await store.areCurrent([project.configuration], by: deadline) { return project }
        do throws(StoreError) {
            try await projects.reload(project.number, by: deadline)
            let current = try await self.project(project.number, by: deadline)
            // What the log has passed already is not the newest, whoever has read it again.
            return current.configuration == project.configuration ? project.behind : current
        } catch {
            guard case .corrupt = error else { throw error }
            return project.behind
        }
    }

    /// A request for what follows from the end that a stream's last event recorded; the request as
    /// it is when `isEnd` sees none.
    func request<A: Aggregate>(
        _ request: CommandRequest,
        causedBy aggregate: A.Type,
        _ stream: StreamID,
        isEnd: (A.State) -> Bool
    ) async throws(StoreError) -> CommandRequest {
        let loaded = try await store.load(aggregate, stream, by: request.deadline)
            .seen(from: request.project.number)
        guard isEnd(loaded.state) else { return request }
        var request = request
        request.attributes.cause = Cause(stream: stream, version: loaded.version)
        return request
    }
}
