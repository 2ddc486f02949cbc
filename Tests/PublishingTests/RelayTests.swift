import Domain
import EventFormat
import InMemory
import Publishing
import Runtime
import TestSupport
import Testing

@Suite("Relay") struct RelayTests {
    @Test("numbers events densely, in the order of their transactions") func order() async throws {
        let world = RelayWorld()
        let first = world.log.begin()
        let second = world.log.begin()
        world.log.commit(second, [RelayWorld.event(stream: 2), RelayWorld.event(stream: 3)])
        world.log.commit(first, [RelayWorld.event(stream: 1)])
        var (relay, _) = world.relay()
        try await relay.turns()
        #expect(world.indexes == [0, 1, 2])
        #expect(world.streams == [1, 2, 3])
        #expect(world.log.ledger.map(\.index) == [0, 1, 2])
        #expect(relay.status.role == .active)
        #expect(relay.status.nextIndex == 3)
    }

    @Test("publishes nothing that an open transaction can still come before") func fence()
        async throws
    {
        let world = RelayWorld()
        let open = world.log.begin()
        world.append(2)
        var (relay, _) = world.relay()
        try await relay.turns()
        #expect(world.indexes.isEmpty)
        world.log.commit(open, [RelayWorld.event(stream: 1)])
        try await relay.turns()
        #expect(world.streams == [1, 2])
    }

    @Test("publishes more than one batch") func batches() async throws {
        let world = RelayWorld()
        world.append(count: 2500)
        var (relay, _) = world.relay()
        try await relay.turns()
        #expect(world.indexes == Array(0..<2500))
        #expect(world.streams == Array(0..<2500))
        #expect(relay.status.publishedCount == 2500)
    }

    @Test(
        "gives the same numbers again after a batch that failed",
        arguments: [InMemoryTopic.Fault.broken, .answerLost]
    )
    func failedBatch(_ fault: InMemoryTopic.Fault) async throws {
        let world = RelayWorld()
        var (relay, _) = world.relay()
        try await relay.turns()
        world.append(1, 2, 3, 4)
        world.topic.fail(fault)
        try await relay.turns()
        #expect(world.indexes == [0, 1, 2, 3])
        #expect(world.streams == [1, 2, 3, 4])
        #expect(world.events.joined().count > 4)
        // Equal number, equal content.
        #expect(Set(world.events.joined().map(\.self)).count == 4)
    }

    @Test("reads on while Kafka has not confirmed, and not without end") func readsOn() async throws
    {
        let world = RelayWorld()
        var (relay, _) = world.relay()
        try await relay.turns()
        world.topic.setDown(true)
        let limit = RelayWorld.TestRelay.rowsOnTheirWayMax
        for stream in 0..<UInt64(2 * limit) { world.append(stream) }
        for _ in 0..<100 {
            world.clock.advance(.milliseconds(5))
            try await relay.turn()
        }
        #expect(world.log.ledger.isEmpty)
        #expect(relay.status.nextIndex == 0)
        world.topic.setDown(false)
        // All that was begun, and behind it what is read then.
        try await relay.turn()
        #expect(world.indexes.count == limit + LogRow.batchMax)
        try await relay.turns(100)
        #expect(world.indexes == Array(0..<Int64(2 * limit)))
        #expect(world.log.ledger.map(\.index) == Array(0..<Int64(2 * limit)))
        #expect(world.events.allSatisfy { $0.map(\.index) == $0.map(\.index).sorted() })
    }

    @Test("begins again behind the last number kept when one batch of several fails")
    func failedInTheMiddle() async throws {
        let world = RelayWorld()
        var (relay, _) = world.relay()
        try await relay.turns()
        world.topic.setDown(true)
        for stream in 1...3 {
            // The same stream again and again: the order of its versions is at stake.
            world.append(7, UInt64(stream) << 8)
            world.clock.advance(.milliseconds(5))
            try await relay.turn()
        }
        world.topic.fail(.answerLost)
        world.topic.fail(.broken)
        world.topic.setDown(false)
        try await relay.turns(40)
        #expect(world.indexes == Array(0..<6))
        #expect(world.log.ledger.map(\.index) == Array(0..<6))
        for places in world.events {
            var seen: Int64 = -1
            for place in places where place.index > seen {
                // A number that is skipped here comes in another partition, not later in this.
                #expect(!places.contains { $0.index > seen && $0.index < place.index })
                seen = place.index
            }
        }
    }

    @Test("continues where one stopped that died before it kept the numbers") func takeOver()
        async throws
    {
        let world = RelayWorld()
        var (first, firstSession) = world.relay()
        try await first.turns()
        world.append(1, 2)
        // Published, not kept.
        while world.indexes.count < 2 { try await first.turn() }
        firstSession.cut()
        var (second, _) = world.relay()
        world.append(3)
        try await second.turns()
        #expect(world.streams == [1, 2, 3])
        #expect(world.log.ledger.map(\.index) == [0, 1, 2])
        #expect(second.status.role == .active)
        // The first comes back and cannot do harm.
        firstSession.mend()
        await #expect(throws: RelayWorld.TestRelay.Fenced.self) { try await first.turns() }
        #expect(world.log.ledger.count == 3)
    }

    @Test("is fenced when another has taken the lead meanwhile") func fenced() async throws {
        let world = RelayWorld()
        var (frozen, frozenSession) = world.relay()
        try await frozen.turns()
        world.append(1)
        while world.indexes.isEmpty { try await frozen.turn() }
        await frozenSession.resign()
        var (second, _) = world.relay()
        try await second.turns()
        await #expect(throws: RelayWorld.TestRelay.Fenced.self) { try await frozen.turns() }
        #expect(world.log.ledger.map(\.index) == [0])
    }

    @Test("stands by while another shows life, and ends one that does not") func standby()
        async throws
    {
        let world = RelayWorld()
        var (first, _) = world.relay()
        try await first.turns()
        var (second, _) = world.relay()
        try await second.turn()
        #expect(second.status.role == .standby)
        // Frozen for longer than ten seconds; standing by takes a second a turn.
        try await second.turns(12)
        #expect(second.status.role == .active)
    }

    @Test("shows life while Kafka is away, and publishes when it is back") func kafkaAway()
        async throws
    {
        let world = RelayWorld()
        var (relay, _) = world.relay()
        try await relay.turns()
        world.topic.setDown(true)
        world.append(1)
        var (second, _) = world.relay()
        // Shorter than its patience, and longer than a silence.
        try await relay.turns(15, with: &second)
        #expect(second.status.role == .standby)
        #expect(relay.status.lagMilliseconds > 0)
        world.topic.setDown(false)
        try await relay.turns()
        #expect(world.streams == [1])
        #expect(relay.status.lagMilliseconds == 0)
    }

    @Test("a Kafka that is away from the start on is told by the lag") func awayFromTheStart()
        async throws
    {
        let world = RelayWorld()
        world.append(1)
        world.topic.setDown(true)
        var (relay, _) = world.relay()
        try await relay.turns(3)
        world.clock.advance(.seconds(45))
        try await relay.turns(3)
        #expect(relay.status.lagMilliseconds >= 45_000)
        #expect(relay.status.fenceAgeMilliseconds >= 45_000)
        world.topic.setDown(false)
        try await relay.turns()
        #expect(relay.status.lagMilliseconds == 0)
    }

    @Test("a halt shows in the turn it happens in") func haltShows() async throws {
        let world = RelayWorld()
        var unknown = RelayWorld.event(stream: 2)
        unknown.0.type = 32_000
        let xid = world.log.begin()
        world.log.commit(xid, [unknown])
        var (relay, _) = world.relay()
        var before = world.clock.nanoseconds
        for _ in 0..<20 {
            before = world.clock.nanoseconds
            try await relay.turn()
            if case .halted = relay.status.role { break }
        }
        guard case .halted = relay.status.role else {
            Issue.record("not halted: \(relay.status.role)")
            return
        }
        #expect(world.clock.nanoseconds - before < 1_000_000_000)
        // It rests in short turns, and looks again.
        let term = world.log.cursor
        try await relay.turns(12)
        #expect(world.clock.nanoseconds - before > 9_000_000_000)
        #expect(world.log.cursor == term)
    }

    @Test("a slow Kafka does not make it look frozen") func slowKafka() async throws {
        let world = RelayWorld()
        world.append(1)
        var (first, session) = world.relay()
        try await first.turns()
        world.append(2, 3)
        while world.indexes.count < 3 { try await first.turn() }
        session.cut()
        let rival = world.log.session()
        let slowness = Slowness(.seconds(8), clock: world.clock) {
            (try? await rival.deposeHolder(silentFor: .seconds(10))) == true
        }
        let slow = SlowPublisher(world.topic.producer(), slowness)
        var second = Relay(log: world.log.session(), publisher: slow, clock: world.clock)
        try await second.turns()
        #expect(second.status.role == .active)
        #expect(slowness.questions.current >= 4)
        #expect(!slowness.wasDeposed.current)
        #expect(world.log.ledger.map(\.index) == [0, 1, 2])
    }

    @Test("goes on after the database was away") func databaseAway() async throws {
        let world = RelayWorld()
        var (relay, session) = world.relay()
        try await relay.turns()
        session.cut()
        world.append(1)
        try await relay.turns(3)
        #expect(relay.status.role == .standby)
        session.mend()
        try await relay.turns()
        #expect(world.streams == [1])
    }

    @Test("carries on in a new epoch when the old one is drained") func epochs() async throws {
        let world = RelayWorld()
        world.append(1)
        world.append(2)
        var (relay, session) = world.relay()
        world.log.beginEpoch()
        world.append(3)
        try await relay.turns()
        session.cut()
        #expect(world.streams == [1, 2, 3])
        #expect(world.log.ledger.map(\.row.place.epoch) == [1, 1, 2])
    }

    @Test("stops at an event it cannot publish, and never skips it") func unpublishable()
        async throws
    {
        let world = RelayWorld()
        var (relay, _) = world.relay()
        try await relay.turns()
        var unknown = RelayWorld.event(stream: 2)
        unknown.0.type = 32_000
        let xid = world.log.begin()
        world.log.commit(xid, [RelayWorld.event(stream: 1), unknown, RelayWorld.event(stream: 3)])
        try await relay.turns(30)
        guard case .halted(.unpublishable(let place, _)) = relay.status.role else {
            Issue.record("not halted: \(relay.status.role)")
            return
        }
        #expect(place.position == 2)
        #expect(world.indexes.isEmpty)
        #expect(world.log.ledger.isEmpty)
    }
}
