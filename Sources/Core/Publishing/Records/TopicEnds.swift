/// Where each partition of a topic begins and ends.
package struct TopicEnds: Hashable, Sendable {
    /// The first offset of each partition that is still there.
    package var lows: [Int32: Int64]
    /// The offset of the next record of each partition.
    package var highs: [Int32: Int64]

    /// Describes a topic.
    package init(lows: [Int32: Int64], highs: [Int32: Int64]) {
        self.lows = lows
        self.highs = highs
    }

    /// Whether nothing was ever written to it.
    package var isUntouched: Bool { highs.values.allSatisfy { $0 == 0 } }

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

    /// Moves the ends behind records that were acknowledged.
    package mutating func move(to offsets: [Int32: Int64]) {
        highs.merge(offsets) { max($0, $1) }
    }

    /// Whether a partition ends before the offset that somebody has read to, or is gone: it lost
    /// records.
    package func end(before offsets: [Int32: Int64]) -> Bool {
        offsets.contains { partition, offset in offset > highs[partition, default: 0] }
    }
}
