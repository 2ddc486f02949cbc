import Domain
import InMemory
import Publishing
import TestSupport
import Testing

/// Kafka lost records on a cluster that stays.
@Suite("A projector whose Kafka has lost what it had") struct LostTailTests {
    private static let keys = (UInt64(1)...9).map { ProjectorWorld.key($0) }

    /// Nine sessions have ended; all of it is told.
    private static func told() async throws -> ProjectorWorld {
        let world = ProjectorWorld()
        var (projector, _) = world.projector()
        for number: UInt64 in 1...9 {
            try await world.happens([ProjectorWorld.opened, .ended(.logout)], to: number)
        }
        await projector.turns(40)
        await projector.end()
        #expect(world.revocations.values.keys.sorted() == keys)
        return world
    }

    /// Whoever follows one that died after so many turns has no other place to see the loss.
    @Test(
        "tells every revocation again, also who follows one that died meanwhile",
        arguments: 0..<14
    ) func again(_ turns: Int) async throws {
        let world = try await Self.told()
        world.revocations.loseValues(but: 7)
        // Something to be told: before it is, the topic's end is looked at.
        try await world.happens([ProjectorWorld.opened, .ended(.logout)], to: 10)
        var (first, _) = world.projector()
        await first.turns(turns)
        await first.end()
        var (second, _) = world.projector()
        await second.turns(80)
        #expect(first.status.sinkLossCount + second.status.sinkLossCount >= 1)
        let all = Self.keys + [ProjectorWorld.key(10)]
        #expect(world.revocations.values.keys.sorted() == all.sorted())
        #expect(world.model.outbox.isEmpty)
        #expect(try await world.isWhole())
    }

    @Test("moves no end before all is queued: whoever follows it would see no loss")
    func burial() async throws {
        let world = try await Self.told()
        world.revocations.loseValues(but: 7)
        world.model.erase(Sample.subject(1))
        func end() async throws -> Int64? {
            try await world.revocations.sink().place().ends.highs[0]
        }
        var (projector, _) = world.projector()
        for _ in 0..<20 where world.model.outbox.count < 9 {
            await projector.turn()
            #expect(try await end() == 7)
            world.relays.clock.advance(.seconds(6))
        }
        #expect(projector.status.sinkLossCount == 1)
        await projector.turns(20)
        world.relays.clock.advance(.seconds(6))
        await projector.turns(20)
        #expect(try await end() == 7 + 9 + 9)
        #expect(world.revocations.values.isEmpty)
    }

    @Test("tells nothing again where only the other topic lost records") func events() async throws
    {
        let world = try await Self.told()
        world.relays.topic.recreate()
        var (projector, _) = world.projector()
        await projector.turns(40)
        #expect(projector.status.lossCount == 1)
        #expect(projector.status.sinkLossCount == 0)
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
