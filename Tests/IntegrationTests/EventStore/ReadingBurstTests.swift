import Domain
import InMemory
import Issuing
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

/// What the event store asks of a connection when much is wanted at once.
@Suite("Reads and snapshots that come together") struct ReadingBurstTests {
    @Test("behind a slow server reads gather in few queries, and nobody is refused")
    func gathering() throws {
        let node = try SlowNode(answering: .milliseconds(100))
        for number in 0..<500 {
            node.load(by: .after(.seconds(600)))
            node.step(to: Int64(number))
        }
        for moment in 500..<1_000 { node.step(to: Int64(moment)) }
        #expect(node.answered.count == 500)
        #expect(node.answered.allSatisfy { $0 })
        #expect(node.calls.mostReads == 8)
        #expect(node.calls.reads < 100)
    }

    @Test("thousands of pages that look at once leave room for who comes for tokens")
    func waitingPages() throws {
        let node = try SlowNode(answering: .milliseconds(100))
        for _ in 0..<4_000 { node.look(by: .after(.seconds(600))) }
        node.step(to: 0)
        node.load(by: .after(.seconds(600)))
        for moment in stride(from: Int64(5), through: 10_000, by: 5) { node.step(to: moment) }
        #expect(node.answered.count == 4_001)
        #expect(node.answered.count { !$0 } == 0)
    }

    @Test("1,024 streams may be waited for on a loop: the next is refused, the others answered")
    func mostWaiting() throws {
        let node = try SlowNode(answering: .milliseconds(100))
        for _ in 0..<1_024 { node.load(by: .after(.seconds(600))) }
        node.step(to: 0)
        #expect(node.answered.isEmpty)
        node.load(by: .after(.seconds(600)))
        node.step(to: 1)
        #expect(node.answered == [false])
        for moment in stride(from: Int64(100), through: 1_000, by: 10) { node.step(to: moment) }
        #expect(node.answered.count == 1_025)
        #expect(node.answered.dropFirst().allSatisfy { $0 })
    }

    @Test("who waits for a query to be free is told at its own deadline") func deadline() throws {
        let node = try SlowNode(answering: nil)
        for number in 0..<8 {
            node.load(by: .after(.seconds(600)))
            node.step(to: Int64(number))
        }
        node.load(by: node.deadline(1_000))
        node.step(to: 900)
        #expect(node.answered.isEmpty)
        for moment in stride(from: Int64(1_000), through: 1_200, by: 50) { node.step(to: moment) }
        #expect(node.answered == [false])
    }

    @Test("who has less time than others of its query is told at its own deadline")
    func ownDeadline() throws {
        let node = try SlowNode(answering: nil)
        node.load(by: .after(.seconds(600)))
        node.load(by: node.deadline(1_000))
        for moment in stride(from: Int64(0), through: 900, by: 50) { node.step(to: moment) }
        #expect(node.answered.isEmpty)
        for moment in stride(from: Int64(950), through: 1_200, by: 50) { node.step(to: moment) }
        #expect(node.answered == [false])
        #expect(node.calls.reads == 1)
    }

    @Test("checks that share a stream look it up once, and each hears of its own")
    func sharedChecks() throws {
        let node = try SlowNode(answering: nil)
        let streams = node.streams(4)
        let heads = streams.map { StreamGuard(stream: $0, version: SlowConnection.head(of: $0)) }
        node.check([heads[0], heads[1]])
        node.check([heads[2], heads[0], heads[2]])
        node.check([heads[0], StreamGuard(stream: streams[3], version: heads[3].version + 1)])
        node.check([heads[3]])
        node.step(to: 0)
        #expect(node.answered == [true, true, false, true])
        #expect(node.calls.heads == [[streams[0], streams[1], streams[2], streams[3]]])
    }

    @Test("a query has 64 streams, however often they are named, for 64 checks at most")
    func manyChecks() throws {
        let node = try SlowNode(answering: nil)
        let shared = node.streams(4).map {
            StreamGuard(stream: $0, version: SlowConnection.head(of: $0))
        }
        for _ in 0..<100 { node.check(shared) }
        node.step(to: 0)
        #expect(node.calls.heads == [shared.map(\.stream), shared.map(\.stream)])
        for stream in node.streams(33) {
            node.check([shared[0], StreamGuard(stream: stream, version: 0)])
            node.check(
                [shared[1], StreamGuard(stream: stream, version: 0)]
                    + node.streams(1).map { StreamGuard(stream: $0, version: 0) }
            )
        }
        node.step(to: 1)
        #expect(node.calls.heads.dropFirst(2).map(\.count) == [64, 6])
        #expect(node.answered.count == 166)
        #expect(node.answered.prefix(100).allSatisfy { $0 })
    }

    @Test("many streams that are due for a snapshot at once leave reads their connection")
    func snapshots() throws {
        let node = try SlowNode(answering: nil)
        for number in 0..<40 {
            try node.append(Commit.eventsMax)
            node.step(to: Int64(number) * 10)
        }
        #expect(node.calls.snapshots == 1)
    }
}

/// A store over one connection that takes its time, on a loop that is stepped by hand.
private final class SlowNode {
    let calls = Calls()
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

    func load(by deadline: Deadline) {
        let stream = StreamID.timeOrdered(at: .sample, from: entropy)
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

    func append(_ count: Int) throws {
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
private final class Calls: @unchecked Sendable {
    var reads = 0
    var readsNow = 0
    var mostReads = 0
    /// Transactions that keep some.
    var snapshots = 0
    /// The streams of each look at the heads.
    var heads: [[StreamID]] = []
}

/// PostgreSQL that appends at once, and answers reads after a while, or never.
private struct SlowConnection: LogConnection {
    let loop: Loop
    let calls: Calls
    let pause: Duration?

    func start() {}
    func stop() {}

    func append(_ batch: AppendBatch, deadline: MonotonicInstant)
        async throws(PostgresError) -> [Int32]
    { [] }

    func commands(at commands: [EncodedCommand], deadline: MonotonicInstant)
        async throws(PostgresError) -> [FoundCommand]
    { [] }

    func rows(of wanted: [(stream: StreamID, after: Int32)], deadline: MonotonicInstant)
        async throws(PostgresError) -> [Persistence.LogRow]
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
        async throws(PostgresError) -> [Persistence.LogRow]
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
