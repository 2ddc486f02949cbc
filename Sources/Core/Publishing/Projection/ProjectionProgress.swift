package import Domain

/// How far a projection has read, and what it may therefore claim (events.md section 11).
///
/// Numbers are dense over all partitions, so the frontier, up to which nothing is missing, is known
/// without waiting for a watermark; after a restart the next watermarks bring it back.
package struct ProjectionProgress: Hashable, Sendable {
    /// Numbers kept beyond the frontier; more are left to the watermarks.
    static let aheadMax = 1_000_000

    /// The log that is read; records of others are passed over.
    package let log: StreamID
    /// The next offset of each partition.
    package private(set) var offsets: [Int32: Int64]
    /// The last number applied of each partition: drops duplicates.
    package private(set) var applied: [Int32: Int64]
    /// Every event up to this number is applied; -1 before the first.
    package private(set) var frontier: Int64
    private var ahead: Set<Int64> = []
    private var watermarks: [Int32: LogWatermark] = [:]
    private let partitions: Set<Int32>

    /// Continues where the read model stands.
    package init(
        log: StreamID,
        offsets: [Int32: Int64],
        applied: [Int32: Int64],
        frontier: Int64
    ) {
        self.log = log
        self.offsets = offsets
        self.applied = applied
        self.frontier = frontier
        partitions = Set(offsets.keys)
    }

    /// Whether event `index` is new here; then it counts as applied.
    package mutating func takes(_ index: Int64, in partition: Int32) -> Bool {
        guard index > applied[partition, default: -1] else { return false }
        applied[partition] = index
        if ahead.count < Self.aheadMax, index > frontier { ahead.insert(index) }
        while ahead.remove(frontier + 1) != nil { frontier += 1 }
        return true
    }

    /// Notes a watermark of a partition.
    package mutating func sees(_ watermark: LogWatermark, in partition: Int32) {
        guard watermark.log == log else { return }
        watermarks[partition] = watermark
        guard let complete, complete.index > frontier else { return }
        frontier = complete.index
        ahead = ahead.filter { $0 > frontier }
        while ahead.remove(frontier + 1) != nil { frontier += 1 }
    }

    /// Notes that everything before `offset` has been read.
    package mutating func passes(_ offset: Int64, in partition: Int32) {
        offsets[partition] = max(offset, offsets[partition, default: 0])
    }

    /// The watermark that holds for all partitions; nil until each has shown one.
    package var complete: LogWatermark? {
        guard watermarks.count == partitions.count, !partitions.isEmpty,
            let through = watermarks.values.map(\.completeThrough).min(),
            let index = watermarks.values.map(\.index).min()
        else { return nil }
        return LogWatermark(log: log, completeThrough: through, index: index)
    }
}
