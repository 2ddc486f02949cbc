import Domain
import EventFormat
import InMemory
import Publishing
import Runtime
import TestSupport
import Testing

/// What a relay does when Kafka or PostgreSQL is not what it was.
@Suite("Relay and lost history") struct RelayHistoryTests {
    @Test("publishes everything again to another cluster") func newCluster() async throws {
        let world = RelayWorld()
        world.append(1, 2)
        world.append(3)
        var (relay, _) = world.relay()
        try await relay.turns()
        world.topic.replaceCluster()
        world.clock.advance(.seconds(6))
        world.append(4)
        try await relay.turns()
        #expect(world.streams == [1, 2, 3, 4])
        #expect(world.log.clusterID == world.topic.clusterID)
        #expect(world.log.ledger.map(\.index) == [0, 1, 2, 3])
    }

    @Test("publishes again what partitions that were dropped have left") func dropped()
        async throws
    {
        let world = RelayWorld()
        for stream in 1...2_010 { world.append(UInt64(stream)) }
        var (relay, _) = world.relay()
        try await relay.turns()
        world.log.dropEvents(before: 2_007)
        world.topic.replaceCluster()
        world.clock.advance(.seconds(6))
        try await relay.turns()
        #expect(world.indexes == [2_007, 2_008, 2_009])
        #expect(world.log.clusterID == world.topic.clusterID)
    }

    @Test("sends nothing meant for one cluster to another") func batchOnItsWay() async throws {
        let world = RelayWorld(partitions: 1)
        world.append(1, 2)
        var (relay, _) = world.relay()
        try await relay.turns()
        // On its way while no broker answers; then others have the address.
        world.topic.setDown(true)
        world.append(3)
        try await relay.turns(3)
        world.topic.replaceCluster()
        world.topic.setDown(false)
        try await relay.turns()
        #expect(world.events.joined().map(\.index) == [0, 1, 2])
    }

    @Test("begins again when the cluster is replaced while it is publishing again")
    func replacedTwice() async throws {
        let world = RelayWorld(partitions: 1)
        var (relay, _) = world.relay()
        try await world.beginReplay(by: &relay)
        world.topic.replaceCluster()
        try await relay.turns()
        #expect(world.events.joined().map(\.index) == Array(0..<2500))
        #expect(world.log.clusterID == world.topic.clusterID)
    }

    @Test("sends nothing while it has not heard which cluster it reaches") func unheard()
        async throws
    {
        let world = RelayWorld(partitions: 1)
        let publisher = UnheardPublisher(world.topic.producer())
        var relay = Relay(log: world.log.session(), publisher: publisher, clock: world.clock)
        try await world.beginReplay(by: &relay)
        world.topic.replaceCluster()
        publisher.isUnheard.replace(with: true)
        world.clock.advance(.seconds(6))
        try await relay.turns(40)
        #expect(world.events.joined().map(\.index) == Array(0..<2500))
        #expect(world.log.clusterID == world.topic.clusterID)
    }

    @Test("begins again when it died while publishing again") func diedWhileReplaying()
        async throws
    {
        let world = RelayWorld()
        var (first, session) = world.relay()
        try await world.beginReplay(by: &first)
        session.cut()
        #expect(world.log.clusterID != world.topic.clusterID)
        var (second, _) = world.relay()
        try await second.turns()
        #expect(world.indexes == Array(0..<2500))
        #expect(world.log.clusterID == world.topic.clusterID)
        #expect(!second.status.isReplaying)
    }

    @Test("publishes again from the number it is told") func fromIndex() async throws {
        let world = RelayWorld()
        world.append(1, 2, 3)
        var (first, session) = world.relay()
        try await first.turns()
        session.cut()
        world.topic.replaceCluster()
        var (second, _) = world.relay(replayStart: 2)
        try await second.turns()
        #expect(world.indexes == [2])
    }

    @Test("publishes again when the topic was made anew") func newTopic() async throws {
        let world = RelayWorld()
        world.append(1, 2)
        var (first, session) = world.relay()
        try await first.turns()
        session.cut()
        world.topic.recreate()
        var (second, _) = world.relay()
        try await second.turns()
        #expect(world.streams == [1, 2])
    }

    @Test("begins again when it died while filling a topic made anew") func diedWhileFilling()
        async throws
    {
        let world = RelayWorld()
        world.append(count: 2500)
        var (first, session) = world.relay()
        try await first.turns()
        session.cut()
        world.topic.recreate()
        var (second, next) = world.relay()
        while world.indexes.isEmpty { try await second.turn() }
        #expect(second.status.isReplaying)
        next.cut()
        #expect(world.indexes.count < 2500)
        var (third, _) = world.relay()
        try await third.turns(40)
        #expect(world.indexes == Array(0..<2500))
        #expect(world.log.clusterID == world.topic.clusterID)
    }

    @Test("stops when PostgreSQL has lost what Kafka shows", arguments: [false, true])
    func lostHistory(_ isOverwritten: Bool) async throws {
        let world = RelayWorld()
        world.append(1, 2)
        world.append(3)
        var (first, session) = world.relay()
        try await first.turns()
        session.cut()
        world.log.loseHistory(from: 2)
        if isOverwritten { world.append(9) }
        var (second, _) = world.relay()
        try await second.turns(5)
        #expect(second.status.role == .halted(.lostHistory(index: 2)))
        #expect(world.indexes == [0, 1, 2])
        #expect(world.log.ledger.count == 2)
    }

    @Test("gives no number Kafka shows to another event", arguments: [1, 5, 12, 13, 20, 1500])
    func numbersOnce(_ appended: UInt64) async throws {
        let world = RelayWorld(partitions: 12)
        world.append(1, 2, 3)
        for stream in 10..<23 { world.append(UInt64(stream)) }
        var (first, session) = world.relay()
        try await first.turns()
        #expect(world.indexes == Array(0..<16))
        session.cut()
        world.log.loseHistory(from: 3)
        for stream in 0..<appended { world.append(100 + stream) }
        let shown = world.events
        var (second, _) = world.relay()
        try await second.turns(5)
        #expect(second.status.role == .halted(.lostHistory(index: 3)))
        #expect(world.events == shown)
        #expect(world.log.ledger.count == 3)
    }

    @Test("sees lost history behind watermarks") func lostBehindWatermarks() async throws {
        let world = RelayWorld()
        world.append(1, 2)
        var (first, session) = world.relay()
        try await first.turns()
        for _ in 0..<20 {
            world.clock.advance(.seconds(1))
            try await first.turns(3)
        }
        #expect(world.watermarks.allSatisfy { $0.count > 10 })
        session.cut()
        world.log.loseHistory(from: 1)
        var (second, _) = world.relay()
        try await second.turns(5)
        #expect(second.status.role == .halted(.lostHistory(index: 1)))
    }

    @Test("sees a row that was lost before it was recorded, behind a watermark that came with it")
    func lostBeforeRecorded() async throws {
        let world = RelayWorld()
        world.append(1, 2)
        var (first, session) = world.relay()
        try await first.turns()
        // A row is out, and behind it what was known to be complete before; neither is recorded.
        let producer = world.topic.producer()
        _ = try await producer.clusterID()
        await producer.submit([try Self.published(2, stream: 9)])
        let known = LogWatermark(log: RelayWorld.id, completeThrough: Sample.time(0), index: 1)
        await producer.announce(known.record(at: Sample.time(1)))
        for _ in 0..<2 { #expect(try await producer.settled(within: .zero)) }
        session.cut()
        // PostgreSQL has lost it, and gives its number to another event.
        world.append(5)
        var (second, _) = world.relay()
        try await second.turns(5)
        #expect(second.status.role == .halted(.lostHistory(index: 2)))
        #expect(world.log.ledger.count == 2)
    }

    @Test("goes on when the records after the cursor are the same") func sameHistory()
        async throws
    {
        let world = RelayWorld()
        world.append(1)
        var (first, session) = world.relay()
        try await first.turns()
        world.append(2, 3)
        while world.indexes.count < 3 { try await first.turn() }
        session.cut()
        #expect(world.log.cursor.nextIndex == 1)
        var (second, _) = world.relay()
        try await second.turns()
        #expect(second.status.role == .active)
        #expect(world.log.ledger.map(\.index) == [0, 1, 2])
    }

    // MARK: - What the end of the topic shows

    static func seen(_ index: Int64) -> LogRecord {
        (try? published(index, stream: UInt64(index))).map { LogRecord($0) } ?? .foreign
    }

    static func published(_ index: Int64, stream: UInt64) throws -> PublishedRecord {
        let (event, hash) = RelayWorld.event(stream: stream)
        let place = PublishedForm.Place(
            log: RelayWorld.id,
            logIndex: index,
            projectName: Sample.project("shop"),
            hash: hash,
            relayEpoch: 1
        )
        return try PublishedForm.record(of: event, at: place)
    }

    static func complete(_ index: Int64) -> LogRecord {
        let time = Sample.time(0)
        return .watermark(LogWatermark(log: RelayWorld.id, completeThrough: time, index: index))
    }

    @Test(
        "a number that a watermark names and nothing shows is lost",
        arguments: [
            ([], nil),
            ([seen(9), complete(9)], nil),
            ([seen(10), seen(12), complete(9)], nil),
            ([seen(10), seen(11), complete(11)], nil),
            ([seen(10), seen(12), complete(12)], 11),
            ([complete(10)], 10),
        ] as [([LogRecord], Int64?)]
    )
    func verifiable(_ records: [LogRecord], lost: Int64?) {
        let check = TailCheck(of: RelayWorld.id, nextIndex: 10, records)
        var found: Int64?
        do { try check.verifiable() } catch { found = error.index }
        #expect(found == lost)
        #expect(check.needsMore == records.contains { Self.index(of: $0) >= 10 })
    }

    static func index(of record: LogRecord) -> Int64 {
        switch record {
        case .event(let event): event.index
        case .watermark(let watermark): watermark.index
        case .foreign: -1
        }
    }
}
