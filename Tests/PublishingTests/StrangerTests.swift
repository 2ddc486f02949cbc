import Domain
import EventFormat
import InMemory
import Projections
import Publishing
import TestSupport
import Testing

/// Records that none of our relays has published (Security T9): PostgreSQL would refuse what
/// becomes of them.
@Suite("A stranger's records") struct StrangerTests {
    @Test("a key longer than any of ours is cut, so that it can be kept as stopped")
    func longKey() async throws {
        let world = ProjectorWorld()
        var (projector, _) = world.projector()
        await projector.turns(3)
        let key = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        world.relays.topic.append(PublishedRecord(key: key, headers: .init([]), value: []))
        try await world.happens([ProjectorWorld.opened, .ended(.logout)], to: 1)
        await projector.turns()
        #expect(projector.status.blocked.map(\.key.count) == [128])
        #expect(world.model.revocations.count == 1)
    }

    @Test("a session that ends twice at once has one row") func endsTwice() async throws {
        let world = ProjectorWorld()
        let ends: [BrowserSession.Event] = [.ended(.logout), .ended(.superseded)]
        try await world.happens([ProjectorWorld.opened] + ends, to: 1)
        let session = world.projector().1
        let range = try #require(try await session.published(after: -1))
        var batch = ProjectionBatch(after: world.model.progress, versions: [:])
        batch.fill(range.events)
        #expect(range.events.count == 3)
        #expect(batch.rows.map(\.revocation.reason) == ["logout"])
    }
}
