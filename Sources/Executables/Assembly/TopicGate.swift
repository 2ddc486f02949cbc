package import Configuration
internal import Kafka
internal import Messaging
package import Runtime

/// Keeps a process from working with topics that could lose what they are told (security.md
/// section 10.8), or with the brokers of a developer's machine.
package struct TopicGate: Sendable {
    /// What the process works with.
    package enum Topic: Sendable {
        case events
        case revocations
    }

    private let kafka: KafkaSettings
    private let topics: [Topic]
    private let clientID: String
    private let isInsecureDev: Bool
    private let log: Log

    /// With `isInsecureDev` nothing is asked.
    package init(
        _ kafka: KafkaSettings,
        _ topics: [Topic],
        clientID: String,
        isInsecureDev: Bool,
        log: Log
    ) {
        self.kafka = kafka
        self.topics = topics
        self.clientID = clientID
        self.isInsecureDev = isInsecureDev
        self.log = log
    }

    /// The start waits for the answer; brokers that are away are no reason to end.
    package var component: Component {
        Component("kafka", start: { () async throws(Component.StartFailure) in try await open() })
    }

    /// The start waits for nothing, because nothing is decided by Kafka; `refused` ends the
    /// process when the answer comes.
    package func component(
        on loop: Loop,
        refused: @escaping @Sendable () -> Void
    ) -> Component {
        Component(
            "kafka",
            start: {
                loop.spawn {
                    do throws(Component.StartFailure) { try await open() } catch {
                        log.error("the topics must not be used", .field("error", error.reason))
                        refused()
                    }
                }
            }
        )
    }

    private func open() async throws(Component.StartFailure) {
        guard !isInsecureDev else { return }
        let isReplicated = kafka.topology == .replicated
        let check = TopicCheck(
            ClientSettings(kafka, clientID: clientID),
            topics.map { topic in
                switch topic {
                case .events: (kafka.eventsTopic, .events(isReplicated: isReplicated))
                case .revocations:
                    (kafka.revocationsTopic, .revocations(isReplicated: isReplicated))
                }
            },
            on: BlockingExecutor()
        )
        switch await check.outcome() {
        case .right: break
        case .unknown(let why):
            log.warning("the topics could not be checked", .field("error", why))
        case .refused(let why): throw Component.StartFailure(.configuration, why)
        }
    }
}
