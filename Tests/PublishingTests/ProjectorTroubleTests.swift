import Domain
import EventFormat
import InMemory
import Publishing
import TestSupport
import Testing

/// What a projector makes of Kafka, of a database and of a topic that are not as they should be.
@Suite("Projector in trouble") struct ProjectorTroubleTests {
    static let opened = ProjectorWorld.opened

    @Test("waits, and says so, while Kafka does not answer") func waiting() async throws {
        let world = ProjectorWorld()
        try await world.happens([Self.opened, .ended(.logout)], to: 1)
        world.relays.topic.setDown(true)
        var (projector, _) = world.projector()
        await projector.turns(2)
        #expect(projector.status.role == .waiting)
        world.relays.topic.setDown(false)
        await projector.turns()
        #expect(projector.status.role == .active)
        // One that stands by has no claim of its own that could grow old.
        var (second, _) = world.projector()
        await second.turn()
        #expect(second.status.role == .standby)
        // What the other one's work has come to.
        #expect(second.status.completeThrough == world.model.progress.complete?.completeThrough)
    }

    @Test("one that stands still is ended, and the other says meanwhile what is wrong")
    func frozen() async throws {
        let world = ProjectorWorld()
        var (first, _) = world.projector()
        var (second, _) = world.projector()
        try await world.happens([Self.opened], to: 1)
        await first.turns()
        await second.turn()
        #expect(second.status.role == .standby)
        try await world.publish()
        await first.turns()
        // It lives.
        await second.turns(30, with: &first)
        #expect(first.status.role == .active)
        // From here on it is not turned any more, as under SIGSTOP.
        try await world.happens([.ended(.logout)], to: 1, from: 2)
        await second.turn()
        #expect(second.status.problem(at: world.relays.clock.wallTime)?.contains("behind") == true)
        await second.turns(40)
        #expect(second.status.role == .active)
        #expect(try await world.isWhole())
        await first.turns(2)
        #expect(first.status.role == .standby)
    }

    @Test("a stopped key goes on with all of it, also what has no number yet") func newest()
        async throws
    {
        let world = ProjectorWorld()
        var (projector, _) = world.projector()
        try await world.happens([Self.opened, .seen(at: Sample.time(2))], to: 1)
        world.model.setReadable { _ in false }
        await projector.turns()
        #expect(projector.status.blocked.count == 1)
        // Published, and the relay died before it recorded the number.
        world.relays.log.setFull(true)
        try await world.happens([.ended(.logout)], to: 1, from: 3)
        await projector.turns()
        world.model.setReadable { _ in true }
        world.relays.clock.advance(.seconds(10))
        await projector.turns()
        world.relays.log.setFull(false)
        try await world.publish()
        await projector.turns()
        world.relays.clock.advance(.seconds(10))
        await projector.turns()
        #expect(projector.status.blocked.isEmpty)
        #expect(world.model.revocations.count == 1)
        #expect(try await world.isWhole())
    }

    @Test("what stands before an event that nobody here can read is revoked, also after a rest")
    func before() async throws {
        let world = ProjectorWorld()
        try await world.happens(
            [Self.opened, .ended(.logout), .seen(at: Sample.time(2))],
            to: 1
        )
        world.model.setReadable { $0.version < 3 }
        // It has all three from PostgreSQL, in one go.
        var (projector, _) = world.projector()
        await projector.turns()
        #expect(projector.status.blocked.map(\.index) == [2])
        #expect(world.model.revocations.keys.sorted() == [ProjectorWorld.key(1)])
        #expect(world.revocations.values.keys.sorted() == [ProjectorWorld.key(1)])
    }

    /// A topic that takes its time: meanwhile a rebuilt model is put in place.
    private struct SlowTopic: RevocationSink {
        let inner: InMemoryRevocationSink
        let model: InMemoryReadModel

        func place() async throws(ProjectionTrouble) -> RevocationPlace { try await inner.place() }

        func leave() async { await inner.leave() }

        func publish(
            _ records: [RevocationRecord]
        ) async throws(ProjectionTrouble) -> [Int32: Int64] {
            defer { model.replace() }
            return try await inner.publish(records)
        }

        func bury(_ keys: [String]) async throws(ProjectionTrouble) {
            try await inner.bury(keys)
        }

        func publish(_ watermark: LogWatermark) async throws(ProjectionTrouble) {
            try await inner.publish(watermark)
        }
    }

    @Test("what another model has queued is not taken for published") func rebuilt() async throws {
        let world = ProjectorWorld()
        var projector = Projector(
            store: world.model.session(),
            source: world.relays.topic.source(),
            sink: SlowTopic(inner: world.revocations.sink(), model: world.model),
            clock: world.relays.clock
        )
        try await world.happens([Self.opened, .ended(.logout)], to: 1)
        while world.revocations.values.isEmpty { await projector.turn() }
        #expect(world.model.outbox.count == 1)
    }

    @Test("what has expired and cannot be dropped costs nobody the lead") func upkeep()
        async throws
    {
        let world = ProjectorWorld()
        var (projector, _) = world.projector()
        world.model.setFailsUpkeep(true)
        for stream in 1...3 as ClosedRange<UInt64> {
            try await world.happens([Self.opened, .ended(.logout)], to: stream)
            await projector.turn()
            #expect(projector.status.role == .active)
            await projector.turns()
        }
        #expect(projector.status.upkeepFailureCount > 1)
        #expect(try await world.isWhole())
    }

    @Test("another cluster gets every revocation before anything is called complete")
    func newCluster() async throws {
        let world = ProjectorWorld()
        var (first, _) = world.projector()
        for stream in UInt64(1)...5 {
            try await world.happens([Self.opened, .ended(.logout)], to: stream)
        }
        await first.turns(20)
        #expect(world.revocations.values.count == 5)
        #expect(world.model.outbox.isEmpty)
        world.relays.topic.replaceCluster()
        world.relays.clock.advance(.seconds(6))
        // One dies after it has queued some; its heir begins anew.
        for _ in 0..<20 where world.model.outbox.isEmpty { await first.turn() }
        #expect(!world.model.outbox.isEmpty)
        await first.end()
        var (second, _) = world.projector()
        await second.turns(2)
        try await world.publish()
        for _ in 0..<100 where world.revocations.watermarks.isEmpty { await second.turn() }
        #expect(!world.revocations.watermarks.isEmpty)
        #expect(world.revocations.values.count == 5)
        #expect(world.model.outbox.isEmpty)
    }

    @Test("a connection that stands to a former cluster tells it nothing, and is given up")
    func formerCluster() async throws {
        let world = ProjectorWorld()
        var (projector, _) = world.projector()
        try await world.happens([Self.opened, .ended(.logout)], to: 1)
        await projector.turns(20)
        // The address moves; the former cluster lives.
        world.relays.topic.replaceCluster()
        try await world.happens([Self.opened, .ended(.logout)], to: 2)
        await projector.turns(80)
        #expect(world.revocations.values(on: "cluster-1").keys.sorted() == [ProjectorWorld.key(1)])
        #expect(world.revocations.values.count == 2)
        #expect(world.model.outbox.isEmpty)
        #expect(projector.status.role == .active)
    }

    @Test("what was told to one cluster alone is told to the next, also to a former one")
    func thereAndBack() async throws {
        let world = ProjectorWorld()
        var (first, _) = world.projector()
        try await world.happens([Self.opened, .ended(.logout)], to: 1)
        await first.turns(20)
        await first.end()
        for stream in UInt64(2)...4 {
            try await world.happens([Self.opened, .ended(.logout)], to: stream)
        }
        world.relays.topic.replaceCluster()
        // It dies when the new cluster has some, and the position names the old one.
        var (second, _) = world.projector()
        for _ in 0..<100 where world.revocations.values.isEmpty { await second.turn() }
        await second.end()
        world.relays.topic.returnToCluster("cluster-1")
        try await world.publish()
        var (third, _) = world.projector()
        await third.turns(60)
        #expect(world.revocations.values.count == 4)
        #expect(!world.revocations.watermarks.isEmpty)
    }

    @Test("offsets of one cluster are never kept as another's") func endsWhileCatchingUp()
        async throws
    {
        let world = ProjectorWorld()
        var (first, _) = world.projector()
        try await world.happens([Self.opened, .seen(at: Sample.time(2))], to: 1)
        await first.turns()
        await first.end()
        for stream in UInt64(2)...6 {
            try await world.happens([Self.opened, .ended(.logout)], to: stream)
        }
        world.relays.topic.replaceCluster()
        try await world.publish()
        var (second, _) = world.projector()
        await second.turns(4)
        #expect(second.status.isCatchingUp)
        await second.end()
        let position = try await world.projector().1.position()
        #expect(position.progress.frontier > first.status.frontier)
        #expect(position.cluster == "cluster-1")
    }

    @Test("the numbers of another log that the topic still shows are not waited for")
    func otherLog() async throws {
        let world = ProjectorWorld()
        let other = InMemoryEventLog(id: Sample.stream(0xB8), project: Sample.project("shop"))
        let xid = other.begin()
        other.commit(xid, (1...50).map { RelayWorld.event(stream: $0) })
        var before = RelayWorld.TestRelay(
            log: other.session(),
            publisher: world.relays.topic.producer(),
            clock: world.relays.clock
        )
        try await before.turns()
        try await world.happens([Self.opened, .ended(.logout)], to: 1)
        var (projector, _) = world.projector()
        await projector.turns()
        try await world.publish()
        await projector.turns()
        #expect(projector.status.role == .active)
        #expect(!projector.status.isCatchingUp)
        #expect(projector.status.completeThrough != nil)
        #expect(world.model.progress.frontier == 1)
        #expect(try await world.isWhole())
    }
}
