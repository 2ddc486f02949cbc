package import Kafka

/// A topic of ours, how to reach it, and how long a broker may hold an empty fetch.
package struct KafkaTopic: Sendable {
    /// How to reach the brokers.
    package var client: KafkaClientSettings
    /// Its name.
    package var name: String
    /// See `ReaderSettings.fetchWaitMilliseconds`.
    package var fetchWaitMilliseconds: Int
    /// See `ReaderSettings.fetchBytesMin`.
    package var fetchBytesMin: Int

    /// Names a topic.
    package init(
        _ client: KafkaClientSettings,
        name: String,
        fetchWaitMilliseconds: Int = 500,
        fetchBytesMin: Int = 1
    ) {
        self.client = client
        self.name = name
        self.fetchWaitMilliseconds = fetchWaitMilliseconds
        self.fetchBytesMin = fetchBytesMin
    }

    /// Whether a cluster is `dev-broker`: in memory, alone, with little of what Kafka can do.
    package static func isDevelopment(cluster id: String) -> Bool {
        id.utf8.starts(with: "mockCluster".utf8)
    }

    /// The same topic, read in the way that suits the cluster: a development broker holds every
    /// empty fetch for the whole time.
    package func suited(toCluster id: String) -> Self {
        var topic = self
        if Self.isDevelopment(cluster: id) {
            topic.fetchWaitMilliseconds = min(5, fetchWaitMilliseconds)
        }
        return topic
    }

    var reading: ReaderSettings {
        ReaderSettings(
            client,
            topic: name,
            fetchWaitMilliseconds: fetchWaitMilliseconds,
            fetchBytesMin: fetchBytesMin
        )
    }
}
