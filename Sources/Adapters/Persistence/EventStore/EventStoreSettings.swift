/// How a process uses the event log.
package struct EventStoreSettings: Sendable {
    /// Names this process in the metadata of its events, at most 64 bytes.
    package var node: String
    /// Connections that append; more than one pays only with several loops.
    package var lanes: Int
    /// What the cache of folded states may take.
    package var cacheBytesMax: Int

    package init(node: String, lanes: Int = 2, cacheBytesMax: Int = 256 * 1024 * 1024) {
        self.node = node
        self.lanes = lanes
        self.cacheBytesMax = cacheBytesMax
    }
}
