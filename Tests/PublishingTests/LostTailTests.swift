import Domain
import InMemory
import Publishing
import TestSupport
import Testing

/// Kafka lost records on a cluster that stays: of what it was told in that hour it may lack any.
@Suite("A projector whose Kafka has lost what it had") struct LostTailTests {
    @Test(
        "tells every revocation again, and whoever follows one that died meanwhile, too",
        arguments: [1, 2, 3, 4, 30]
    ) func again(_ turns: Int) async throws {
        let world = ProjectorWorld()
        var (first, _) = world.projector()
        for number: UInt64 in 1...3 {
            try await world.happens([ProjectorWorld.opened, .ended(.logout)], to: number)
        }
        await first.turns(30)
        await first.end()
        #expect(world.revocations.values.count == 3)
        world.relays.topic.recreate()
        world.revocations.loseValues()
        var (second, _) = world.projector()
        await second.turns(turns)
        #expect(second.status.lossCount == 1)
        await second.end()
        // The topic of events is as long as before, and longer.
        for number: UInt64 in 4...40 {
            try await world.happens([ProjectorWorld.opened, .ended(.logout)], to: number)
        }
        var (third, _) = world.projector()
        await third.turns(200)
        #expect(world.revocations.values.count == 40)
        #expect(world.model.outbox.isEmpty)
        #expect(try await world.isWhole())
    }

    @Test("is told from one whose topic was only read to its end, or has lost its beginning")
    func ends() {
        let ends = TopicEnds(lows: [0: 0, 1: 5], highs: [0: 3, 1: 8])
        #expect(!ends.end(before: [0: 3, 1: 8]))
        #expect(!ends.end(before: [0: 0, 1: 0]))
        #expect(!ends.end(before: [0: 1]))
        #expect(!ends.end(before: [:]))
        #expect(ends.end(before: [0: 4, 1: 8]))
        #expect(ends.end(before: [0: 3, 1: 8, 2: 1]))
    }
}
