/// A topic as the brokers describe it.
package struct TopicDescription: Hashable, Sendable {
    /// How many partitions it has.
    package var partitions: Int32
    /// The copies of the partition that has the fewest.
    package var copies: Int32
    /// The settings in force, by their Kafka names.
    package var settings: [String: String]
    /// How many copies of each partition are in sync; 0 of one that has no leader.
    package var inSync: [Int32: Int32]

    /// Describes a topic; without `inSync` nothing is known of its partitions.
    package init(
        partitions: Int32,
        copies: Int32,
        settings: [String: String],
        inSync: [Int32: Int32] = [:]
    ) {
        self.partitions = partitions
        self.copies = copies
        self.settings = settings
        self.inSync = inSync
    }
}
