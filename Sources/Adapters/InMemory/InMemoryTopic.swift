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
        /// The first offset that is still there.
        var lows: [Int]
        var clusterID: String
        var isDown = false
        var faults: [Fault] = []
        var clustersMade = 1
        /// What a former cluster has, by its id.
        var former: [String: (partitions: [[PublishedRecord]], lows: [Int])] = [:]

        var ends: TopicEnds {
            TopicEnds(
                lows: Self.numbered(lows),
                highs: Self.numbered(partitions.map(\.count))
            )
        }

        func tail(_ count: Int, before ends: TopicEnds) -> [LogRecord] {
            ends.highs.keys.sorted().flatMap { partition in
                partitions[Int(partition)].prefix(Int(ends.highs[partition] ?? 0)).suffix(count)
                    .map { LogRecord($0) }
            }
        }

        private static func numbered(_ offsets: [Int]) -> [Int32: Int64] {
            Dictionary(uniqueKeysWithValues: offsets.enumerated().map { (Int32($0), Int64($1)) })
        }
    }

    let contents: Guarded<Contents>

    /// Makes an empty topic.
    package init(partitions: Int = 12) {
        contents = Guarded(
            Contents(
                partitions: Array(repeating: [], count: partitions),
                lows: Array(repeating: 0, count: partitions),
                clusterID: "cluster-1"
            )
        )
    }

    /// A producer of one relay.
    package func producer() -> InMemoryProducer { InMemoryProducer(of: self) }

    /// A reader of one projector.
    package func source() -> InMemoryEventSource { InMemoryEventSource(of: self) }

    /// As retention: the first `count` records of every partition cannot be read any more.
    package func expire(_ count: Int) {
        contents.withLock { contents in
            contents.lows = contents.partitions.map { min($0.count, count) }
        }
    }

    /// As brokers that lost power: a partition lacks its last `count` records.
    package func loseTail(of partition: Int, _ count: Int) {
        contents.withLock { contents in
            let kept = contents.partitions[partition].dropLast(count)
            contents.partitions[partition] = Array(kept)
        }
    }

    /// Adds a record to the first partition, whoever wrote it.
    package func append(_ record: PublishedRecord) {
        contents.withLock { $0.partitions[0].append(record) }
    }

    /// Changes what stands in the topic, as damage or a stranger would; nil takes a record away.
    package func change(_ change: (PublishedRecord) -> PublishedRecord?) {
        contents.withLock { contents in
            contents.partitions = contents.partitions.map { $0.compactMap(change) }
        }
    }

    /// Every record, by partition, in order.
    package var partitions: [[PublishedRecord]] { contents.withLock { $0.partitions } }

    /// The id of the cluster.
    package var clusterID: String { contents.withLock { $0.clusterID } }

    /// Faults of the next batches, in order.
    package func fail(_ faults: Fault...) { contents.withLock { $0.faults += faults } }

    /// Whether a fault is still to strike.
    package var hasFaults: Bool { contents.withLock { !$0.faults.isEmpty } }

    /// Lets the brokers go away, or come back.
    package func setDown(_ isDown: Bool) { contents.withLock { $0.isDown = isDown } }

    /// Another cluster under the same address, without records.
    package func replaceCluster() {
        contents.withLock { contents in
            contents.former[contents.clusterID] = (contents.partitions, contents.lows)
            contents.clustersMade += 1
            contents.clusterID = "cluster-\(contents.clustersMade)"
            contents.partitions = contents.partitions.map { _ in [] }
            contents.lows = contents.lows.map { _ in 0 }
        }
    }

    /// A former cluster under the address again, with all that it had.
    package func returnToCluster(_ id: String) {
        contents.withLock { contents in
            guard let former = contents.former[id] else { return }
            contents.former[contents.clusterID] = (contents.partitions, contents.lows)
            contents.clusterID = id
            (contents.partitions, contents.lows) = former
        }
    }

    /// The topic made anew on the same cluster.
    package func recreate() {
        contents.withLock { contents in
            contents.partitions = contents.partitions.map { _ in [] }
            contents.lows = contents.lows.map { _ in 0 }
        }
    }
}
