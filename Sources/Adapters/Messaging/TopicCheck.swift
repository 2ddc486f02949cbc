package import Kafka
package import Runtime

/// Looks at the cluster and the topics a process works with, when it starts.
package struct TopicCheck: Sendable {
    /// What came of it.
    package enum Outcome: Hashable, Sendable {
        case right
        /// Brokers that are away are no reason to end, and neither is a question we may not ask.
        case unknown(String)
        /// The process must not work with this; what, and what to do about it.
        case refused(String)
    }

    private static let timeoutMilliseconds: Int32 = 3000

    private let client: ClientSettings
    private let topics: [(name: String, rules: TopicRules)]
    private let blocking: BlockingExecutor

    /// Names the topics.
    package init(
        _ client: ClientSettings,
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
            guard !EventTopic.isDevelopment(cluster: try await administration.clusterID()) else {
                return .refused("the brokers are a development broker: name real ones")
            }
            for (name, rules) in topics {
                let description = try await administration.describe(name)
                let problem = rules.problems(with: description).first { $0.isRefused }
                if let problem {
                    return .refused("topic \(name) \(problem.sentence). \(problem.remedy)")
                }
            }
            return .right
        } catch .unknownTopic {
            return .refused("a topic is missing. Run chancery migrate --topics.")
        } catch { return .unknown("\(error)") }
    }
}
