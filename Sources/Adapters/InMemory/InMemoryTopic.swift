package import EventFormat
internal import Publishing
internal import Runtime

/// A topic in memory, as the relay writes it and readers read it.
package final class InMemoryTopic: Sendable {
    /// What a test lets go wrong with the next batch.
    package enum Fault: Sendable {
        /// Only the first half arrives, and the producer is finished.
        case broken
        /// All of it arrives, but the relay never hears it.
        case answerLost
    }

    struct Contents {
        var partitions: [[PublishedRecord]]
        var clusterID: String
        var isDown = false
        var faults: [Fault] = []
        var clustersMade = 1
    }

    let contents: Guarded<Contents>

    /// Makes an empty topic.
    package init(partitions: Int = 12) {
        contents = Guarded(
            Contents(
                partitions: Array(repeating: [], count: partitions),
                clusterID: "cluster-1"
            )
        )
    }

    /// A producer of one relay.
    package func producer() -> InMemoryProducer { InMemoryProducer(of: self) }

    /// Every record, by partition, in order.
    package var partitions: [[PublishedRecord]] { contents.withLock { $0.partitions } }

    /// The id of the cluster.
    package var clusterID: String { contents.withLock { $0.clusterID } }

    /// Faults of the next batches, in order.
    package func fail(_ faults: Fault...) { contents.withLock { $0.faults += faults } }

    /// Lets the brokers go away, or come back.
    package func setDown(_ isDown: Bool) { contents.withLock { $0.isDown = isDown } }

    /// Another cluster under the same address, without records.
    package func replaceCluster() {
        contents.withLock { contents in
            contents.clustersMade += 1
            contents.clusterID = "cluster-\(contents.clustersMade)"
            contents.partitions = contents.partitions.map { _ in [] }
        }
    }

    /// The topic made anew on the same cluster.
    package func recreate() {
        contents.withLock { $0.partitions = $0.partitions.map { _ in [] } }
    }
}
