import InMemory
import Publishing
import Runtime
import TestSupport
import Testing

@Suite("Relay, stages") struct RelayStageTests {
    private final class Heard: RelayObserver {
        let stages = Guarded<[RelayStage]>([])
        func passed(_ stage: RelayStage, in time: Duration) {
            stages.withLock { $0.append(stage) }
        }
    }

    @Test("each batch passes its stages once, in their order; an empty look passes none")
    func stages() async throws {
        let world = RelayWorld()
        let heard = Heard()
        var relay = Relay(
            log: world.log.session(),
            publisher: world.topic.producer(),
            clock: world.clock,
            observer: heard
        )
        try await relay.turns()
        #expect(heard.stages.current.isEmpty)
        world.append(1, 2)
        try await relay.turns()
        #expect(heard.stages.current == [.read, .acknowledge, .record])
    }
}
