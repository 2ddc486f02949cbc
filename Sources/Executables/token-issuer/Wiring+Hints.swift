internal import Assembly
internal import Configuration
internal import Domain
internal import Issuing
internal import Kafka
internal import Messaging
internal import Persistence
internal import Runtime

extension Wiring {
    /// The topic that hints come from.
    var topics: TopicGate { frame.topics([.events]) }

    /// What Kafka says is only a reason to look: caches are marked stale, pages wake up, a project
    /// is read again (Architecture 6, stop 5).
    static func changed(
        _ store: PostgresEventStore,
        _ projects: ProjectCatalogue,
        _ room: WaitingRoom,
        _ clock: SystemClock,
        on loop: Loop
    ) -> @Sendable (StreamID, Int32?) -> Void {
        { stream, version in
            store.hint(stream, at: version)
            room.changed(stream)
            guard let number = projects.concerns(stream) else { return }
            loop.spawn {
                // When it cannot be read now, the next refresh reads it.
                try? await projects.reload(number, by: clock.deadline(inMilliseconds: 2_000))
            }
        }
    }

    static func hints(
        _ settings: TokenIssuerSettings,
        _ blocking: BlockingExecutor,
        on loop: Loop,
        _ log: Log,
        changed: @escaping @Sendable (StreamID, Int32?) -> Void
    ) -> HintReader {
        HintReader(
            hintTopic(settings.kafka, settings.node.name),
            on: loop,
            blocking: blocking,
            log: log,
            changed: changed
        )
    }

    private static func hintTopic(_ kafka: KafkaSettings, _ node: String) -> ReaderSettings {
        let client = KafkaClientSettings(kafka, clientID: node)
        // A page that waits for another node's commit is shown so much later at most.
        return ReaderSettings(
            client,
            topic: kafka.eventsTopic,
            fetchWaitMilliseconds: 50,
            fetchBytesMin: 64 * 1024
        )
    }
}
