package import Kafka
package import Runtime

/// Looks at the cluster and the topics a process works with, when it starts.
package struct TopicCheck: Sendable {
    /// What came of it.
    package enum Outcome: Hashable, Sendable {
        case right
        /// Brokers that are away are no reason to end, and neither is a topic that is missing, or a
        /// question we may not ask.
        case unknown(String)
        /// The process must not work with this; what, and what to do about it.
        case refused(String)
    }

    private static let timeoutMilliseconds: Int32 = 3000

    private let client: KafkaClientSettings
    private let topics: [(name: String, rules: TopicRules)]
    private let blocking: BlockingExecutor

    /// Names the topics.
    package init(
        _ client: KafkaClientSettings,
        _ topics: [(name: String, rules: TopicRules)],
        on blocking: BlockingExecutor
    ) {
        self.client = client
        self.topics = topics
        self.blocking = blocking
    }

    /// Asks the brokers; a few seconds at most for each topic.
    package func outcome() async -> Outcome {
        do throws(KafkaError) {
            let administration = try Administration(
                client,
                on: blocking,
                timeoutMilliseconds: Self.timeoutMilliseconds
            )
            guard !KafkaTopic.isDevelopment(cluster: try await administration.clusterID()) else {
                return .refused("the brokers are a development broker: name real ones")
            }
            var missing: [String] = []
            for (name, rules) in topics {
                guard let description = try await description(of: name, by: administration) else {
                    missing.append(name)
                    continue
                }
                let problem = rules.problems(with: description).first { $0.isRefused }
                if let problem {
                    return .refused("topic \(name) \(problem.sentence). \(problem.remedy)")
                }
            }
            guard !missing.isEmpty else { return .right }
            let names = missing.joined(separator: ", ")
            return .unknown("missing: \(names). Run chancery migrate --topics.")
        } catch { return .unknown("\(error)") }
    }

    /// Nil of a topic that is missing.
    private func description(
        of name: String,
        by administration: Administration
    ) async throws(KafkaError) -> TopicDescription? {
        do throws(KafkaError) { return try await administration.describe(name) } catch {
            if error == .unknownTopic { return nil }
            throw error
        }
    }
}
