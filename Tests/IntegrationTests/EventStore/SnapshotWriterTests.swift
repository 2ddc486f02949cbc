import Domain
import InMemory
import Issuing
import Postgres
import Runtime
import TestSupport
import Testing

@testable import Persistence

@Suite("Snapshots travel together") struct SnapshotWriterTests {
    @Test("those that fall due in one turn go out in one transaction") func turn() throws {
        let node = try WritingNode()
        node.due(8, at: 0)
        #expect(node.sizes == [8])
        #expect(node.written == 8)
    }

    @Test("behind one they wait 250 ms, in the order of time, unless 16 are there")
    func pace() throws {
        let node = try WritingNode()
        node.due(1, at: 0)
        node.due(8, at: 10)
        node.step(to: 249)
        #expect(node.sizes == [1])
        node.step(to: 250)
        #expect(node.sizes == [1, 8])
        node.due(8, at: 260)
        node.due(7, at: 270)
        node.step(to: 280)
        #expect(node.sizes == [1, 8])
        node.due(8, at: 290)
        #expect(node.sizes == [1, 8, 16])
        // Of the 23 the last seven.
        node.step(to: 539)
        #expect(node.sizes == [1, 8, 16])
        node.step(to: 540)
        #expect(node.sizes == [1, 8, 16, 7])
        #expect(node.written == 32)
        let streams = node.kept.flatMap { $0 }.map(\.stream)
        #expect(streams == node.streams)
    }

    @Test("a stream that falls due again while it waits is written once, as it is then")
    func again() throws {
        let node = try WritingNode()
        node.due(1, at: 0)
        node.due(2, at: 10)
        node.append(Commit.eventsMax, to: node.streams[1])
        node.step(to: 20)
        node.step(to: 250)
        #expect(node.sizes == [1, 2])
        #expect(node.kept[1].map(\.stream) == [node.streams[1], node.streams[2]])
        #expect(node.kept[1].map(\.version) == [128, 64])
    }

    @Test("behind a server that does not answer 64 wait; others come with their next event")
    func bound() throws {
        let node = try WritingNode()
        node.answers.replace(with: .never)
        node.due(1, at: 0)
        for turn in 1...9 { node.due(8, at: Int64(turn) * 10) }
        node.step(to: 2_000)
        #expect(node.sizes == [1])
        node.answers.replace(with: .atOnce)
        // The first has been given up by then.
        node.step(to: 4_000)
        #expect(node.sizes == [1, 16, 16, 16, 16])
        #expect(node.kept.flatMap { $0 }.map(\.stream) == Array(node.streams.prefix(65)))
        node.append(1, to: node.streams[70])
        node.append(1, to: node.streams[7])
        node.step(to: 4_500)
        #expect(node.sizes == [1, 16, 16, 16, 16, 1])
        #expect(node.kept.last?.map(\.version) == [65])
    }

    @Test("no transaction has more than 128 KiB of states") func bytes() throws {
        let node = try WritingNode()
        node.due(1, at: 0)
        // Some 16 KiB each, for sealed bytes are kept as base64url.
        node.due(8, at: 10, sealing: 12_000)
        node.due(2, at: 20, sealing: 12_000)
        node.step(to: 250)
        #expect(node.sizes == [1, 8])
        node.step(to: 500)
        #expect(node.sizes == [1, 8, 2])
    }

    @Test("one that fails loses its own; the next ones are written") func failure() throws {
        let node = try WritingNode()
        node.answers.replace(with: .failure)
        node.due(3, at: 0)
        #expect(node.sizes == [3])
        node.answers.replace(with: .atOnce)
        node.append(1, to: node.streams[0])
        node.due(2, at: 10)
        node.step(to: 250)
        #expect(node.sizes == [3, 2])
        #expect(node.written == 2)
        #expect(node.failed == 3)
        // A lost one is due again 64 events later.
        node.append(Commit.eventsMax, to: node.streams[0])
        node.step(to: 500)
        #expect(node.kept.last?.map(\.version) == [129])
    }

    @Test("those that wait when PostgreSQL becomes another server are not written to it")
    func otherServer() throws {
        let node = try WritingNode()
        node.due(1, at: 0)
        node.due(2, at: 10)
        node.beginServer()
        node.step(to: 250)
        #expect(node.sizes == [1])
        #expect(node.failed == 0)
    }

    @Test("nor those that wait for a connection, which comes from it") func otherConnection() throws
    {
        let node = try WritingNode()
        node.isFailingOver.replace(with: true)
        node.due(1, at: 0)
        node.step(to: 250)
        #expect(node.sizes.isEmpty)
        #expect(node.failed == 0)
    }
}

/// A store whose PostgreSQL appends at once, on a loop that is stepped by hand.
private final class WritingNode {
    enum Answer: Sendable { case atOnce, never, failure }

    /// What happens to snapshots from now on.
    let answers = Guarded(Answer.atOnce)
    /// Whether the next connection to write them over is another server's.
    let isFailingOver = Guarded(false)
    /// In the order they fell due first.
    private(set) var streams: [StreamID] = []
    private let writes = Guarded<[[KeptSnapshot]]>([])
    private let metrics = Metrics()
    private let loop: Loop
    private let store: PostgresEventStore
    private let entropy = SeededEntropy(seed: 1)
    private let begin = MonotonicInstant.now()

    init() throws {
        loop = try Loop(name: "writing")
        var connection = ScriptedConnection(loop: loop, refusals: [])
        connection.onKeep = { [answers, writes, loop] snapshots throws(PostgresError) in
            writes.withLock { $0.append(snapshots) }
            switch answers.current {
            case .atOnce: return
            case .failure: throw .connectionLost
            case .never:
                try? await loop.sleep(until: loop.now.advanced(by: .seconds(3)))
                throw .deadlineExceeded(sent: true)
            }
        }
        let cache = Guarded<StateCache?>(nil)
        var reader = connection
        reader.onWait = { [isFailingOver] in
            if isFailingOver.current { cache.current?.beginServer() }
        }
        store = PostgresEventStore(
            EventStoreSettings(node: "test", lanes: 1, cacheBytesMax: 64 * 1024 * 1024),
            readers: [(loop, reader)],
            lanes: [(loop, connection)],
            names: StreamNames(StandInDigester()),
            digester: StandInDigester(),
            metrics: PersistenceMetrics(metrics),
            log: .discarding
        ) { _ in }
        cache.replace(with: store.cache)
    }

    /// PostgreSQL is another server from now on.
    func beginServer() { store.cache.beginServer() }

    /// The snapshots of each transaction, as it was asked for.
    var kept: [[KeptSnapshot]] { writes.current }

    var sizes: [Int] { kept.map(\.count) }

    var written: Int { count("written") }
    var failed: Int { count("failed") }

    private func count(_ result: String) -> Int {
        let counter = metrics.counter("chancery_snapshots_total", "", ["result": result])
        return Int(clamping: counter.value)
    }

    /// So many new streams get 64 events each.
    func due(_ count: Int, at milliseconds: Int64, sealing bytes: Int = 40) {
        let registered = Subject.Event.registered(
            source: .operator,
            email: Sealed(bytes: Array(repeating: 7, count: bytes)),
            emailVerified: true,
            at: .sample
        )
        let events = [registered] + Self.toggles(Commit.eventsMax - 1, after: 1)
        for _ in 0..<count {
            let stream = StreamID.timeOrdered(at: .sample, from: entropy)
            streams.append(stream)
            let commit = Self.commit(events, to: .new(stream), as: newCommand())
            run { [store] in try await store.append(commit, by: .after(.seconds(600))) }
        }
        step(to: milliseconds)
    }

    /// A stream that is cached gets so many more.
    func append(_ count: Int, to stream: StreamID) {
        run { [store, command = newCommand()] in
            let loaded = try await store.load(Subject.self, stream, by: .after(.seconds(600)))
            let events = Self.toggles(count, after: loaded.version)
            let commit = Self.commit(events, to: loaded, as: command)
            try await store.append(commit, by: .after(.seconds(600)))
        }
    }

    private func newCommand() -> CommandID {
        CommandID(StreamID.timeOrdered(at: .sample, from: entropy))
    }

    private func run(_ body: @escaping @Sendable () async throws -> Void) {
        loop.post { [loop] in loop.spawn { try? await body() } }
    }

    private static func commit(
        _ events: [Subject.Event],
        to loaded: Loaded<Subject>,
        as command: CommandID
    ) -> Commit {
        let append = StreamAppend(
            stream: loaded.stream,
            kind: .subject,
            expected: loaded.version,
            previousHash: loaded.hash,
            occurredAt: .sample,
            events: events.map(Subject.wrap),
            stateAfter: Subject.fold(events, from: loaded.state) ?? .absent
        )
        return Commit(
            command: command,
            project: Sample.number(1),
            attributes: EventAttributes(actor: .system),
            streams: [append],
            guards: []
        )
    }

    /// Off and on again, as it follows on a version.
    private static func toggles(_ count: Int, after version: Int32) -> [Subject.Event] {
        (0..<count).map {
            (Int(version) + $0).isMultiple(of: 2) ? .enabled(at: .sample) : .disabled(.operator)
        }
    }

    /// Lets everything happen that is due so many milliseconds after the beginning.
    func step(to milliseconds: Int64) {
        let now = begin.advanced(by: .milliseconds(milliseconds))
        while loop.isReady(at: now) { loop.step(at: now) }
    }
}
