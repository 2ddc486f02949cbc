import Domain
import EventFormat
import InMemory
import Publishing
import Runtime
import TestSupport
import Testing

/// What a relay says and does while clocks, disks or brokers are not as they should be.
@Suite("Relay in trouble") struct RelayTroubleTests {
    @Test("takes no claim from a database clock that is ahead") func clockAhead() async throws {
        let world = RelayWorld()
        var (relay, _) = world.relay()
        try await Self.pass(3, world, &relay)
        let before = try #require(relay.status.completeThrough)
        world.log.advance(seconds: 3600)
        try await Self.pass(3, world, &relay)
        #expect(try #require(relay.status.completeThrough) == before)
        #expect(try #require(relay.status.problem).contains("clock differs from ours by 3600000"))
        world.log.advance(seconds: -3600)
        try await Self.pass(3, world, &relay)
        #expect(relay.status.problem == nil)
        #expect(try #require(relay.status.completeThrough) > before)
        #expect(Self.isTrue(world))
    }

    @Test("takes back what a clock said that has gone back since") func clockBack() async throws {
        let world = RelayWorld()
        var (relay, _) = world.relay()
        // As when all of it is one machine: nobody has another clock.
        world.clock.step(3600)
        try await Self.pass(3, world, &relay)
        world.clock.step(-3600)
        let count = world.watermarks[0].count
        try await Self.pass(5, world, &relay)
        let later = world.watermarks[0].dropFirst(count)
        #expect(!later.isEmpty)
        #expect(later.allSatisfy { $0.completeThrough <= world.log.now.adding(seconds: -8) })
    }

    @Test("nor lets it be said by rows that were on their way meanwhile") func onTheirWay()
        async throws
    {
        let world = RelayWorld()
        var (relay, _) = world.relay()
        world.clock.step(12)
        try await Self.pass(3, world, &relay)
        world.topic.setDown(true)
        world.append(1, 1)
        try await Self.pass(1, world, &relay)
        world.clock.step(-12)
        try await Self.pass(1, world, &relay)
        let begun = world.log.now
        // Of this transaction nobody has published anything.
        let open = world.log.begin()
        try await Self.pass(15, world, &relay)
        world.topic.setDown(false)
        try await Self.pass(3, world, &relay)
        #expect((relay.status.completeThrough ?? begun) <= begun, "\(open)")
    }

    @Test(
        "clocks that differ by less than the margin are no trouble",
        arguments: [2, -2] as [Int64]
    )
    func smallSkew(_ seconds: Int64) async throws {
        let world = RelayWorld()
        var (relay, _) = world.relay()
        world.log.advance(seconds: seconds)
        try await Self.pass(3, world, &relay)
        #expect(relay.status.skewMilliseconds == seconds * 1000)
        #expect(relay.status.problem == nil)
        #expect(relay.status.completeThrough != nil)
    }

    @Test("one that stands by with a wrong clock is not ready to take over") func standbySkew()
        async throws
    {
        let world = RelayWorld()
        var (first, _) = world.relay()
        try await first.turns()
        var (second, _) = world.relay()
        try await second.turn()
        #expect(second.status.problem == nil)
        world.log.advance(seconds: 5)
        try await second.turn()
        #expect(second.status.role == .standby)
        #expect(second.status.problem?.contains("clock") == true)
        world.log.advance(seconds: -5)
        try await second.turn()
        #expect(second.status.problem == nil)
    }

    @Test("says once how far the log is complete while Kafka takes nothing")
    func oneWatermark() async throws {
        let world = RelayWorld()
        var (relay, _) = world.relay()
        try await Self.pass(3, world, &relay)
        let count = world.watermarks[0].count
        world.topic.setDown(true)
        try await Self.pass(18, world, &relay)
        #expect(relay.status.lagMilliseconds > 15_000)
        world.topic.setDown(false)
        try await relay.turns(4)
        #expect(world.watermarks[0].count <= count + 2)
        try await Self.pass(3, world, &relay)
        #expect(world.watermarks[0].count >= count + 3)
    }

    @Test("publishes seldom what it cannot keep, and says so all the time") func fullDisk()
        async throws
    {
        let world = RelayWorld()
        world.append(1)
        var (relay, _) = world.relay()
        try await relay.turns()
        world.log.setFull(true)
        world.append(2)
        let start = world.clock.nanoseconds
        var silent = 0
        while world.clock.nanoseconds - start < 600_000_000_000 {
            try await relay.turn()
            let isLate = world.clock.nanoseconds - start > 40_000_000_000
            if isLate, relay.status.problem == nil { silent += 1 }
        }
        #expect(silent == 0)
        #expect(relay.status.failedTermCount < 40)
        #expect(world.events.joined().count { $0.index == 1 } < 40)
        world.log.setFull(false)
        try await relay.turns(60)
        #expect(world.log.ledger.map(\.index) == [0, 1])
        #expect(relay.status.problem == nil)
    }

    enum End: CaseIterable { case databaseAway, diskFull, unknownEvent }

    @Test(
        "gives up what is on its way, then the lead, whatever ends its term",
        arguments: End.allCases
    )
    func termEnds(_ end: End) async throws {
        let world = RelayWorld()
        let session = world.log.session()
        let other = world.log.session()
        let kafka = CutOffPublisher(world.topic.producer())
        var relay = Relay(log: session, publisher: kafka, clock: world.clock)
        try await relay.turns()
        let wasLeadFree = Guarded<[Bool]>([])
        kafka.onRenew.replace(with: {
            let term = try? await other.lead()
            wasLeadFree.withLock { $0.append(term != nil) }
        })
        switch end {
        case .databaseAway: session.cut()
        case .diskFull:
            world.log.setFull(true)
            world.append(1)
        case .unknownEvent:
            var unknown = RelayWorld.event(stream: 1)
            unknown.0.type = 32_000
            world.log.commit(world.log.begin(), [unknown])
        }
        for _ in 0..<20 where relay.status.role == .active { try await relay.turn() }
        #expect(relay.status.role != .active)
        // A database that is away has taken the lead before.
        #expect(wasLeadFree.current == [end == .databaseAway])
        #expect(try await other.lead() != nil)
    }

    @Test("is not ready while a write transaction holds everything up") func heldFence()
        async throws
    {
        let world = RelayWorld()
        var (relay, _) = world.relay()
        try await Self.pass(3, world, &relay)
        _ = world.log.begin()
        try await Self.pass(40, world, &relay)
        #expect(relay.status.lagMilliseconds < 5000)
        #expect(try #require(relay.status.problem).contains("write transaction"))
    }

    private static func pass(
        _ seconds: Int,
        _ world: RelayWorld,
        _ relay: inout RelayWorld.TestRelay
    ) async throws {
        for _ in 0..<seconds {
            world.clock.advance(.seconds(1))
            try await relay.turns(4)
        }
    }

    /// Whether no watermark lies ahead of what its margin allows.
    private static func isTrue(_ world: RelayWorld) -> Bool {
        let latest = world.log.now.adding(seconds: -8)
        return world.watermarks.joined().allSatisfy { $0.completeThrough <= latest }
    }
}
