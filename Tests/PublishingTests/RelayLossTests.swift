import Domain
import EventFormat
import InMemory
import Publishing
import Runtime
import TestSupport
import Testing

/// Kafka's promise is in its page cache: brokers that lose power forget what they acknowledged.
@Suite("A relay whose Kafka has lost what it had") struct RelayLossTests {
    @Test(
        "publishes all of it again, whichever partition ends too soon",
        arguments: 0..<3,
        [1, 2, .max]
    ) func again(_ partition: Int, _ count: Int) async throws {
        let world = try await RelayWorld.published(300)
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
        var (relay, session) = world.relay()
        try await world.beginReplay(by: &relay)
        world.topic.fail(.broken)
        try await relay.turns { world.indexes.count >= 1500 }
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

    @Test(
        "stops where PostgreSQL, too, has lost what other partitions show",
        arguments: [true, false]
    )
    func bothLost(_ isOverwritten: Bool) async throws {
        let world = try await RelayWorld.published(30)
        // Of another stream each, so in any partition; the last is in one that keeps it.
        let last = try #require(world.events.firstIndex { $0.contains { $0.index == 29 } })
        world.log.loseHistory(from: 29)
        if isOverwritten { world.append(77) }
        world.topic.loseTail(of: (last + 1) % 3, 3)
        var (second, _) = world.relay()
        let count = world.events.joined().count
        try await second.turns(3)
        #expect(second.status.role == .halted(.lostHistory(index: 29)))
        #expect(world.events.joined().count == count)
        #expect(world.log.clusterID == world.topic.clusterID)
    }

    @Test("compares what another relay published and did not record, and publishes all again")
    func unrecorded() async throws {
        let world = RelayWorld()
        world.append(count: 30)
        var (first, session) = world.relay()
        try await first.turns()
        world.append(count: 3)
        world.topic.fail(.answerLost)
        try await first.turns { world.events.joined().count >= 33 }
        session.cut()
        let last = try #require(world.events.firstIndex { $0.contains { $0.index == 32 } })
        world.topic.loseTail(of: (last + 1) % 3, 4)
        var (second, _) = world.relay()
        try await second.turns(40)
        #expect(second.status.lossCount == 1)
        #expect(world.indexes == Array(0..<33))
        #expect(world.log.ledger.map(\.index) == Array(0..<33))
    }

    @Test("publishes nothing again where only watermarks are gone, whoever leads")
    func watermarks() async throws {
        let world = RelayWorld()
        world.append(count: 30)
        var (relay, _) = world.relay()
        try await relay.turns()
        for _ in 1...3 {
            world.clock.advance(.seconds(30))
            try await relay.turns()
        }
        #expect(world.watermarks.allSatisfy { !$0.isEmpty })
        let count = world.events.joined().count
        for partition in 0..<3 { world.topic.loseTail(of: partition, 1) }
        world.topic.fail(.broken)
        world.clock.advance(.seconds(2))
        try await relay.turns(40)
        #expect(!world.topic.hasFaults)
        #expect(relay.status.lossCount == 0)
        #expect(world.events.joined().count == count)
    }

    @Test("sends nothing while nobody has told it where the partitions end")
    func endsUnknown() async throws {
        let world = RelayWorld(partitions: 1)
        let publisher = UnheardPublisher(world.topic.producer())
        var relay = Relay(log: world.log.session(), publisher: publisher, clock: world.clock)
        try await world.beginReplay(by: &relay)
        try await relay.turns { world.indexes.count >= 1500 }
        world.topic.loseTail(of: 0, 500)
        world.topic.fail(.broken)
        publisher.hasNoEnds.replace(with: true)
        try await relay.turns { !world.topic.hasFaults }
        let count = world.events.joined().count
        let begun = world.clock.nanoseconds
        try await relay.turns(40)
        #expect(world.events.joined().count == count)
        // Nor asks as fast as it can.
        #expect(world.clock.nanoseconds - begun >= 39 * 200_000_000)
        publisher.hasNoEnds.replace(with: false)
        try await relay.turns(60)
        #expect(world.indexes == Array(0..<2500))
        #expect(relay.status.lossCount == 1)
    }

    @Test("keeps apart what two clusters have acknowledged, of which one comes back")
    func returning() async throws {
        let world = RelayWorld(partitions: 1)
        let home = world.topic.clusterID
        var (relay, _) = world.relay()
        try await world.beginReplay(by: &relay)
        world.topic.returnToCluster(home)
        world.topic.loseTail(of: 0, 5)
        world.clock.advance(.seconds(6))
        try await relay.turns(60)
        #expect(relay.status.lossCount == 1)
        #expect(world.indexes == Array(0..<2500))
        #expect(world.log.clusterID == home)
    }

    @Test("publishes nothing again where only the beginning is gone, or there is more")
    func unharmed() async throws {
        let world = try await RelayWorld.published(30)
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
