import Domain
import EventFormat
import InMemory
import Publishing
import Runtime
import TestSupport
import Testing

/// What a projector does while it waits for Kafka's answers, or for PostgreSQL's numbers.
@Suite("A projector that waits") struct ProjectorWaitTests {
    static let opened = ProjectorWorld.opened

    @Test("a slow Kafka does not make it look frozen") func slowKafka() async throws {
        let world = ProjectorWorld()
        try await world.happens([Self.opened, .ended(.logout)], to: 1)
        // At the ends stands nothing of ours, so it looks further back.
        for record in world.relays.topic.partitions.indices.map({ _ in Self.stranger }) {
            world.relays.topic.append(record)
        }
        let (_, rival) = world.projector()
        let slowness = Slowness(.seconds(9), clock: world.relays.clock) {
            (try? await rival.deposeHolder(silentFor: .seconds(20))) == true
        }
        var projector = Projector(
            store: world.model.session(),
            source: SlowSource(world.relays.topic.source(), slowness),
            sink: world.revocations.sink(),
            clock: world.relays.clock
        )
        await projector.turns(20)
        #expect(slowness.questions.current >= 3)
        #expect(!slowness.wasDeposed.current)
        #expect(projector.status.role == .active)
        #expect(world.model.progress.frontier == 1)
    }

    private static let stranger = PublishedRecord(key: [1], headers: .init([]), value: [])

    /// Security T9: whoever may write to the topic can let readers work in vain, not more.
    @Test("a made-up number far ahead is waited for half a minute, and holds nothing up")
    func madeUpNumber() async throws {
        let world = ProjectorWorld()
        var (relay, _) = world.relays.relay()
        try await relay.turns()
        world.commit([Self.opened, .ended(.logout)], to: 1)
        try await relay.turns()
        let number = LogWatermark(
            log: RelayWorld.id,
            completeThrough: Sample.time(0),
            index: 1_000_000
        )
        world.relays.topic.append(number.record(at: Sample.time(0)))
        var (projector, _) = world.projector()
        await projector.turns(20)
        #expect(projector.status.isCatchingUp)
        #expect(try await world.isWhole())
        // However much happens meanwhile.
        for stream in UInt64(10)..<14 {
            world.relays.clock.advance(.seconds(8))
            world.commit([Self.opened], to: stream)
            try await relay.turns()
            await projector.turns(5)
        }
        try await relay.turns()
        await projector.turns(40)
        #expect(!projector.status.isCatchingUp)
        #expect(projector.status.completeThrough != nil)
        world.commit([Self.opened, .ended(.logout)], to: 2)
        try await relay.turns()
        await projector.turns(40)
        #expect(world.model.progress.frontier == 7)
        #expect(try await world.isWhole())
    }

    @Test("what the topic shows and nobody recorded comes again, and is not lost")
    func recordedLate() async throws {
        let world = ProjectorWorld()
        try await world.happens([Self.opened], to: 1)
        world.relays.log.setFull(true)
        try await world.happens([.ended(.logout)], to: 1, from: 2)
        #expect(world.relays.indexes == [0, 1])
        #expect(world.relays.log.ledger.map(\.index) == [0])
        var (projector, _) = world.projector()
        await projector.turns(20)
        #expect(projector.status.isCatchingUp)
        world.relays.clock.advance(.seconds(31))
        await projector.turns(5)
        #expect(!projector.status.isCatchingUp)
        world.relays.log.setFull(false)
        world.relays.clock.advance(.seconds(60))
        try await world.publish()
        await projector.turns(60)
        #expect(world.model.progress.frontier == 1)
        #expect(try await world.isWhole())
        #expect(world.revocations.values.count == 1)
    }
}
