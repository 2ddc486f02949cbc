/// A cluster, and where each partition of a topic begins and ends on it.
package struct EventSourceEnds: Hashable, Sendable {
    /// The id of the cluster.
    package var cluster: String
    /// The first offset of each partition.
    package var lows: [Int32: Int64]
    /// The offset of the next record of each partition.
    package var highs: [Int32: Int64]

    /// Describes a topic.
    package init(cluster: String, lows: [Int32: Int64], highs: [Int32: Int64]) {
        self.cluster = cluster
        self.lows = lows
        self.highs = highs
    }

    /// Whether every partition can be read on from these offsets.
    package func hold(_ offsets: [Int32: Int64]) -> Bool {
        offsets.count == lows.count
            && lows.allSatisfy { partition, low in
                guard let offset = offsets[partition], let high = highs[partition] else {
                    return false
                }
                return low...max(low, high) ~= offset
            }
    }
}
