import Domain
import EventFormat
import InMemory
import Publishing
import Runtime
import TestSupport
import Testing

/// Relays that have PostgreSQL and not Kafka (decision 0197).
@Suite("A relay without Kafka") struct RelayHandOverTests {
    @Test("leaves the lead to one that has it, which goes on under the same numbers")
    func handedOver() async throws {
        let world = RelayWorld()
        var (first, kafka) = world.cutOffRelay()
        var (second, _) = world.relay()
        world.append(1)
        try await first.turns()
        kafka.isCut.replace(with: true)
        world.append(2, 3)
        try await first.turns(40, with: &second)
        #expect(second.status.role == .active)
        #expect(world.streams == [1, 2, 3])
        #expect(world.log.ledger.map(\.index) == [0, 1, 2])
        #expect(world.events.joined().count == 3)
        #expect(first.status.role == .standby)
        #expect(first.status.handOverCount == 1)
        #expect(try #require(first.status.problem).contains("Kafka does not answer this relay"))
        #expect(second.status.problem == nil)
        // Back again, it stands by.
        kafka.isCut.replace(with: false)
        try await second.turns(10, with: &first)
        #expect(first.status.role == .standby)
        #expect(first.status.problem == nil)
        #expect(first.status.handOverCount == 1)
        #expect(second.status.role == .active)
    }

    @Test("is patient while brokers elect others") func patient() async throws {
        let world = RelayWorld()
        var (relay, kafka) = world.cutOffRelay()
        try await relay.turns()
        kafka.isCut.replace(with: true)
        world.append(1)
        for _ in 0..<18 {
            world.clock.advance(.seconds(1))
            try await relay.turns(2)
        }
        kafka.isCut.replace(with: false)
        try await relay.turns()
        #expect(relay.status.handOverCount == 0)
        #expect(relay.status.role == .active)
        #expect(world.streams == [1])
    }

    @Test("says how long nothing was published, and goes on when Kafka answers")
    func alone() async throws {
        let world = RelayWorld()
        var (relay, kafka) = world.cutOffRelay()
        try await relay.turns()
        kafka.isCut.replace(with: true)
        world.append(1)
        for _ in 0..<80 {
            world.clock.advance(.seconds(1))
            try await relay.turn()
        }
        #expect(relay.status.lagMilliseconds > 60_000)
        #expect(relay.status.problem != nil)
        #expect(relay.status.handOverCount == 1)
        kafka.isCut.replace(with: false)
        try await relay.turns()
        #expect(relay.status.role == .active)
        #expect(relay.status.problem == nil)
        #expect(relay.status.lagMilliseconds == 0)
        #expect(world.log.ledger.map(\.index) == [0])
        #expect(world.events.joined().count == 1)
    }

    @Test("two of them harm nobody, and nothing waits when Kafka is back") func both() async throws
    {
        let world = RelayWorld()
        var (first, kafkaOfFirst) = world.cutOffRelay()
        var (second, kafkaOfSecond) = world.cutOffRelay()
        try await first.turns()
        kafkaOfFirst.isCut.replace(with: true)
        kafkaOfSecond.isCut.replace(with: true)
        world.append(1)
        world.append(2)
        try await first.turns(200, with: &second)
        // Each had its turn, and neither comes back before Kafka does.
        #expect(first.status.handOverCount == 1)
        #expect(second.status.handOverCount == 1)
        #expect(world.log.ledger.isEmpty)
        kafkaOfFirst.isCut.replace(with: false)
        kafkaOfSecond.isCut.replace(with: false)
        try await first.turns(20, with: &second)
        #expect([first, second].count { $0.status.role == .active } == 1)
        #expect(world.streams == [1, 2])
        #expect(world.log.ledger.map(\.index) == [0, 1])
        #expect(world.events.joined().count == 2)
    }

    @Test("nor is one that answers and confirms nothing a Kafka to lead with") func deaf()
        async throws
    {
        let world = RelayWorld()
        var (first, kafka) = world.cutOffRelay()
        var (second, _) = world.relay()
        try await first.turns()
        kafka.isDeaf.replace(with: true)
        world.append(1)
        try await first.turns(60, with: &second)
        #expect(second.status.role == .active)
        #expect(world.streams == [1])
        #expect(first.status.role == .standby)
        #expect(first.status.handOverCount == 1)
    }
}
