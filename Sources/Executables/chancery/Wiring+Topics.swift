import Configuration
import Kafka
import Runtime

/// The topics of the product, as events.md section 10.1 wants them.
struct Topics: Sendable {
    private static let day = 86_400_000

    private let client: ClientSettings
    private let blocking = BlockingExecutor()
    private let isReplicated: Bool
    private let eventsTopic: String
    private let revocationsTopic: String

    init(bootstrap: String, isReplicated: Bool) {
        client = ClientSettings(bootstrapServers: bootstrap, clientID: "chancery")
        self.isReplicated = isReplicated
        eventsTopic = "chancery.events"
        revocationsTopic = "chancery.revocations"
    }

    init(_ settings: KafkaSettings) {
        var client = ClientSettings(bootstrapServers: settings.bootstrap, clientID: "chancery")
        if let authorities = settings.authoritiesPath {
            client.security = .tls(
                authorities: authorities,
                certificate: settings.certificatePath,
                key: settings.keyPath
            )
        }
        self.client = client
        isReplicated = settings.topology == .replicated
        eventsTopic = settings.eventsTopic
        revocationsTopic = settings.revocationsTopic
    }

    /// Makes the topics that are missing, or with `isDry` only finds them.
    ///
    /// - Returns: the names of the missing ones.
    /// - Throws: when the brokers cannot be asked, or a topic has another number of partitions.
    func bring(isDry: Bool = false) async throws(CommandFailure) -> [String] {
        var missing: [String] = []
        for topic in wanted {
            guard let count = try await partitions(of: topic.name) else {
                missing.append(topic.name)
                if !isDry { try await create(topic) }
                continue
            }
            guard count == topic.partitions else {
                throw CommandFailure(
                    "topic \(topic.name) has \(count) partitions, not \(topic.partitions)",
                    remedy: "The number never changes: make a new topic and cut over to it."
                )
            }
        }
        return missing
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

    private func create(_ topic: TopicSpecification) async throws(CommandFailure) {
        do throws(KafkaError) { try await brokers().create(topic) } catch { throw failure(error) }
    }

    private func brokers() throws(KafkaError) -> Administration {
        try Administration(client, on: blocking)
    }

    private func failure(_ error: KafkaError) -> CommandFailure {
        CommandFailure(
            "Kafka at \(client.bootstrapServers): \(error)",
            remedy: "Are the brokers up, and may this client ask?"
        )
    }

    private var wanted: [TopicSpecification] {
        let copies: Int32 = isReplicated ? 3 : 1
        let common = [
            "min.insync.replicas": isReplicated ? "2" : "1",
            "unclean.leader.election.enable": "false",
        ]
        let log = ["cleanup.policy": "delete", "retention.ms": "\(30 * Self.day)"]
        let table = [
            "cleanup.policy": "compact,delete", "retention.ms": "\(7 * Self.day)",
            "min.cleanable.dirty.ratio": "0.1", "segment.ms": "3600000",
            "max.compaction.lag.ms": "3600000", "delete.retention.ms": "\(Self.day)",
        ]
        return [(eventsTopic, Int32(12), log), (revocationsTopic, 12, table)].map {
            TopicSpecification(
                name: $0.0,
                partitions: $0.1,
                replicationFactor: copies,
                settings: common.merging($0.2) { $1 }
            )
        } + [
            TopicSpecification(
                name: "\(eventsTopic).dlq",
                partitions: 1,
                replicationFactor: copies,
                settings: common.merging(log) { $1 }
            )
        ]
    }
}
