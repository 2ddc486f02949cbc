import InMemory
import Publishing
import Runtime
import TestSupport
import Testing

/// The log goes to a cluster that does not have it as fast as new events do.
@Suite("Relay, publishing again") struct RelayReplayTests {
    /// A relay that has published 7,000 events; another cluster has the first thousand of them.
    private static func replaying() async throws -> (RelayWorld, RelayWorld.TestRelay) {
        let world = RelayWorld(partitions: 1)
        world.append(count: 7000)
        var (relay, _) = world.relay()
        try await relay.turns()
        world.topic.replaceCluster()
        world.clock.advance(.seconds(6))
        while world.indexes.isEmpty { try await relay.turn() }
        #expect(world.indexes.count == 1000)
        return (world, relay)
    }

    @Test("four batches are on their way, and no more") func ahead() async throws {
        var (world, relay) = try await Self.replaying()
        world.topic.setDown(true)
        try await relay.turns()
        #expect(relay.status.isReplaying)
        #expect(world.indexes.count == 1000)
        world.topic.setDown(false)
        try await relay.turn()
        // The four that waited, and one that was read when they had arrived.
        #expect(world.indexes.count == 6000)
        try await relay.turns()
        #expect(world.events.joined().map(\.index) == Array(0..<7000))
        #expect(world.log.clusterID == world.topic.clusterID)
        #expect(!relay.status.isReplaying)
    }

    @Test("where one broke, it goes again with those behind it") func broken() async throws {
        var (world, relay) = try await Self.replaying()
        world.topic.fail(.broken)
        world.topic.setDown(true)
        try await relay.turns()
        world.topic.setDown(false)
        try await relay.turns(40)
        // Half of the second thousand came, then nothing behind it, then all of it.
        let numbers = Array(0..<1500) + Array(1000..<7000)
        #expect(world.events.joined().map(\.index) == numbers.map(Int64.init))
        #expect(world.log.clusterID == world.topic.clusterID)
    }

    @Test("goes on where it was after Kafka was silent for a while") func silent() async throws {
        var (world, relay) = try await Self.replaying()
        world.topic.setDown(true)
        for _ in 0..<60 {
            world.clock.advance(.seconds(1))
            try await relay.turn()
        }
        #expect(relay.status.handOverCount == 0)
        #expect(relay.status.isReplaying)
        world.topic.setDown(false)
        try await relay.turns(40)
        #expect(world.events.joined().map(\.index) == Array(0..<7000))
    }

    @Test("is left to another like all else while nothing of it has arrived")
    func nothingArrived() async throws {
        let world = RelayWorld(partitions: 1)
        world.append(count: 3000)
        let kafka = CutOffPublisher(world.topic.producer())
        var relay = Relay(log: world.log.session(), publisher: kafka, clock: world.clock)
        try await relay.turns()
        world.topic.replaceCluster()
        world.clock.advance(.seconds(6))
        while world.indexes.isEmpty { try await relay.turn() }
        // What is there already is never confirmed.
        kafka.isDeaf.replace(with: true)
        #expect(relay.status.isReplaying)
        for _ in 0..<40 {
            world.clock.advance(.seconds(1))
            try await relay.turn()
        }
        #expect(relay.status.handOverCount == 1)
    }

    @Test("is done when the last thing read was a page without events") func lastPageEmpty()
        async throws
    {
        var (world, relay) = try await Self.replaying()
        world.log.dropEvents(before: 6999)
        try await relay.turns(40)
        #expect(world.events.joined().map(\.index).last == 6999)
        #expect(world.log.clusterID == world.topic.clusterID)
        world.append(8000)
        try await relay.turns()
        #expect(world.events.joined().map(\.index).last == 7000)
    }
}
