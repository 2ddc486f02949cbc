internal import Domain
internal import Issuing
internal import Postgres
internal import Runtime

// @unchecked: touched on `loop` alone; each entry checks.
/// Reads streams and heads for one loop; what a turn asks for goes out in one query, 64 at a time.
///
/// Few queries are under way at once: behind a slow server what is asked for gathers here, and goes
/// out together, instead of filling the connection, which refuses what is too much.
final class StreamReader: @unchecked Sendable {
    /// Streams in one query; as many may ask for them.
    static let streamsPerQueryMax = 64
    /// Queries under way at once, far below `Connection.pendingMax`: others use it, too, and what
    /// was given up at its deadline is still the server's to answer.
    static let queriesMax = 8
    /// Streams that may wait on one loop.
    static let waitingMax = 1024
    /// Rows of one stream in one answer; a longer one is read on.
    static let rowsMax = 1000

    private static let sweepInterval = Duration.milliseconds(50)

    typealias Rows = Result<[LogRow], StoreError>
    typealias Heads = Result<[Int32], StoreError>

    private struct Load: Sendable {
        let wanted: WantedStream
        let deadline: Deadline
        let waiting: Resumption<Rows>

        func answer(_ rows: Rows) { waiting.resume(returning: rows) }
    }

    private struct HeadCheck: Sendable {
        let streams: [StreamID]
        let deadline: Deadline
        let waiting: Resumption<Heads>

        func answer(_ heads: Heads) { waiting.resume(returning: heads) }
    }

    let loop: Loop
    let connection: any LogConnection
    private var loads: [Load] = []
    private var checks: [HeadCheck] = []
    private var waitingCount = 0
    private var queryCount = 0
    private var isScheduled = false
    private var isLoadNext = true
    private var sweep: LoopTimer?

    init(over connection: any LogConnection, on loop: Loop) {
        self.connection = connection
        self.loop = loop
    }

    /// The events of a stream after a version, oldest first, at most `rowsMax`; from the event
    /// of its snapshot on, when there is one of the format wanted.
    func rows(
        of wanted: WantedStream,
        by deadline: Deadline
    ) async throws(StoreError) -> [LogRow] {
        loop.assertCurrent()
        try requireTime(deadline)
        let answer: Rows = await loop.park { waiting in
            let load = Load(wanted: wanted, deadline: deadline, waiting: waiting)
            guard admit(1) else { return load.answer(.failure(.unavailable)) }
            loads.append(load)
        }
        return try answer.get()
    }

    /// The newest versions of streams, at most 64, not older than this call.
    func heads(
        of streams: [StreamID],
        by deadline: Deadline
    ) async throws(StoreError) -> [Int32] {
        loop.assertCurrent()
        guard !streams.isEmpty else { return [] }
        try requireTime(deadline)
        let answer: Heads = await loop.park { waiting in
            let check = HeadCheck(streams: streams, deadline: deadline, waiting: waiting)
            guard streams.count <= Self.streamsPerQueryMax, admit(streams.count) else {
                return check.answer(.failure(.unavailable))
            }
            checks.append(check)
        }
        return try answer.get()
    }

    /// An answer may be there before the timer that would refuse it.
    private func requireTime(_ deadline: Deadline) throws(StoreError) {
        guard loop.now < MonotonicInstant(deadline) else { throw .unavailable }
    }

    private func admit(_ count: Int) -> Bool {
        guard waitingCount + count <= Self.waitingMax else { return false }
        waitingCount += count
        guard !isScheduled else { return true }
        isScheduled = true
        loop.atEndOfTurn { [self] in sendTurn() }
        return true
    }

    private func sendTurn() {
        isScheduled = false
        // In turns, so that neither keeps the other waiting.
        while queryCount < Self.queriesMax, !loads.isEmpty || !checks.isEmpty {
            if checks.isEmpty || isLoadNext && !loads.isEmpty {
                isLoadNext = false
                begin(takeLoads())
            } else {
                isLoadNext = true
                begin(takeChecks())
            }
        }
        watchOver()
    }

    private func begin(_ loads: [Load]) {
        queryCount += 1
        loop.spawn { [self] in
            await send(loads)
            ended(loads.count)
        }
    }

    private func begin(_ checks: [HeadCheck]) {
        queryCount += 1
        loop.spawn { [self] in
            await send(checks)
            ended(checks.reduce(0) { $0 + $1.streams.count })
        }
    }

    private func ended(_ streams: Int) {
        queryCount -= 1
        waitingCount -= streams
        if !isScheduled { sendTurn() }
    }

    private func takeLoads() -> [Load] {
        let part = Array(loads.prefix(Self.streamsPerQueryMax))
        loads.removeFirst(part.count)
        return part
    }

    private func takeChecks() -> [HeadCheck] {
        var streams: Set<StreamID> = []
        let part = checks.prefix(Self.streamsPerQueryMax).prefix { check in
            streams.formUnion(check.streams)
            return streams.count <= Self.streamsPerQueryMax
        }
        checks.removeFirst(part.count)
        return Array(part)
    }

    // MARK: Deadlines

    /// What waits here is nobody else's to end; the connection ends what is under way.
    private func watchOver() {
        guard sweep == nil, !loads.isEmpty || !checks.isEmpty else { return }
        sweep = loop.schedule(at: loop.now.advanced(by: Self.sweepInterval)) { [self] in
            sweep = nil
            expire()
            watchOver()
        }
    }

    private func expire() {
        let now = loop.now
        func isOver(_ deadline: Deadline) -> Bool { MonotonicInstant(deadline) <= now }
        let (lateLoads, lateChecks) = (
            loads.filter { isOver($0.deadline) }, checks.filter { isOver($0.deadline) }
        )
        loads.removeAll { isOver($0.deadline) }
        checks.removeAll { isOver($0.deadline) }
        waitingCount -= lateLoads.count + lateChecks.reduce(0) { $0 + $1.streams.count }
        for load in lateLoads { load.answer(.failure(.unavailable)) }
        for check in lateChecks { check.answer(.failure(.unavailable)) }
    }

    // MARK: Queries

    private func send(_ loads: [Load]) async {
        let latest = loads.map(\.deadline).max() ?? Deadline(nanoseconds: 0)
        do throws(PostgresError) {
            let wanted = Self.merged(loads)
            let rows = try await connection.rows(
                of: Array(wanted.values),
                deadline: MonotonicInstant(latest)
            )
            let streams = Dictionary(grouping: rows, by: \.stream)
            for load in loads {
                let (stream, after) = (load.wanted.stream, load.wanted.after)
                let found = streams[stream] ?? []
                let isExact = wanted[stream]?.after == after
                load.answer(.success(isExact ? found : found.filter { $0.version > after }))
            }
        } catch {
            for load in loads { load.answer(.failure(.unavailable)) }
        }
    }

    /// The same stream twice is asked once; from a snapshot on only when that suits all.
    private static func merged(_ loads: [Load]) -> [StreamID: WantedStream] {
        var merged: [StreamID: WantedStream] = [:]
        for load in loads {
            let wanted = load.wanted
            guard let other = merged[wanted.stream] else {
                merged[wanted.stream] = wanted
                continue
            }
            merged[wanted.stream]?.after = min(wanted.after, other.after)
            if wanted.after != other.after || wanted.format != other.format {
                merged[wanted.stream]?.format = nil
            }
        }
        return merged
    }

    private func send(_ checks: [HeadCheck]) async {
        // Most rest on the same configuration: a stream is looked up once for all of them.
        var streams: [StreamID] = []
        var places: [StreamID: Int] = [:]
        let asked = checks.flatMap(\.streams).map { stream in
            if let place = places[stream] { return place }
            places[stream] = streams.count
            streams.append(stream)
            return streams.count - 1
        }
        let latest = checks.map(\.deadline).max() ?? Deadline(nanoseconds: 0)
        do throws(PostgresError) {
            let heads = try await connection.heads(
                of: streams,
                deadline: MonotonicInstant(latest)
            )
            guard heads.count == streams.count else { throw .unexpectedRow(column: 0) }
            var start = 0
            for check in checks {
                let its = asked[start..<(start + check.streams.count)]
                check.answer(.success(its.map { heads[$0] }))
                start += check.streams.count
            }
        } catch {
            for check in checks { check.answer(.failure(.unavailable)) }
        }
    }
}
