/// Where a read model stands.
package struct ProjectionPosition: Hashable, Sendable {
    /// How far it is.
    package var progress: ProjectionProgress
    /// The cluster its offsets are on; nil where they are on none.
    package var cluster: String?
    /// The cluster on which our topic of revocations, known by its name, has with the outbox every
    /// revocation; nil where none has.
    package var revocationsCluster: String?
    /// Behind the last revocation there that Kafka has acknowledged, of each partition.
    package var acknowledged: [Int32: Int64]

    /// Puts a position together.
    package init(
        progress: ProjectionProgress,
        cluster: String?,
        revocationsCluster: String?,
        acknowledged: [Int32: Int64]
    ) {
        self.progress = progress
        self.cluster = cluster
        self.revocationsCluster = revocationsCluster
        self.acknowledged = acknowledged
    }

    /// Whether the offsets are on cluster `id`.
    func isOn(_ id: String) -> Bool { cluster?.utf8.elementsEqual(id.utf8) ?? false }

    /// Whether the outbox lacks nothing for cluster `id`.
    func tells(_ id: String) -> Bool { revocationsCluster?.utf8.elementsEqual(id.utf8) ?? false }
}
