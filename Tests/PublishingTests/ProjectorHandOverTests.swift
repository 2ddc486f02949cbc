import Domain
import EventFormat
import InMemory
import Publishing
import Runtime
import TestSupport
import Testing

/// Projectors that have PostgreSQL and not Kafka (decision 0197).
@Suite("A projector without Kafka") struct ProjectorHandOverTests {
    typealias TestProjector = Projector<
        InMemoryProjectionSession, CutOffSource, InMemoryRevocationSink
    >

    static let opened = ProjectorWorld.opened

    private static func projector(in world: ProjectorWorld) -> (TestProjector, CutOffSource) {
        let source = CutOffSource(world.relays.topic.source())
        let projector = TestProjector(
            store: world.model.session(),
            source: source,
            sink: world.revocations.sink(),
            clock: world.relays.clock
        )
        return (projector, source)
    }

    @Test("leaves the lead to one that reads, and stands by when Kafka answers again")
    func handedOver() async throws {
        let world = ProjectorWorld()
        var (first, kafka) = Self.projector(in: world)
        var (second, _) = world.projector()
        try await world.happens([Self.opened], to: 1)
        await first.turns()
        #expect(first.status.role == .active)
        kafka.isCut.replace(with: true)
        await first.turns(40, with: &second)
        #expect(first.status.role == .waiting)
        #expect(first.status.handOver == .noAnswer)
        #expect(first.status.handOverCount == 1)
        #expect(second.status.role == .active)
        try await world.happens([.ended(.logout)], to: 1, from: 2)
        await second.turns()
        #expect(world.model.revocations.count == 1)
        #expect(try await world.isWhole())
        kafka.isCut.replace(with: false)
        await first.turns(3)
        #expect(first.status.role == .standby)
        await second.turn()
        #expect(second.status.role == .active)
    }

    @Test("one that has lost the lead counts no stopped key: it does not hear when they go on")
    func stopped() async throws {
        let world = ProjectorWorld()
        var (first, session) = world.projector()
        var (second, _) = world.projector()
        try await world.happens([Self.opened, .ended(.logout)], to: 1)
        world.model.setReadable { $0.stream != Sample.stream(1) }
        await first.turns()
        #expect(first.status.role == .active)
        #expect(first.status.blockedCount == 1)
        session.cut()
        try await world.happens([Self.opened, .ended(.logout)], to: 2)
        await first.turns(2)
        await second.turns()
        #expect(second.status.role == .active)
        #expect(second.status.blockedCount == 1)
        world.model.setReadable { _ in true }
        world.relays.clock.advance(.seconds(10))
        await second.turns()
        #expect(second.status.blockedCount == 0)
        #expect(first.status.role != .active)
        #expect(first.status.blockedCount == 0)
        #expect(try await world.isWhole())
    }

    @Test("and so does one whose reader is stuck while the brokers answer") func stuck()
        async throws
    {
        let world = ProjectorWorld()
        var (first, kafka) = Self.projector(in: world)
        var (second, _) = world.projector()
        try await world.happens([Self.opened], to: 1)
        await first.turns()
        kafka.isStuck.replace(with: true)
        try await world.happens([.ended(.logout)], to: 1, from: 2)
        await first.turns(40, with: &second)
        #expect(first.status.handOver == .standsStill)
        #expect(second.status.role == .active)
        #expect(world.model.revocations.count == 1)
        #expect(try await world.isWhole())
    }

    @Test("but not when what it lacked comes while it asks") func comesAgain() async throws {
        let world = ProjectorWorld()
        var (first, kafka) = Self.projector(in: world)
        var (second, _) = world.projector()
        try await world.happens([Self.opened], to: 1)
        await first.turns()
        kafka.isStuck.replace(with: true)
        kafka.comesWhenAsked.replace(with: true)
        try await world.happens([.ended(.logout)], to: 1, from: 2)
        await first.turns(40, with: &second)
        #expect(!kafka.isStuck.current)
        #expect(first.status.handOverCount == 0)
        #expect(first.status.role == .active)
        #expect(world.model.revocations.count == 1)
    }

    @Test("what comes to nobody moves the lead ever more seldom") func stuckForAll()
        async throws
    {
        let world = ProjectorWorld()
        var (first, kafkaOfFirst) = Self.projector(in: world)
        var (second, kafkaOfSecond) = Self.projector(in: world)
        try await world.happens([Self.opened], to: 1)
        await first.turns()
        kafkaOfFirst.isStuck.replace(with: true)
        kafkaOfSecond.isStuck.replace(with: true)
        try await world.happens([.ended(.logout)], to: 1, from: 2)
        await first.turns(300, with: &second)
        let count = first.status.handOverCount + second.status.handOverCount
        #expect(3...7 ~= count)
    }

    @Test("a relay that is silent costs nobody the lead") func silentRelay() async throws {
        let world = ProjectorWorld()
        var (first, _) = Self.projector(in: world)
        var (second, _) = world.projector()
        try await world.happens([Self.opened], to: 1)
        await first.turns()
        await first.turns(100, with: &second)
        #expect(first.status.role == .active)
        #expect(first.status.handOverCount == 0)
    }

    @Test("a topic that was not tried meanwhile costs nobody the lead") func sinkUntried()
        async throws
    {
        let world = ProjectorWorld()
        var (projector, _) = world.projector()
        try await world.happens([Self.opened], to: 1)
        await projector.turns()
        world.revocations.setDown(true)
        try await world.happens([.ended(.logout)], to: 1, from: 2)
        await projector.turns()
        #expect(projector.status.isSinkAway)
        // As in a process that stood still.
        world.relays.clock.advance(.seconds(60))
        await projector.turns(3)
        #expect(projector.status.isSinkAway)
        #expect(projector.status.handOverCount == 0)
    }

    @Test("a topic that takes nothing from anybody moves the lead ever more seldom")
    func sinkAway() async throws {
        let world = ProjectorWorld()
        var (first, _) = world.projector()
        var (second, _) = world.projector()
        try await world.happens([Self.opened], to: 1)
        await first.turns()
        world.revocations.setDown(true)
        try await world.happens([.ended(.logout)], to: 1, from: 2)
        await first.turns(300, with: &second)
        let count = first.status.handOverCount + second.status.handOverCount
        #expect(3...8 ~= count)
        // The feed has it all the same.
        #expect(world.model.revocations.count == 1)
        world.revocations.setDown(false)
        await first.turns(12, with: &second)
        #expect(world.revocations.values.count == 1)
        #expect(world.model.outbox.isEmpty)
    }
}
