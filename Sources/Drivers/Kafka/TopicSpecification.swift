/// A topic to create.
package struct TopicSpecification: Hashable, Sendable {
    /// Its name.
    package var name: String
    /// Its partitions; never changed afterwards, keys would move.
    package var partitions: Int32
    /// Copies of each partition; -1 leaves it to the brokers.
    package var replicationFactor: Int32
    /// Topic settings by their Kafka names, such as `cleanup.policy`.
    package var settings: [String: String]

    /// Describes a topic.
    package init(
        name: String,
        partitions: Int32,
        replicationFactor: Int32 = -1,
        settings: [String: String] = [:]
    ) {
        self.name = name
        self.partitions = partitions
        self.replicationFactor = replicationFactor
        self.settings = settings
    }
}
