package import Publishing
internal import Runtime

/// `chancery.revocations` in memory: on each cluster the last value per key, as a compacted topic
/// keeps it.
package final class InMemoryRevocationTopic: Sendable {
    struct Cluster {
        var values: [String: [UInt8]] = [:]
        var watermarks: [LogWatermark] = []
        /// Records in its one partition, those of watermarks apart.
        var end: Int64 = 0
    }

    struct Contents {
        var clusters: [String: Cluster] = [:]
        var isDown = false
    }

    let events: InMemoryTopic
    let contents = Guarded(Contents())

    /// Makes the topic beside that of events, on the same clusters.
    package init(beside events: InMemoryTopic) { self.events = events }

    /// The value under each key, on the cluster that answers.
    package var values: [String: [UInt8]] { values(on: events.clusterID) }

    /// The value under each key on a cluster.
    package func values(on cluster: String) -> [String: [UInt8]] {
        contents.withLock { $0.clusters[cluster]?.values ?? [:] }
    }

    /// The cluster that answers has lost every value; its partition ends where it began, or so many
    /// records behind it.
    package func loseValues(but kept: Int64 = 0) {
        let cluster = events.clusterID
        contents.withLock {
            $0.clusters[cluster]?.values = [:]
            $0.clusters[cluster]?.end = kept
        }
    }

    /// Every watermark published, on the cluster that answers.
    package var watermarks: [LogWatermark] {
        let cluster = events.clusterID
        return contents.withLock { $0.clusters[cluster]?.watermarks ?? [] }
    }

    /// Lets the brokers go away, or come back.
    package func setDown(_ isDown: Bool) { contents.withLock { $0.isDown = isDown } }

    /// A connection of one projector.
    package func sink() -> InMemoryRevocationSink { InMemoryRevocationSink(of: self) }
}
