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

    /// The longest pause between two looks while the brokers do not answer.
    private static let pauseMax = Duration.seconds(10)

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

    /// The start waits for one answer; brokers that are away are no reason to end, and are asked
    /// until they answer.
    ///
    /// What is wrong then ends the process at once: each further record could be lost.
    package func component(on loop: Loop) -> Component {
        Component(
            "kafka",
            start: { () async throws(Component.StartFailure) in
                guard !isInsecureDev else { return }
                let check = check
                let outcome = await check.outcome()
                switch outcome {
                case .right: return
                case .refused(let why): throw Component.StartFailure(.configuration, why)
                case .unknown: break
                }
                loop.spawn {
                    guard let why = await watch(check, outcome, on: loop) else { return }
                    log.error("the topics must not be used", .field("error", why))
                    ThisProcess.exit(ExitCode.configuration.rawValue)
                }
            }
        )
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
                guard !isInsecureDev else { return }
                loop.spawn {
                    let check = check
                    guard let why = await watch(check, await check.outcome(), on: loop) else {
                        return
                    }
                    log.error("the topics must not be used", .field("error", why))
                    refused()
                }
            }
        )
    }

    /// Asks until there is an answer; why the topics must not be used, or nil.
    package func watch(on loop: Loop) async -> String? {
        let check = check
        return await watch(check, await check.outcome(), on: loop)
    }

    private func watch(
        _ check: TopicCheck,
        _ first: TopicCheck.Outcome,
        on loop: Loop
    ) async -> String? {
        var outcome = first
        var said: TopicCheck.Outcome?
        var pause = Duration.seconds(1)
        while !loop.isStopping {
            switch outcome {
            case .right: return nil
            case .refused(let why): return why
            case .unknown(let why):
                if outcome != said {
                    log.warning("the topics could not be checked yet", .field("error", why))
                }
                said = outcome
            }
            try? await loop.sleep(until: loop.now.advanced(by: pause))
            pause = min(pause * 2, Self.pauseMax)
            outcome = await check.outcome()
        }
        return nil
    }

    private var check: TopicCheck {
        let isReplicated = kafka.topology == .replicated
        return TopicCheck(
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
    }
}
