internal import Domain
internal import Issuing
internal import Postgres
internal import Runtime

// @unchecked: touched on `loop` alone; `submit` may be called from any thread.
/// One connection through which commands are appended, a batch at a time.
///
/// While a call is in flight commands queue; the next call takes as many as fit, and follows at a
/// pace (`Gathering`). A queue whose oldest command has waited too long, or that is full, takes no
/// more: nothing has happened then. What begins something is turned away first, what ends something
/// last (Architecture 7).
final class AppendLane: @unchecked Sendable {
    static let waitingMax = 1024
    static let ageMax = Duration.milliseconds(250)
    /// How old a command may be when it is sent: a watermark would pass the time in it.
    static let staleAfter = Duration.seconds(1)
    /// Above `statement_timeout`, so that PostgreSQL gives up first and the outcome is known.
    static let callMax = Duration.seconds(4)
    /// How old a command may grow whose outcome cannot be looked up.
    static let doubtMax = Duration.milliseconds(900)
    static let attemptsMax = 5
    private static let sweepInterval = Duration.milliseconds(100)

    let loop: Loop
    private let connection: any LogConnection
    private let currentServer: @Sendable () -> Int
    private let onCommit: @Sendable (Loop) -> Void
    private let metrics: PersistenceMetrics
    private let log: Log
    private var waiting: [PendingAppend] = []
    /// As many of `waiting` as the gauge knows of, which is that of all lanes.
    private var toldDepth = 0
    private var inFlight: [PendingAppend] = []
    private var retries = RefusedAppends()
    private var isRunning = false
    private var sweep: LoopTimer?
    private var watch: LaneWatch
    private let gathering: Gathering

    init(
        over connection: any LogConnection,
        on loop: Loop,
        currentServer: @escaping @Sendable () -> Int,
        onCommit: @escaping @Sendable (Loop) -> Void,
        metrics: PersistenceMetrics,
        log: Log
    ) {
        self.loop = loop
        self.connection = connection
        self.currentServer = currentServer
        self.onCommit = onCommit
        self.metrics = metrics
        self.log = log
        watch = LaneWatch(log: log)
        gathering = Gathering(on: loop)
    }

    func start() { loop.post { [self] in connection.start() } }

    func stop() { loop.post { [self] in connection.stop() } }

    /// Queues a command, or refuses it with `.unavailable`.
    func submit(_ append: PendingAppend) {
        if loop.isCurrent { take(append) } else { loop.post { [self] in take(append) } }
    }

    private func take(_ append: PendingAppend) {
        let now = loop.now
        let behind = waiting.first.map { now.since($0.arrival) } ?? .zero
        watch.looks(at: now)
        guard append.priority.isTaken(behind: behind, among: waiting.count) else {
            metrics.shed(append.priority).add()
            watch.refuses(
                LaneWatch.Standing(
                    behind: behind,
                    waiting: waiting.count,
                    inCall: inFlight.count
                ),
                at: now
            )
            return append.finish(.failure(.unavailable))
        }
        if !retries.takes(append, at: now) {
            waiting.append(append)
            tellDepth()
            gathering.grew(to: waiting.count)
        }
        watchOver()
        guard !isRunning else { return }
        isRunning = true
        // At the end of the turn, so that the commands of one turn travel together.
        loop.atEndOfTurn { [self] in loop.spawn { [self] in await run() } }
    }

    private func run() async {
        await gathering.wait(with: waiting.count)
        while let batch = retries.next(or: nextBatch) {
            gathering.begins(with: batch.appends.count)
            inFlight = batch.appends
            await append(batch)
            inFlight = []
            // Whoever this call has answered may have the next command ready in the same turn.
            await loop.park { turn in loop.atEndOfTurn { turn.resume(returning: ()) } }
            await gathering.wait(with: waiting.count)
        }
        isRunning = false
    }

    private func nextBatch() -> AppendBatch? {
        var batch = AppendBatch(expecting: waiting.count)
        var left: [PendingAppend] = []
        for (index, append) in waiting.enumerated() {
            if append.isFinished { continue }
            guard !batch.isFull else {
                left += waiting[index...]
                break
            }
            if !batch.add(append) { left.append(append) }
        }
        waiting = left
        tellDepth()
        return batch.isEmpty ? nil : batch
    }

    private func tellDepth() {
        metrics.queueDepth.add(Double(waiting.count - toldDepth))
        toldDepth = waiting.count
    }

    private func append(_ offered: AppendBatch) async {
        let start = MonotonicInstant.now()
        let deadline = loop.now.advanced(by: Self.callMax)
        watch.enters(.calling, at: loop.now)
        defer { watch.enters(.resting, at: loop.now) }
        var batch = offered
        do throws(PostgresError) {
            // One that comes while it is waited for may be another server's.
            try await connection.waitUntilReady(deadline: deadline)
            guard let left = fresh(offered) else { return }
            batch = left
            metrics.batchCommands.observe(count: batch.appends.count)
            for append in batch.appends { append.attempts += 1 }
            let refused = try await connection.append(batch, deadline: deadline)
            metrics.appendSeconds.observe(MonotonicInstant.now().since(start))
            await conclude(batch, refused: Set(refused))
        } catch {
            await recover(batch, from: error)
        }
    }

    /// What of a batch may still be sent; nil when it is nothing.
    private func fresh(_ batch: AppendBatch) -> AppendBatch? {
        let (now, server) = (loop.now, currentServer())
        let isFresh = batch.appends.allSatisfy { $0.refusal(at: now, server) == nil }
        guard !isFresh else { return batch }
        for append in batch.appends {
            guard let refusal = append.refusal(at: now, server) else { continue }
            if refusal != .conflict { metrics.shed(append.priority).add() }
            append.finish(.failure(refusal))
        }
        let left = batch.appends.filter { !$0.isFinished }
        return left.isEmpty ? nil : AppendBatch(left[...])
    }

    /// The call is committed: every command is either in or refused.
    private func conclude(_ batch: AppendBatch, refused: Set<Int32>) async {
        var doubtful: [PendingAppend] = []
        for (ordinal, append) in batch.appends.enumerated() {
            if !refused.contains(Int32(clamping: ordinal)) {
                append.finish(.success(()))
            } else if append.isUncertain {
                doubtful.append(append)
            } else {
                append.finish(.failure(.conflict))
            }
        }
        if refused.count < batch.appends.count { onCommit(loop) }
        if !doubtful.isEmpty { await resolve(doubtful, absent: .conflict) }
    }

    private func recover(_ batch: AppendBatch, from error: PostgresError) async {
        switch error {
        case .connectionLost, .deadlineExceeded(sent: true), .unexpectedRow:
            metrics.unknownOutcomes.add()
            log.warning("append answer lost", .field("commands", batch.appends.count))
            for append in batch.appends { append.isUncertain = true }
            await resolve(batch.appends, absent: .again)
        case .server(let refusal) where refusal.state == .queryCanceled:
            // Too slow as a whole: two halves would hold everybody up for twice as long.
            log.warning("append call took too long")
            for append in batch.appends { append.finish(.failure(append.doubt)) }
        case .server(let refusal): split(batch, after: refusal)
        case .notConnected, .cannotConnect, .overloaded, .deadlineExceeded(sent: false):
            // Nothing was sent, and whoever waits behind would only wait as long again.
            for append in batch.appends + retries.appends + waiting {
                append.finish(.failure(append.doubt))
            }
        }
    }

    /// Nothing of the batch is in: halves, until the one that cannot be taken stands alone.
    private func split(_ batch: AppendBatch, after refusal: ServerError) {
        let appends = batch.appends.filter { !$0.isFinished }
        guard let single = appends.first else { return }
        guard appends.count == 1 else { return retries.split(appends) }
        if refusal.state == .lockNotAvailable {
            // Until it may not be sent any more: then nothing has happened.
            if !single.isBlocked {
                lines(about: single, refusal).warning("an append waits for a lock")
            }
            single.isBlocked = true
            return retries.wait(single, at: loop.now)
        }
        guard refusal.state.isRetryable, single.attempts < Self.attemptsMax else {
            lines(about: single, refusal).error("append refused by the database")
            return single.finish(.failure(single.doubt))
        }
        retries.retry(single)
    }

    private func lines(about append: PendingAppend, _ refusal: ServerError) -> Log {
        log.with(
            .field("state", refusal.state.text),
            .field("stream", append.command.streams.first?.description ?? ""),
            .field("command_id", append.command.command.stream.description)
        )
    }

    /// What to do with a command whose first row is not in the log.
    private enum Absence { case conflict, again }

    /// Looks up what became of commands whose answer was lost.
    private func resolve(_ appends: [PendingAppend], absent: Absence) async {
        var pause = Duration.milliseconds(5)
        watch.enters(.lookingUp, at: loop.now)
        while true {
            let open = appends.filter { !$0.isFinished }
            guard !open.isEmpty else { return }
            do throws(PostgresError) {
                let found = try await connection.commands(
                    at: open.map(\.command),
                    deadline: loop.now.advanced(by: Self.callMax)
                )
                return settle(open, found, absent)
            } catch {
                // Who cannot look says so within a second (Security 13); a server that
                // only restarted is back by then.
                let now = loop.now
                for append in open where now.since(append.arrival) >= Self.doubtMax {
                    append.finish(.failure(.outcomeUnknown))
                }
                try? await loop.sleep(until: loop.now.advanced(by: pause))
                pause = min(pause * 2, .milliseconds(200))
            }
        }
    }

    private func settle(_ appends: [PendingAppend], _ rows: [FoundCommand], _ absent: Absence) {
        let found = Dictionary(rows.map { ($0.index, $0.command) }) { $1 }
        var again: [PendingAppend] = []
        for (index, append) in appends.enumerated() {
            if found[index] == append.command.command {
                append.finish(.success(()))
            } else if found[index] != nil || absent == .conflict {
                append.finish(.failure(.conflict))
            } else {
                // The same expectation again: the unique key lets only one of the two in.
                again.append(append)
            }
        }
        waiting.insert(contentsOf: again, at: 0)
        if again.count < appends.count { onCommit(loop) }
    }

    // MARK: Deadlines

    private func watchOver() {
        guard sweep == nil else { return }
        sweep = loop.schedule(at: loop.now.advanced(by: Self.sweepInterval)) { [self] in
            sweep = nil
            expire()
            watch.looks(at: loop.now)
            let isBusy = !waiting.isEmpty || !inFlight.isEmpty || !retries.isEmpty
            if isBusy || watch.isRefusing { watchOver() } else { watch.rests() }
        }
    }

    private func expire() {
        let now = loop.now
        for append in inFlight where append.deadline <= now {
            append.finish(.failure(.outcomeUnknown))
        }
        for append in retries.appends + waiting where append.deadline <= now {
            append.finish(.failure(append.doubt))
        }
        let age = waiting.first { !$0.isFinished }.map { now.since($0.arrival) } ?? .zero
        metrics.queueAge.set(Double(age.clampedNanoseconds) / 1e9)
    }
}
