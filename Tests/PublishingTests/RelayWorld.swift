import Domain
import EventFormat
import InMemory
import Publishing
import Runtime
import TestSupport
import Testing

/// A clock that moves when somebody pauses, or when told to.
final class PausingClock: RelayClock {
    private let now = Guarded<UInt64>(1_000_000_000)
    private let wall: Guarded<Instant>
    private let log: InMemoryEventLog

    init(_ log: InMemoryEventLog) {
        self.log = log
        wall = Guarded(log.now)
    }

    var nanoseconds: UInt64 { now.current }

    var wallTime: Instant { wall.current }

    func pause(_ time: Duration) async { advance(time) }

    func advance(_ time: Duration) {
        let (seconds, attoseconds) = time.components
        now.withLock { $0 += UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000) }
        step(time.components.seconds)
    }

    /// As somebody who sets this machine's clock and the database's.
    func step(_ seconds: Int64) {
        wall.withLock { $0 = $0.adding(seconds: seconds) }
        log.advance(seconds: seconds)
    }
}

/// A log, a topic and relays between them.
struct RelayWorld {
    typealias TestRelay = Relay<InMemoryLogSession, InMemoryProducer>

    static let id = Sample.stream(0xA7)
    let log = InMemoryEventLog(id: id, project: Sample.project("shop"))
    let topic: InMemoryTopic
    let clock: PausingClock

    init(partitions: Int = 3) {
        topic = InMemoryTopic(partitions: partitions)
        clock = PausingClock(log)
    }

    /// A relay and the connection it depends on.
    func relay(replayStart: Int64 = 0) -> (TestRelay, InMemoryLogSession) {
        let session = log.session()
        let relay = TestRelay(
            log: session,
            publisher: topic.producer(),
            clock: clock,
            replayStart: replayStart
        )
        return (relay, session)
    }

    /// A relay has published so many events and is gone.
    static func published(_ count: UInt64) async throws -> RelayWorld {
        let world = RelayWorld()
        world.append(count: count)
        var (relay, session) = world.relay()
        try await relay.turns()
        session.cut()
        return world
    }

    /// Lets this relay publish 2,500 events and begin again with them, on another cluster.
    func beginReplay<Publisher>(
        by relay: inout Relay<InMemoryLogSession, Publisher>
    ) async throws {
        append(count: 2500)
        try await relay.turns()
        topic.replaceCluster()
        clock.advance(.seconds(6))
        try await relay.turns { !indexes.isEmpty }
        #expect(relay.status.isReplaying)
    }

    /// Commits one event per stream number, in a transaction of its own.
    func append(_ streams: UInt64...) {
        let xid = log.begin()
        log.commit(xid, streams.map { Self.event(stream: $0) })
    }

    /// Commits so many events at once, each of a stream of its own.
    func append(count: UInt64) {
        let xid = log.begin()
        log.commit(xid, (0..<count).map { Self.event(stream: $0) })
    }

    static func event(
        stream: UInt64,
        version: Int32 = 1,
        hash: UInt8? = nil
    ) -> (StoredEvent, EventHash) {
        let (type, payload) = EventFormat.encode(.offlineGrant(.revoked(.logout)))
        let event = StoredEvent(
            project: Sample.number(1),
            stream: Sample.stream(stream),
            version: version,
            type: type,
            command: CommandID(Sample.stream(0xC0)),
            actor: nil,
            columns: StoredColumns(occurredAt: Sample.time(0)),
            payload: payload,
            metadata: EventMetadata(
                actor: .system,
                correlation: Sample.stream(0xC1),
                node: "test"
            ).encoded()
        )
        let digest = Sample.digest(hash ?? UInt8(truncatingIfNeeded: stream))
        return (event, EventHash(digest: digest))
    }

    /// Every event on the topic, in the order of each partition.
    var events: [[PublishedPlace]] {
        topic.partitions.map { records in
            records.compactMap { record in
                if case .event(let place) = LogRecord(record) { place } else { nil }
            }
        }
    }

    /// The numbers on the topic, each once, ascending.
    var indexes: [Int64] { Set(events.joined().map(\.index)).sorted() }

    /// The streams in published order.
    var streams: [UInt64] {
        let places = Dictionary(events.joined().map { ($0.index, $0) }) { first, _ in first }
        return places.keys.sorted().compactMap { places[$0]?.stream?.low }
            .map { $0 & 0xFFFF_FFFF }
    }

    var watermarks: [[LogWatermark]] {
        topic.partitions.map { records in
            records.compactMap { record in
                if case .watermark(let watermark) = LogRecord(record) { watermark } else { nil }
            }
        }
    }
}

extension Relay {
    /// Enough turns for whatever is pending, without letting much time pass.
    mutating func turns(_ count: Int = 20) async throws {
        for _ in 0..<count { try await turn() }
    }

    /// Turns until `isDone`, so often at most that a test ends.
    mutating func turns(until isDone: () -> Bool) async throws {
        for _ in 0..<1000 {
            if isDone() { return }
            try await turn()
        }
    }

    /// So often by turns with another.
    mutating func turns<OtherLog, OtherPublisher>(
        _ count: Int,
        with other: inout Relay<OtherLog, OtherPublisher>
    ) async throws {
        for _ in 0..<count {
            try await turn()
            try await other.turn()
        }
    }
}
