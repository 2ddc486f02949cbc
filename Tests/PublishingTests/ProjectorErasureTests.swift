import Domain
import EventFormat
import InMemory
import Publishing
import TestSupport
import Testing

/// Tombstones for who is erased (Events 10.3).
@Suite("Projector and erasure") struct ProjectorErasureTests {
    @Test("what was revoked of an erased subject leaves the topic, then the model")
    func erased() async throws {
        let world = ProjectorWorld()
        var (projector, _) = world.projector()
        try await world.happens([ProjectorWorld.opened, .ended(.erasure)], to: 1)
        await projector.turns()
        #expect(world.revocations.values.count == 1)
        world.revocations.setDown(true)
        world.model.erase(Sample.subject(1))
        world.relays.clock.advance(.seconds(6))
        await projector.turns()
        // Not before the record is gone: nobody would know its key any more.
        #expect(world.model.revocations.count == 1 && world.revocations.values.count == 1)
        #expect(projector.status.isSinkAway)
        world.revocations.setDown(false)
        world.relays.clock.advance(.seconds(12))
        await projector.turns()
        #expect(world.model.revocations.isEmpty && world.revocations.values.isEmpty)
    }
}
