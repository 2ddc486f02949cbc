package import Publishing
internal import Runtime

/// One projector's way to `chancery.revocations` in memory: its connection stands to the cluster
/// that it reached first, also when another answers under the address.
package final class InMemoryRevocationSink: RevocationSink {
    private let topic: InMemoryRevocationTopic
    private let reached = Guarded<String?>(nil)

    init(of topic: InMemoryRevocationTopic) { self.topic = topic }

    package func place() async throws(ProjectionTrouble) -> RevocationPlace {
        guard !topic.contents.withLock({ $0.isDown }) else { throw .unavailable }
        let current = topic.events.clusterID
        let cluster = reached.withLock { reached in
            let cluster = reached ?? current
            reached = cluster
            return cluster
        }
        let end = topic.contents.withLock { $0.clusters[cluster]?.end ?? 0 }
        return RevocationPlace(cluster: cluster, ends: TopicEnds(lows: [0: 0], highs: [0: end]))
    }

    package func leave() async { reached.replace(with: nil) }

    package func publish(
        _ records: [RevocationRecord]
    ) async throws(ProjectionTrouble) -> [Int32: Int64] {
        try change { cluster in
            for record in records { cluster.values[record.key] = record.value }
            cluster.end += Int64(records.count)
            return [0: cluster.end]
        }
    }

    package func bury(_ keys: [String]) async throws(ProjectionTrouble) {
        try change { cluster in
            for key in keys { cluster.values[key] = nil }
            cluster.end += Int64(keys.count)
        }
    }

    package func publish(_ watermark: LogWatermark) async throws(ProjectionTrouble) {
        try change { $0.watermarks.append(watermark) }
    }

    private func change<Answer>(
        _ body: (inout InMemoryRevocationTopic.Cluster) -> Answer
    ) throws(ProjectionTrouble) -> Answer {
        guard let cluster = reached.current else { throw .unavailable }
        return try topic.contents.withLock { contents throws(ProjectionTrouble) in
            guard !contents.isDown else { throw .unavailable }
            return body(&contents.clusters[cluster, default: .init()])
        }
    }
}
