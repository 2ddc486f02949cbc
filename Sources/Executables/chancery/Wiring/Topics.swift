import Assembly
import Configuration
import Kafka
import Messaging
import Runtime

/// The topics of the product, as Events 10.1 wants them.
struct Topics: Sendable {
    private let client: KafkaClientSettings
    private let isReplicated: Bool
    private let eventsTopic: String
    private let revocationsTopic: String

    init(bootstrap: String, isReplicated: Bool) {
        client = KafkaClientSettings(bootstrapServers: bootstrap, clientID: "chancery")
        self.isReplicated = isReplicated
        eventsTopic = "chancery.events"
        revocationsTopic = "chancery.revocations"
    }

    init(_ settings: KafkaSettings) {
        client = KafkaClientSettings(settings, clientID: "chancery")
        isReplicated = settings.topology == .replicated
        eventsTopic = settings.eventsTopic
        revocationsTopic = settings.revocationsTopic
    }

    /// Makes the topics that are missing, or with `isDry` only finds them.
    ///
    /// - Returns: the names of the missing ones, but for what somebody else has made meanwhile.
    /// - Throws: when the brokers cannot be asked, or a topic has another number of partitions.
    func bring(isDry: Bool = false) async throws(CommandFailure) -> [String] {
        var missing: [String] = []
        for topic in wanted {
            guard let count = try await partitions(of: topic.name) else {
                var isMissing = true
                if !isDry { isMissing = try await create(topic.rules.specification(topic.name)) }
                if isMissing { missing.append(topic.name) }
                continue
            }
            let wanted = topic.rules.specification(topic.name).partitions
            guard count == wanted else {
                throw CommandFailure(
                    "topic \(topic.name) has \(count) partitions, not \(wanted)",
                    remedy: "The number never changes: make a new topic and cut over to it."
                )
            }
        }
        return missing
    }

    /// Looks at the topics that were there, as a process does when it starts; says what is wrong
    /// with them and keeps no process from its work.
    ///
    /// - Throws: what a process would refuse of them; when the brokers cannot be asked.
    func refuseWrong(but made: [String]) async throws(CommandFailure) {
        // The development broker cannot be asked for settings.
        guard !KafkaTopic.isDevelopment(cluster: try await clusterID()) else { return }
        var lines: [String] = []
        for (name, rules) in wanted where !made.contains(name) {
            for problem in rules.problems(with: try await description(of: name)) {
                let line = "topic \(name) \(problem.sentence). \(problem.remedy)"
                guard !problem.isRefused else {
                    lines.append(line)
                    continue
                }
                Terminal.complain("warning: \(line)")
            }
        }
        guard lines.isEmpty else { throw CommandFailure(lines.joined(separator: "\n")) }
    }

    /// One that was made a moment ago is known to all brokers within seconds; each try is a client
    /// of its own.
    private func description(of name: String) async throws(CommandFailure) -> TopicDescription {
        let limit = MonotonicInstant.now().advanced(by: .seconds(5))
        while true {
            do throws(KafkaError) { return try await brokers().describe(name) } catch {
                guard let loop = Loop.current, error == .unknownTopic || error.mayPass,
                    MonotonicInstant.now() < limit
                else { throw failure(error) }
                try? await loop.sleep(until: .now().advanced(by: .milliseconds(100)))
            }
        }
    }

    /// What is wrong with the topics as the brokers know them, with each by itself.
    func diagnoses() async throws(CommandFailure) -> [Diagnosis] {
        let isDevelopment = KafkaTopic.isDevelopment(cluster: try await clusterID())
        var found: [Diagnosis] = []
        for (name, rules) in wanted {
            guard let count = try await partitions(of: name) else {
                found.append(
                    .fault("topic \(name) is missing", "Run chancery migrate --topics.")
                )
                continue
            }
            guard !isDevelopment else {
                // It cannot be asked for settings.
                let known = TopicDescription(partitions: count, copies: 3, settings: rules.settings)
                found += Self.problems(known, name, rules)
                continue
            }
            do throws(KafkaError) {
                let description = try await brokers().describe(name)
                let problems = Self.problems(description, name, rules)
                found += problems.isEmpty ? [Self.right(description, name)] : problems
            } catch {
                let sentence = failure(error).sentence
                found.append(.fault("topic \(name): \(sentence)", Self.advice))
            }
        }
        return found
    }

    private static func problems(
        _ description: TopicDescription,
        _ name: String,
        _ rules: TopicRules
    ) -> [Diagnosis] {
        rules.problems(with: description).map { problem in
            let sentence = "topic \(name) \(problem.sentence)"
            return problem.isRefused
                ? .fault(sentence, problem.remedy) : .warning(sentence, problem.remedy)
        }
    }

    private static func right(_ description: TopicDescription, _ name: String) -> Diagnosis {
        let kept = description.settings["retention.ms"].flatMap { Int64($0) } ?? -1
        let time = kept < 0 ? "for ever" : "\(kept / 86_400_000) days"
        return .ok(
            "topic \(name): \(description.partitions) partitions, "
                + "\(description.copies) copies, kept \(time)"
        )
    }

    /// How many partitions a topic has; nil when there is no such topic.
    func partitions(of topic: String) async throws(CommandFailure) -> Int32? {
        do throws(KafkaError) { return try await brokers().partitionCount(of: topic) } catch {
            if error == .unknownTopic { return nil }
            throw failure(error)
        }
    }

    /// The id of the cluster.
    func clusterID() async throws(CommandFailure) -> String {
        do throws(KafkaError) { return try await brokers().clusterID() } catch {
            throw failure(error)
        }
    }

    /// False when somebody else has made it meanwhile.
    private func create(_ topic: TopicSpecification) async throws(CommandFailure) -> Bool {
        do throws(KafkaError) {
            try await brokers().create(topic)
            return true
        } catch {
            if error == .topicExists { return false }
            throw failure(error)
        }
    }

    private static let advice = "Are the brokers up, and may this client ask?"

    private func brokers() throws(KafkaError) -> Administration {
        try Administration(client, on: Wiring.blocking)
    }

    private func failure(_ error: KafkaError) -> CommandFailure {
        CommandFailure(
            "Kafka at \(client.bootstrapServers): \(error)",
            remedy: Self.advice,
            status: error.exitStatus
        )
    }

    private var wanted: [(name: String, rules: TopicRules)] {
        [
            (eventsTopic, .events(isReplicated: isReplicated)),
            (revocationsTopic, .revocations(isReplicated: isReplicated)),
            ("\(eventsTopic).dlq", .deadLetters(isReplicated: isReplicated)),
        ]
    }
}
