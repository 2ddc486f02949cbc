import Domain
import EventFormat
import InMemory
import Publishing
import TestSupport
import Testing

/// Kafka's promise is in its page cache: brokers that lose power forget what they acknowledged.
@Suite("A relay whose Kafka has lost what it had") struct RelayLossTests {
    @Test(
        "publishes all of it again, whichever partition ends too soon",
        arguments: 0..<3,
        [1, 2, .max]
    ) func again(_ partition: Int, _ count: Int) async throws {
        let world = RelayWorld()
        world.append(count: 300)
        var (first, session) = world.relay()
        try await first.turns()
        session.cut()
        world.topic.loseTail(of: partition, count)
        #expect(world.indexes.count < 300)
        var (second, _) = world.relay()
        try await second.turns(40)
        #expect(world.indexes == Array(0..<300))
        #expect(second.status.lossCount == 1)
        #expect(!second.status.isReplaying)
        #expect(world.log.clusterID == world.topic.clusterID)
    }

    @Test(
        "sees it also when its connection broke, or nobody answered it, and it led on",
        arguments: [true, false]
    ) func leading(_ isBroken: Bool) async throws {
        let world = RelayWorld()
        world.append(count: 30)
        var (relay, _) = world.relay()
        try await relay.turns()
        world.topic.setDown(true)
        world.clock.advance(.seconds(6))
        if !isBroken { try await relay.turns(3) }
        world.topic.loseTail(of: 1, 2)
        world.topic.setDown(false)
        if isBroken {
            world.topic.fail(.broken)
            world.append(31)
        }
        try await relay.turns(60)
        #expect(world.indexes == Array(0..<(isBroken ? 31 : 30)))
        #expect(relay.status.lossCount == 1)
    }

    @Test(
        "begins again where it happens while it publishes again, and so does who follows it",
        arguments: [false, true]
    ) func twice(_ dies: Bool) async throws {
        let world = RelayWorld(partitions: 1)
        world.append(count: 2500)
        var (relay, session) = world.relay()
        try await relay.turns()
        world.topic.replaceCluster()
        world.clock.advance(.seconds(6))
        while world.indexes.isEmpty { try await relay.turn() }
        #expect(relay.status.isReplaying)
        world.topic.fail(.broken)
        while world.indexes.count < 1500 { try await relay.turn() }
        world.topic.loseTail(of: 0, 1400)
        world.topic.fail(.broken)
        if dies {
            session.cut()
            var (next, _) = world.relay()
            try await next.turns(60)
            #expect(!next.status.isReplaying)
        } else {
            try await relay.turns(60)
            #expect(!relay.status.isReplaying)
            #expect(relay.status.lossCount == 1)
        }
        #expect(world.indexes == Array(0..<2500))
    }

    @Test("publishes nothing again where only the beginning is gone, or there is more")
    func unharmed() async throws {
        let world = RelayWorld()
        world.append(count: 30)
        var (first, session) = world.relay()
        try await first.turns()
        session.cut()
        let count = world.events.joined().count
        world.topic.expire(.max)
        world.topic.append(LogWatermark.stranger)
        var (second, _) = world.relay()
        try await second.turns()
        #expect(world.events.joined().count == count)
        #expect(second.status.lossCount == 0)
    }
}

extension LogWatermark {
    fileprivate static var stranger: PublishedRecord {
        LogWatermark(log: Sample.stream(9), completeThrough: Sample.time(0), index: 7)
            .record(at: Sample.time(0))
    }
}
