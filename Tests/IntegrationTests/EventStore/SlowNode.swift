import Domain
import InMemory
import Issuing
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

/// A store over one connection that takes its time, on a loop that is stepped by hand.
final class SlowNode {
    let calls = SlowCalls()
    private let loop: Loop
    private let store: PostgresEventStore
    private let turns: WaitingLooks
    private let entropy = SeededEntropy(seed: 1)
    private let begin = MonotonicInstant.now()
    private let outcomes = Guarded<[Bool]>([])

    init(answering pause: Duration?) throws {
        loop = try Loop(name: "slow")
        turns = WaitingLooks(loops: [loop])
        let slow = SlowConnection(loop: loop, calls: calls, pause: pause)
        store = PostgresEventStore(
            EventStoreSettings(node: "test", lanes: 1, cacheBytesMax: 1024 * 1024),
            readers: [(loop, slow)],
            lanes: [(loop, slow)],
            names: StreamNames(StandInDigester()),
            digester: StandInDigester(),
            metrics: PersistenceMetrics(Metrics()),
            log: .discarding
        ) { _ in }
    }

    /// Whether each load was answered, in the order of the answers.
    var answered: [Bool] { outcomes.current }

    /// Nil: a stream that nobody knows.
    func load(_ stream: StreamID? = nil, by deadline: Deadline) {
        let stream = stream ?? StreamID.timeOrdered(at: .sample, from: entropy)
        run { [store] in _ = try await store.load(Subject.self, stream, by: deadline) }
    }

    /// As a page does that waits for its login: a request, and then its link.
    func look(by deadline: Deadline) {
        let streams = streams(2)
        run { [store, turns] in
            let seen = await turns.take(by: deadline) { () async -> Bool in
                for stream in streams {
                    do { _ = try await store.loadCurrent(Subject.self, stream, by: deadline) } catch
                    { return false }
                }
                return true
            }
            guard seen == true else { throw StoreError.unavailable }
        }
    }

    func streams(_ count: Int) -> [StreamID] {
        (0..<count).map { _ in StreamID.timeOrdered(at: .sample, from: entropy) }
    }

    /// Answers whether all are at these versions.
    func check(_ guards: [StreamGuard]) {
        run { [store] in
            guard try await store.areCurrent(guards, by: .after(.seconds(600))) else {
                throw StoreError.unavailable
            }
        }
    }

    func hint(_ stream: StreamID) { store.hint(stream) }

    /// So many events, to a new stream.
    @discardableResult func append(_ count: Int) throws -> StreamID {
        let events =
            [Subject.Event.registered(.sample)]
            + (1..<count).map {
                $0.isMultiple(of: 2) ? .enabled(at: .sample) : .disabled(.operator)
            }
        let append = StreamAppend(
            stream: StreamID.timeOrdered(at: .sample, from: entropy),
            kind: .subject,
            expected: 0,
            previousHash: nil,
            occurredAt: .sample,
            events: events.map(Subject.wrap),
            stateAfter: Subject.fold(events, from: .absent)
        )
        let commit = Commit(
            command: CommandID(StreamID.timeOrdered(at: .sample, from: entropy)),
            project: try #require(ProjectNumber(1)),
            attributes: EventAttributes(actor: .system),
            streams: [append],
            guards: []
        )
        run { [store] in try await store.append(commit, by: .after(.seconds(600))) }
        return append.stream
    }

    func deadline(_ milliseconds: Int64) -> Deadline {
        Deadline(nanoseconds: begin.advanced(by: .milliseconds(milliseconds)).nanoseconds)
    }

    /// Lets everything happen that is due so many milliseconds after the beginning.
    func step(to milliseconds: Int64) {
        let now = begin.advanced(by: .milliseconds(milliseconds))
        while loop.isReady(at: now) { loop.step(at: now) }
    }

    private func run(_ body: @escaping @Sendable () async throws -> Void) {
        loop.post { [loop, outcomes] in
            loop.spawn {
                let isDone: Bool
                do {
                    try await body()
                    isDone = true
                } catch { isDone = false }
                outcomes.withLock { $0.append(isDone) }
            }
        }
    }
}

// @unchecked: touched on one loop, which one thread steps.
/// What was asked of the connection.
final class SlowCalls: @unchecked Sendable {
    var reads = 0
    var readsNow = 0
    var mostReads = 0
    /// Transactions that keep some.
    var snapshots = 0
    /// The streams of each look at the heads.
    var heads: [[StreamID]] = []
}

/// PostgreSQL that appends at once, and answers reads after a while, or never.
struct SlowConnection: LogConnection {
    let loop: Loop
    let calls: SlowCalls
    let pause: Duration?

    func start() {}
    func stop() {}

    func append(_ batch: AppendBatch, deadline: MonotonicInstant)
        async throws(PostgresError) -> [Int32]
    { [] }

    func commands(at commands: [EncodedCommand], deadline: MonotonicInstant)
        async throws(PostgresError) -> [FoundCommand]
    { [] }

    func rows(of wanted: [WantedStream], deadline: MonotonicInstant)
        async throws(PostgresError) -> [StreamRow]
    {
        calls.reads += 1
        calls.readsNow += 1
        calls.mostReads = max(calls.mostReads, calls.readsNow)
        defer { calls.readsNow -= 1 }
        try? await loop.sleep(until: loop.now.advanced(by: pause ?? .seconds(86_400)))
        return []
    }

    func keep(_ snapshots: [KeptSnapshot], deadline: MonotonicInstant)
        async throws(PostgresError)
    {
        calls.snapshots += 1
        try? await loop.sleep(until: loop.now.advanced(by: .seconds(86_400)))
    }

    func heads(of streams: [StreamID], deadline: MonotonicInstant)
        async throws(PostgresError) -> [Int32]
    {
        calls.heads.append(streams)
        return streams.map(Self.head)
    }

    static func head(of stream: StreamID) -> Int32 { Int32(stream.low & 0xFFFF) + 1 }

    func history(of stream: StreamID, after version: Int32, deadline: MonotonicInstant)
        async throws(PostgresError) -> [StreamRow]
    { [] }

    func opened(
        for subject: SubjectID,
        types: [Int16],
        before: Int64,
        limit: Int,
        deadline: MonotonicInstant
    ) async throws(PostgresError) -> [OpenedStream] { [] }

    func position(of stream: StreamID, for subject: SubjectID, deadline: MonotonicInstant)
        async throws(PostgresError) -> Int64?
    { nil }
}
