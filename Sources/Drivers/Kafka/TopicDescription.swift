/// A topic as the brokers describe it.
package struct TopicDescription: Hashable, Sendable {
    /// How many partitions it has.
    package var partitions: Int32
    /// The copies of the partition that has the fewest.
    package var copies: Int32
    /// The settings in force, by their Kafka names.
    package var settings: [String: String]

    /// Describes a topic.
    package init(partitions: Int32, copies: Int32, settings: [String: String]) {
        self.partitions = partitions
        self.copies = copies
        self.settings = settings
    }
}
