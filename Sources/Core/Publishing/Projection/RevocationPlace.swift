/// Where a connection to `chancery.revocations` leads.
package struct RevocationPlace: Hashable, Sendable {
    /// The id of the cluster.
    package var cluster: String
    /// The ends of the partitions: asked for when the connection was made, and moved by what was
    /// acknowledged over it since.
    package var ends: TopicEnds

    /// Names a place.
    package init(cluster: String, ends: TopicEnds) {
        self.cluster = cluster
        self.ends = ends
    }
}
