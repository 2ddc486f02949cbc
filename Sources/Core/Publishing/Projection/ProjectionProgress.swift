package import Domain

/// How far a projection has read, and what it may therefore claim (Events 11).
///
/// Numbers are dense over all partitions, so the frontier, up to which nothing is missing, is known
/// without waiting for a watermark; and a watermark beyond the frontier tells that records were
/// lost on the way.
package struct ProjectionProgress: Hashable, Sendable {
    /// Numbers kept beyond the frontier; beyond that, everything is read from PostgreSQL again.
    static let aheadMax = 1_000_000

    /// The log that is read; records of others are passed over.
    package let log: StreamID
    /// Raised by each rebuild: whoever wrote into the model before must not any more.
    package let generation: Int32
    /// The next offset of each partition.
    package private(set) var offsets: [Int32: Int64]
    /// The last number applied of each partition: drops duplicates.
    package private(set) var applied: [Int32: Int64]
    /// Every event up to this number is applied or belongs to a blocked key; -1 before the first.
    package private(set) var frontier: Int64
    /// How many rows came after the frontier had passed their number.
    package private(set) var late: Int64
    /// Up to here the model is complete: never beyond what a blocked key holds back.
    package private(set) var complete: LogWatermark?
    /// Keys whose events are not applied.
    package private(set) var blocked: [[UInt8]: BlockedKey]
    /// Whether every partition has passed a number that came in none.
    package private(set) var hasHole = false
    private var ahead: Set<Int64> = []
    private var watermarks: [Int32: LogWatermark] = [:]

    /// Continues where the read model stands.
    package init(
        log: StreamID,
        generation: Int32 = 1,
        offsets: [Int32: Int64],
        applied: [Int32: Int64],
        frontier: Int64,
        late: Int64 = 0,
        complete: LogWatermark? = nil,
        blocked: [BlockedKey] = []
    ) {
        self.log = log
        self.generation = generation
        self.offsets = offsets
        self.applied = applied
        self.frontier = frontier
        self.late = late
        self.complete = complete
        self.blocked = Dictionary(blocked.map { ($0.key, $0) }) { first, _ in first }
    }

    /// The greatest number applied; what lies between it and the frontier may be applied or not.
    package var greatest: Int64 { max(frontier, applied.values.max() ?? -1) }

    /// Whether event `index` has not been counted in its partition.
    package func isNew(_ index: Int64, in partition: Int32) -> Bool {
        index > applied[partition, default: -1]
    }

    /// Whether event `index` is new here; then it counts as applied.
    package mutating func takes(_ index: Int64, in partition: Int32) -> Bool {
        guard isNew(index, in: partition) else { return false }
        applied[partition] = index
        if ahead.count < Self.aheadMax, index > frontier { ahead.insert(index) }
        while ahead.remove(frontier + 1) != nil { frontier += 1 }
        return true
    }

    /// The number of a row that came after the frontier had passed `index`; nil for one in time.
    mutating func lateNumber(of index: Int64, served: Int64) -> Int64? {
        guard index <= served else { return nil }
        late += 1
        return late
    }

    /// Notes a watermark of a partition.
    ///
    /// One that lies more than two seconds after `now` comes from a clock that is wrong: it says
    /// nothing, and what was claimed by such a one is withdrawn.
    package mutating func sees(
        _ watermark: LogWatermark,
        in partition: Int32,
        at now: Instant? = nil
    ) {
        guard watermark.log == log else { return }
        if let now {
            let latest = now.adding(milliseconds: ClockSkew.millisecondsMax)
            if let complete, complete.completeThrough > latest { self.complete = nil }
            watermarks = watermarks.filter { $0.value.completeThrough <= latest }
            guard watermark.completeThrough <= latest else { return }
        }
        watermarks[partition] = watermark
        if let common, common.index > frontier { hasHole = true }
        claim()
    }

    /// Notes that everything before `offset` has been read.
    package mutating func passes(_ offset: Int64, in partition: Int32) {
        offsets[partition] = max(offset, offsets[partition, default: 0])
    }

    /// Everything up to `index` came from PostgreSQL; nothing is ahead.
    package mutating func catchesUp(to index: Int64) {
        frontier = max(frontier, index)
        ahead = ahead.filter { $0 > frontier }
    }

    /// What it has read is not where it will go on: until it resumes it stands nowhere.
    mutating func leavesTopic() {
        offsets = [:]
        watermarks = [:]
    }

    /// Everything up to the frontier came from PostgreSQL, and reading goes on at `offsets`.
    package mutating func resumes(at offsets: [Int32: Int64]) {
        self.offsets = offsets
        applied = offsets.mapValues { _ in frontier }
        ahead = []
        watermarks = [:]
        hasHole = false
    }

    /// Stops a key.
    package mutating func block(_ key: BlockedKey) {
        if blocked[key.key] == nil { blocked[key.key] = key }
    }

    /// Everything of the key is applied.
    package mutating func release(_ key: [UInt8]) {
        blocked[key] = nil
        claim()
    }

    /// The smallest number that a blocked key holds back; nil when there is none.
    package var firstBlocked: Int64? { blocked.values.map(\.index).min() }

    /// The watermark that holds for all partitions; nil until each has shown one.
    private var common: LogWatermark? {
        guard watermarks.count == offsets.count, !offsets.isEmpty,
            let through = watermarks.values.map(\.completeThrough).min(),
            let index = watermarks.values.map(\.index).min()
        else { return nil }
        return LogWatermark(log: log, completeThrough: through, index: index)
    }

    /// A claim only grows, and never over what a blocked key holds back.
    private mutating func claim() {
        guard let common, common.index <= frontier,
            firstBlocked.map({ common.index < $0 }) ?? true
        else { return }
        guard let complete else {
            self.complete = common
            return
        }
        guard common.index >= complete.index, common.completeThrough >= complete.completeThrough
        else { return }
        self.complete = common
    }
}
