package import Publishing
internal import Runtime

/// One projector's way to `chancery.revocations` in memory: its connection stands to the cluster
/// that it reached first, also when another answers under the address.
package final class InMemoryRevocationSink: RevocationSink {
    private let topic: InMemoryRevocationTopic
    private let reached = Guarded<String?>(nil)

    init(of topic: InMemoryRevocationTopic) { self.topic = topic }

    package func clusterID() async throws(ProjectionTrouble) -> String {
        guard !topic.contents.withLock({ $0.isDown }) else { throw .unavailable }
        let current = topic.events.clusterID
        return reached.withLock { reached in
            let cluster = reached ?? current
            reached = cluster
            return cluster
        }
    }

    package func leave() async { reached.replace(with: nil) }

    package func publish(_ records: [RevocationRecord]) async throws(ProjectionTrouble) {
        try change { for record in records { $0.values[record.key] = record.value } }
    }

    package func bury(_ keys: [String]) async throws(ProjectionTrouble) {
        try change { for key in keys { $0.values[key] = nil } }
    }

    package func publish(_ watermark: LogWatermark) async throws(ProjectionTrouble) {
        try change { $0.watermarks.append(watermark) }
    }

    private func change(
        _ body: (inout InMemoryRevocationTopic.Cluster) -> Void
    ) throws(ProjectionTrouble) {
        guard let cluster = reached.current else { throw .unavailable }
        try topic.contents.withLock { contents throws(ProjectionTrouble) in
            guard !contents.isDown else { throw .unavailable }
            body(&contents.clusters[cluster, default: .init()])
        }
    }
}
