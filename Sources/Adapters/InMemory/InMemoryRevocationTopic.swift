package import Publishing
internal import Runtime

/// `chancery.revocations` in memory: on each cluster the last value per key, as a compacted topic
/// keeps it.
package final class InMemoryRevocationTopic: RevocationSink {
    struct Cluster {
        var values: [String: [UInt8]] = [:]
        var watermarks: [LogWatermark] = []
    }

    struct Contents {
        var clusters: [String: Cluster] = [:]
        /// Nil: the one that answers.
        var reached: String?
        var isDown = false
    }

    private let events: InMemoryTopic
    private let contents = Guarded(Contents())

    /// Makes the topic beside that of events, on the same clusters.
    package init(beside events: InMemoryTopic) { self.events = events }

    /// The value under each key, on the cluster that answers.
    package var values: [String: [UInt8]] { values(on: events.clusterID) }

    /// The value under each key on a cluster.
    package func values(on cluster: String) -> [String: [UInt8]] {
        contents.withLock { $0.clusters[cluster]?.values ?? [:] }
    }

    /// Every watermark published, on the cluster that answers.
    package var watermarks: [LogWatermark] {
        let cluster = events.clusterID
        return contents.withLock { $0.clusters[cluster]?.watermarks ?? [] }
    }

    /// Lets the brokers go away, or come back.
    package func setDown(_ isDown: Bool) { contents.withLock { $0.isDown = isDown } }

    /// As a connection that stands to another cluster than answers now; nil: to that.
    package func setReached(_ cluster: String?) { contents.withLock { $0.reached = cluster } }

    package func clusterID() async throws(ProjectionTrouble) -> String {
        let current = events.clusterID
        return try contents.withLock { contents throws(ProjectionTrouble) in
            guard !contents.isDown else { throw .unavailable }
            return contents.reached ?? current
        }
    }

    package func publish(_ records: [RevocationRecord]) async throws(ProjectionTrouble) {
        try change { for record in records { $0.values[record.key] = record.value } }
    }

    package func bury(_ keys: [String]) async throws(ProjectionTrouble) {
        try change { for key in keys { $0.values[key] = nil } }
    }

    package func publish(_ watermark: LogWatermark) async throws(ProjectionTrouble) {
        try change { $0.watermarks.append(watermark) }
    }

    private func change(_ body: (inout Cluster) -> Void) throws(ProjectionTrouble) {
        let current = events.clusterID
        try contents.withLock { contents throws(ProjectionTrouble) in
            guard !contents.isDown else { throw .unavailable }
            body(&contents.clusters[contents.reached ?? current, default: Cluster()])
        }
    }
}
