import Domain
import EventFormat
import InMemory
import Publishing
import Runtime
import TestSupport
import Testing

/// When a relay leaves the lead, and when that would help nobody (decision 0197).
@Suite("A relay's patience with Kafka") struct RelayPatienceTests {
    @Test("grows while nobody has anything confirmed, and little is published again")
    func deafToAll() async throws {
        let world = RelayWorld()
        var (first, kafkaOfFirst) = world.cutOffRelay()
        var (second, kafkaOfSecond) = world.cutOffRelay()
        try await first.turns()
        func setDeaf(_ isDeaf: Bool) {
            kafkaOfFirst.isDeaf.replace(with: isDeaf)
            kafkaOfSecond.isDeaf.replace(with: isDeaf)
        }
        setDeaf(true)
        world.append(count: 5000)
        try await first.turns(300, with: &second)
        let count = first.status.handOverCount + second.status.handOverCount
        #expect(4...7 ~= count)
        // Four batches in the first term of each, one in those after.
        #expect(kafkaOfFirst.submitted.current + kafkaOfSecond.submitted.current <= 14_000)
        setDeaf(false)
        try await first.turns(40, with: &second)
        #expect(world.indexes == Array(0..<5000))
        // What has arrived begins it anew.
        setDeaf(true)
        world.append(5001)
        try await first.turns(30, with: &second)
        #expect(first.status.handOverCount + second.status.handOverCount == count + 1)
    }

    @Test("begins anew when another has published meanwhile") func helped() async throws {
        let world = RelayWorld()
        var (first, kafka) = world.cutOffRelay()
        var (second, _) = world.relay()
        try await first.turns()
        kafka.isDeaf.replace(with: true)
        world.append(1)
        try await first.turns(60, with: &second)
        #expect(first.status.handOverCount == 1)
        #expect(world.streams == [1])
        await second.end()
        world.append(2)
        for _ in 0..<35 {
            world.clock.advance(.seconds(1))
            try await first.turn()
        }
        #expect(first.status.handOverCount == 2)
    }

    @Test("is not lost by standing still") func frozen() async throws {
        let world = RelayWorld()
        var (relay, kafka) = world.cutOffRelay()
        try await relay.turns()
        kafka.isDeaf.replace(with: true)
        world.append(1)
        try await relay.turns(3)
        world.clock.advance(.seconds(25))
        try await relay.turn()
        #expect(relay.status.handOverCount == 0)
        kafka.isDeaf.replace(with: false)
        try await relay.turns()
        #expect(relay.status.role == .active)
        #expect(world.streams == [1])
    }

    @Test("is not renewed by answers while what was sent breaks") func breaking() async throws {
        let world = RelayWorld()
        var (relay, _) = world.relay()
        world.append(1)
        try await relay.turns()
        for _ in 0..<200 { world.topic.fail(.broken) }
        for _ in 0..<30 {
            world.clock.advance(.seconds(1))
            try await relay.turns(4)
        }
        #expect(relay.status.handOverCount == 1)
    }

    @Test("once lost leaves others time to take the lead") func rest() async throws {
        let world = RelayWorld()
        var (relay, kafka) = world.cutOffRelay()
        try await relay.turns()
        kafka.isCut.replace(with: true)
        world.append(1)
        for _ in 0..<30 where relay.status.handOverCount == 0 {
            world.clock.advance(.seconds(1))
            try await relay.turn()
        }
        #expect(relay.status.handOverCount == 1)
        kafka.isCut.replace(with: false)
        try await relay.turns(4)
        #expect(relay.status.isWithoutKafka)
        try await relay.turns()
        #expect(!relay.status.isWithoutKafka)
        #expect(relay.status.role == .active)
        #expect(world.streams == [1])
    }

    @Test("once lost gives up what is on its way before anybody else has the lead") func order()
        async throws
    {
        let world = RelayWorld()
        var (relay, kafka) = world.cutOffRelay()
        let other = world.log.session()
        let wasLeadFree = Guarded<[Bool]>([])
        try await relay.turns()
        kafka.isCut.replace(with: true)
        world.append(1)
        kafka.onRenew.replace(with: {
            let term = try? await other.lead()
            wasLeadFree.withLock { $0.append(term != nil) }
        })
        for _ in 0..<25 {
            world.clock.advance(.seconds(1))
            try await relay.turn()
        }
        #expect(relay.status.handOverCount == 1)
        #expect(wasLeadFree.current == [false])
    }

    @Test("once lost does not hide a clock that is right again") func skew() async throws {
        let world = RelayWorld()
        var (relay, kafka) = world.cutOffRelay()
        try await relay.turns()
        world.log.advance(seconds: 5)
        kafka.isCut.replace(with: true)
        for _ in 0..<30 where relay.status.handOverCount == 0 {
            world.clock.advance(.seconds(1))
            try await relay.turn()
        }
        world.log.advance(seconds: -5)
        try await relay.turn()
        #expect(try #require(relay.status.problem).contains("Kafka does not answer this relay"))
    }
}
