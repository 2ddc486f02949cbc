internal import Configuration
internal import Domain
internal import Issuing
internal import Kafka
internal import Messaging
internal import Persistence
internal import Runtime

extension Wiring {
    /// A topic that could lose events is refused (security.md section 10.8); nothing waits for the
    /// answer, because nothing is decided by Kafka.
    func topicsComponent(refused: @escaping @Sendable () -> Void) -> Component {
        Component(
            "topics",
            start: { [settings, isInsecureDev, log, loop = loops[0]] in
                guard !isInsecureDev else { return }
                let isReplicated = settings.kafka.topology == .replicated
                let topic = Self.hintTopic(settings.kafka, settings.node.name)
                let check = TopicCheck(
                    topic.client,
                    [(topic.topic, .events(isReplicated: isReplicated))],
                    on: BlockingExecutor()
                )
                loop.spawn {
                    switch await check.outcome() {
                    case .right: break
                    case .unknown(let why):
                        log.warning("the topic could not be checked", .field("error", why))
                    case .refused(let why):
                        log.error("the topic must not be used", .field("error", why))
                        refused()
                    }
                }
            }
        )
    }

    /// What Kafka says is only a reason to look: caches are marked stale, pages wake up, a project
    /// is read again (architecture.md section 6, stop 5).
    static func changed(
        _ store: PostgresEventStore,
        _ projects: ProjectCatalogue,
        _ room: WaitingRoom,
        _ clock: SystemClock,
        on loop: Loop
    ) -> @Sendable (StreamID) -> Void {
        { stream in
            store.hint(stream)
            room.changed(stream)
            guard let number = projects.concerns(stream) else { return }
            loop.spawn {
                // When it cannot be read now, the next refresh reads it.
                try? await projects.reload(number, by: clock.deadline(inMilliseconds: 2_000))
            }
        }
    }
}
