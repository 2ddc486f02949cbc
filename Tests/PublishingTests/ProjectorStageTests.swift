import Domain
import InMemory
import Publishing
import Runtime
import TestSupport
import Testing

@Suite("Projector, stages") struct ProjectorStageTests {
    private final class Heard: ProjectorObserver {
        let stages = Guarded<[String]>([])
        func reached(_ stage: RevocationStage, revokedAt: Instant, at now: Instant) {
            let seconds = revokedAt.millisecondsSince(Sample.time(0)) / 1000
            let isLate = now > revokedAt ? "later" : "never later"
            stages.withLock { $0.append("\(stage) \(seconds) \(isLate)") }
        }
    }

    @Test("a revocation reaches each stage once, in their order; what is read again reaches none")
    func stages() async throws {
        let world = ProjectorWorld()
        let heard = Heard()
        func projector() -> ProjectorWorld.TestProjector {
            ProjectorWorld.TestProjector(
                store: world.model.session(),
                source: world.relays.topic.source(),
                sink: world.revocations.sink(),
                clock: world.relays.clock,
                observer: heard
            )
        }
        var first = projector()
        // Was there before: comes from PostgreSQL.
        try await world.happens([ProjectorWorld.opened, .ended(.logout)], to: 1)
        await first.turns()
        #expect(heard.stages.current.isEmpty)
        try await world.happens([ProjectorWorld.opened, .ended(.logout)], to: 2)
        await first.turns()
        #expect(heard.stages.current == ["applied 2 later", "published 2 later"])
    }
}
