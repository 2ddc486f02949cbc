package import Configuration
internal import Kafka
package import Messaging
package import Runtime

/// Keeps a process from working with topics that could lose what they are told (Security 10.8),
/// or with the brokers of a developer's machine.
package struct TopicGate: Sendable {
    /// What the process works with.
    package enum Topic: Sendable {
        case events
        case revocations
    }

    /// The longest pause between two looks while the brokers do not answer.
    private static let pauseMax = Duration.seconds(10)

    private let ask: @Sendable () async -> TopicCheck.Outcome
    private let isInsecureDev: Bool
    private let hidesIdentity: Bool
    private let lookAgainEvery: Duration
    private let log: Log

    /// With `isInsecureDev` nothing is asked.
    package init(
        _ kafka: KafkaSettings,
        _ topics: [Topic],
        clientID: String,
        isInsecureDev: Bool,
        on blocking: BlockingExecutor,
        log: Log
    ) {
        let check = Self.check(kafka, topics, clientID: clientID, on: blocking)
        self.init(isInsecureDev: isInsecureDev, hidesIdentity: kafka.hidesIdentity, log: log) {
            await check.outcome()
        }
    }

    /// As above, told by `ask` what the brokers say; topics that were right are looked at again
    /// every ten minutes, because they may be made anew, or set otherwise.
    package init(
        isInsecureDev: Bool = false,
        hidesIdentity: Bool = false,
        lookAgainEvery: Duration = .seconds(600),
        log: Log,
        ask: @escaping @Sendable () async -> TopicCheck.Outcome
    ) {
        self.ask = ask
        self.isInsecureDev = isInsecureDev
        self.hidesIdentity = hidesIdentity
        self.lookAgainEvery = lookAgainEvery
        self.log = log
    }

    /// The start waits for one answer; brokers that are away, or lack a topic, are no reason to
    /// end, and are asked until they have it.
    ///
    /// What is wrong then ends the process at once: each further record could be lost.
    package func component(on loop: Loop) -> Component {
        Component(
            "kafka",
            start: { () async throws(Component.StartFailure) in
                guard !isInsecureDev else { return }
                sayWhatIsHidden()
                let outcome = await ask()
                if case .refused(let why) = outcome {
                    throw Component.StartFailure(.configuration, why)
                }
                loop.spawn {
                    if let why = await watch(outcome, on: loop) { end(why) }
                    await lookAgain(on: loop) { end($0) }
                }
            }
        )
    }

    /// The start waits for nothing, because nothing is decided by Kafka; `refused` ends the
    /// process when the answer comes.
    ///
    /// What is wrong later is only said.
    package func component(
        on loop: Loop,
        refused: @escaping @Sendable () -> Void
    ) -> Component {
        Component(
            "kafka",
            start: {
                guard !isInsecureDev else { return }
                sayWhatIsHidden()
                loop.spawn {
                    if let why = await watch(on: loop) {
                        log.error("the topics must not be used", .field("error", why))
                        return refused()
                    }
                    await lookAgain(on: loop) { why in
                        log.error("the topics must not be used", .field("error", why))
                    }
                }
            }
        )
    }

    private func sayWhatIsHidden() {
        guard hidesIdentity else { return }
        log.warning(
            "the brokers are not shown who this is, so they cannot keep others from its topics",
            .field("setting", "kafka.tls_certificate_file")
        )
    }

    /// Asks until there is an answer; why the topics must not be used, or nil.
    package func watch(on loop: Loop) async -> String? {
        await watch(await ask(), on: loop)
    }

    /// Looks again and again at topics that were right; tells `wrong` each time they are not.
    ///
    /// What cannot be seen, as when a topic is gone, is only said: whoever works with it waits.
    package func lookAgain(on loop: Loop, wrong: (String) -> Void) async {
        while !loop.isStopping {
            try? await loop.sleep(until: loop.now.advanced(by: lookAgainEvery))
            switch await ask() {
            case .right: break
            case .unknown(let why):
                log.warning("the topics could not be checked", .field("error", why))
            case .refused(let why): wrong(why)
            }
        }
    }

    private func end(_ why: String) {
        log.error("the topics must not be used", .field("error", why))
        log.flush()
        ThisProcess.exitNow(ExitCode.configuration.rawValue)
    }

    private func watch(_ first: TopicCheck.Outcome, on loop: Loop) async -> String? {
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
            outcome = await ask()
        }
        return nil
    }

    private static func check(
        _ kafka: KafkaSettings,
        _ topics: [Topic],
        clientID: String,
        on blocking: BlockingExecutor
    ) -> TopicCheck {
        let isReplicated = kafka.topology == .replicated
        return TopicCheck(
            KafkaClientSettings(kafka, clientID: clientID),
            topics.map { topic in
                switch topic {
                case .events: (kafka.eventsTopic, .events(isReplicated: isReplicated))
                case .revocations:
                    (kafka.revocationsTopic, .revocations(isReplicated: isReplicated))
                }
            },
            on: blocking
        )
    }
}
