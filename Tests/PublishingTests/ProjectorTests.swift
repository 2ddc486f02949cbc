import Domain
import EventFormat
import InMemory
import Publishing
import TestSupport
import Testing

/// The projector between a topic and a read model, both in memory (Events 11).
@Suite("Projector") struct ProjectorTests {
    static let opened = ProjectorWorld.opened

    @Test("applies, publishes and claims what the watermarks say") func mainJob() async throws {
        let world = ProjectorWorld()
        var (projector, _) = world.projector()
        try await world.happens([Self.opened, .ended(.logout)], to: 1)
        await projector.turns()
        try await world.happens([Self.opened, .seen(at: Sample.time(2))], to: 2)
        try await world.happens([.ended(.idle)], to: 2, from: 3)
        await projector.turns()
        #expect(projector.status.role == .active)
        #expect(world.model.revocations.keys.sorted() == [1, 2].map(ProjectorWorld.key).sorted())
        #expect(world.revocations.values.count == 2)
        #expect(world.model.progress.frontier == 4)
        #expect(world.revocations.watermarks.last?.index == 4)
        #expect(try await world.isWhole())
    }

    @Test("no watermark runs ahead of what the topic was told") func toldFirst() async throws {
        let world = ProjectorWorld()
        var (projector, _) = world.projector()
        await projector.turns(3)
        try await world.happens([Self.opened, .ended(.logout)], to: 1)
        var isClaimed = false
        for _ in 1...40 where !isClaimed {
            await projector.turns(1)
            isClaimed = world.revocations.watermarks.contains { $0.index >= 1 }
        }
        #expect(isClaimed && world.revocations.values.count == 1)
    }

    @Test("one leads, the other stands by and takes over") func standby() async throws {
        let world = ProjectorWorld()
        var (first, session) = world.projector()
        var (second, _) = world.projector()
        await first.turns(2)
        await second.turns(2)
        #expect(first.status.role == .active)
        #expect(second.status.role == .standby)
        session.cut()
        try await world.happens([Self.opened, .ended(.logout)], to: 1)
        await first.turns(2)
        await second.turns()
        #expect(first.status.role == .waiting)
        #expect(second.status.role == .active)
        #expect(try await world.isWhole())
    }

    @Test("a version that is missing on the topic comes from PostgreSQL") func gap() async throws {
        let world = ProjectorWorld()
        var (projector, _) = world.projector()
        try await world.happens([Self.opened], to: 1)
        await projector.turns()
        try await world.happens([.seen(at: Sample.time(2)), .ended(.logout)], to: 1, from: 2)
        // As a broker that lost a record of a session, and shows the next one.
        world.relays.topic.change { $0[header: "ce_streamversion"] == Array("2".utf8) ? nil : $0 }
        await projector.turns()
        #expect(projector.status.gapCount == 1)
        #expect(projector.status.blocked.isEmpty)
        #expect(try await world.isWhole())
    }

    @Test("records that no version tells of are found missing by their numbers")
    func hole() async throws {
        let world = ProjectorWorld()
        var (projector, _) = world.projector()
        try await world.happens([Self.opened], to: 1)
        await projector.turns()
        try await world.happens([.ended(.logout)], to: 1, from: 2)
        // The last of its stream: no later version would ever show it.
        world.relays.topic.change { $0[header: "ce_streamversion"] == Array("2".utf8) ? nil : $0 }
        await projector.turns(30)
        #expect(projector.status.lossCount == 1)
        #expect(projector.status.role == .active)
        #expect(try await world.isWhole())
    }

    @Test("a revocation found late is found by readers that were past its number")
    func late() async throws {
        let world = ProjectorWorld()
        var (projector, _) = world.projector()
        try await world.happens([Self.opened], to: 1)
        try await world.happens([Self.opened, .ended(.logout)], to: 2)
        world.relays.topic.change { record in
            record[header: "ce_stream"] == Array(ProjectorWorld.key(2).utf8)
                ? Self.damaged(record) : record
        }
        world.model.setReadable { $0.stream != Sample.stream(2) }
        // A topic is read from where it is: let it be there before.
        await projector.turns()
        #expect(world.model.revocations.isEmpty)
        #expect(projector.status.blocked.count == 1)
        world.model.setReadable { _ in true }
        world.relays.clock.advance(.seconds(10))
        await projector.turns()
        #expect(projector.status.blocked.isEmpty)
        #expect(world.model.revocations[ProjectorWorld.key(2)]?.lateNumber == 1)
        #expect(world.model.progress.late == 1)
        #expect(try await world.isWhole())
    }

    static func damaged(_ record: PublishedRecord) -> PublishedRecord {
        var record = record
        record.value = Array("{".utf8)
        return record
    }

    @Test("a damaged record stops nothing while PostgreSQL has the event") func repair()
        async throws
    {
        let world = ProjectorWorld()
        var (projector, _) = world.projector()
        await projector.turns(3)
        try await world.happens([Self.opened, .ended(.logout)], to: 1)
        world.relays.topic.change { Self.damaged($0) }
        // Watermarks are not events: they stay damaged and hold nothing but the claim.
        world.relays.topic.change { LogRecord($0).log == nil ? nil : $0 }
        await projector.turns()
        #expect(projector.status.repairCount == 2)
        #expect(projector.status.blocked.isEmpty)
        #expect(try await world.isWhole())
    }

    @Test("an event that nobody here can read stops its key alone, and no claim passes it")
    func poison() async throws {
        let world = ProjectorWorld()
        var (projector, _) = world.projector()
        await projector.turns(3)
        try await world.happens([Self.opened], to: 1)
        await projector.turns()
        let claim = try #require(world.model.progress.complete)
        let poisoned = Array(ProjectorWorld.key(1).utf8)
        try await world.happens([.seen(at: Sample.time(2)), .ended(.logout)], to: 1, from: 2)
        try await world.happens([Self.opened, .ended(.logout)], to: 2)
        world.relays.topic.change { record in
            record.key == poisoned && record[header: "ce_streamversion"] != Array("1".utf8)
                ? Self.damaged(record) : record
        }
        world.model.setReadable { $0.stream != Sample.stream(1) }
        await projector.turns()
        // The other session is revoked, published, and nobody is told that all is there.
        #expect(world.model.revocations.keys.sorted() == [ProjectorWorld.key(2)])
        #expect(world.revocations.values.keys.sorted() == [ProjectorWorld.key(2)])
        #expect(projector.status.blocked.map(\.key) == [poisoned])
        #expect(projector.status.blocked.map(\.index) == [1])
        #expect(world.model.progress.complete == claim)
        #expect(world.model.progress.frontier == 4)
        #expect(world.revocations.watermarks.allSatisfy { $0.index < 1 })

        // Another program, which can read it, takes over: it tries at once.
        await projector.end()
        world.model.setReadable { _ in true }
        var (newer, _) = world.projector()
        await newer.turns()
        #expect(newer.status.blocked.isEmpty)
        #expect(world.model.progress.frontier == 4)
        #expect(world.model.revocations[ProjectorWorld.key(1)]?.lateNumber == 1)
        #expect(try await world.isWhole())
        try await world.publish()
        world.relays.clock.advance(.seconds(2))
        await newer.turns()
        #expect(world.revocations.watermarks.last?.index == 4)
    }

    @Test("a record of nobody stops its key, and the sessions go on") func stranger()
        async throws
    {
        let world = ProjectorWorld()
        var (projector, _) = world.projector()
        await projector.turns(3)
        world.relays.topic.append(PublishedRecord(key: [1, 2], headers: .init([]), value: [3]))
        try await world.happens([Self.opened, .ended(.logout)], to: 1)
        await projector.turns()
        #expect(projector.status.blocked.map(\.name) == ["a key of 2 bytes"])
        #expect(world.model.revocations.count == 1)
        #expect(world.revocations.watermarks.isEmpty)
    }

    @Test("everything again, in any order of runs, changes nothing") func replays() async throws {
        let world = ProjectorWorld()
        var (projector, _) = world.projector()
        for stream in 1...4 as ClosedRange<UInt64> {
            try await world.happens([Self.opened, .seen(at: Sample.time(2))], to: stream)
            if stream.isMultiple(of: 2) {
                try await world.happens([.ended(.logout)], to: stream, from: 3)
            }
        }
        await projector.turns()
        let before = world.model.revocations
        let records = world.relays.topic.partitions
        for run in [records, records.map { $0.reversed() }] {
            for record in run.joined() { world.relays.topic.append(record) }
            await projector.turns()
        }
        #expect(world.model.revocations == before)
        #expect(projector.status.blocked.isEmpty)
        #expect(try await world.isWhole())
    }

    /// What can become of a topic while nobody reads it.
    enum Loss: CaseIterable {
        case anotherCluster, madeAnew, expired, madeAnewAndGrown
    }

    @Test("a topic that lost records costs none", arguments: Loss.allCases)
    func lostLog(_ loss: Loss) async throws {
        let world = ProjectorWorld()
        var (first, _) = world.projector()
        try await world.happens([Self.opened, .seen(at: Sample.time(2))], to: 1)
        await first.turns()
        await first.end()
        try await world.happens([.ended(.logout)], to: 1, from: 3)
        try await world.happens([Self.opened, .ended(.logout)], to: 2)
        switch loss {
        case .anotherCluster: world.relays.topic.replaceCluster()
        case .madeAnew: world.relays.topic.recreate()
        case .expired: world.relays.topic.expire(100)
        case .madeAnewAndGrown:
            world.relays.topic.recreate()
            try await world.happens([Self.opened], to: 3)
        }
        var (second, _) = world.projector()
        await second.turns(30)
        #expect(second.status.role == .active)
        #expect(!second.status.isCatchingUp)
        try await world.happens([Self.opened, .ended(.idle)], to: 4)
        await second.turns(30)
        #expect(try await world.isWhole())
        #expect(world.model.outbox.isEmpty)
        #expect(world.revocations.values.count == 3)
    }

    @Test("a topic cut off or replaced under a reader is read from PostgreSQL", arguments: 0...1)
    func underReader(_ way: Int) async throws {
        let world = ProjectorWorld()
        var (projector, _) = world.projector()
        try await world.happens([Self.opened], to: 1)
        await projector.turns()
        if way == 0 {
            try await world.happens([.ended(.logout)], to: 1, from: 2)
            world.relays.topic.expire(100)
        } else {
            world.relays.topic.replaceCluster()
            try await world.happens([.ended(.logout)], to: 1, from: 2)
        }
        world.relays.clock.advance(.seconds(6))
        await projector.turns(30)
        #expect(world.model.revocations.count == 1)
        #expect(projector.status.role == .active)
        #expect(try await world.isWhole())
    }

    @Test("whoever wrote into the model before a rebuild does not any more") func superseded()
        async throws
    {
        let world = ProjectorWorld()
        var (projector, _) = world.projector()
        try await world.happens([Self.opened], to: 1)
        await projector.turns()
        world.model.replace()
        try await world.happens([.ended(.logout)], to: 1, from: 2)
        await projector.turns()
        // It began again from what the new model says.
        #expect(world.model.revocations.count == 1)
        #expect(try await world.isWhole())
    }

    @Test("brokers that are away cost nothing but time") func away() async throws {
        let world = ProjectorWorld()
        var (projector, _) = world.projector()
        try await world.happens([Self.opened], to: 1)
        await projector.turns()
        world.revocations.setDown(true)
        try await world.happens([.ended(.logout)], to: 1, from: 2)
        await projector.turns()
        #expect(world.model.revocations.count == 1)
        #expect(world.revocations.values.isEmpty)
        // The topic of revocations alone is away: the feed goes on, and the lead stays.
        try await world.happens([Self.opened, .ended(.logout)], to: 2)
        await projector.turns()
        #expect(world.model.revocations.count == 2)
        #expect(projector.status.role == .active)
        #expect(projector.status.isSinkAway)
        world.revocations.setDown(false)
        world.relays.clock.advance(.seconds(6))
        await projector.turns()
        #expect(!projector.status.isSinkAway)
        #expect(world.revocations.values.count == 2)
        #expect(world.model.outbox.isEmpty)
    }
}
