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
        #expect(second.status.completeThrough == nil)
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
