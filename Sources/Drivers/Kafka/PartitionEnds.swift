/// Where a producer's records ended, of each partition.
///
/// What is acknowledged to one producer lies behind what was acknowledged to it before: a record at
/// a lower offset is in another log, made anew or cut off, whatever sequence numbers say.
package struct PartitionEnds: Hashable, Sendable {
    /// The offset behind the last record, of each partition that has one.
    package private(set) var offsets: [Int32: Int64] = [:]

    /// Nothing is acknowledged yet.
    package init() {}

    /// Takes a record that was acknowledged; false where it lies before another.
    ///
    /// Where it lies is not known, as -1, of one that an earlier try had published.
    package mutating func take(_ offset: Int64, in partition: Int32) -> Bool {
        guard offset >= 0 else { return true }
        guard offset >= offsets[partition] ?? 0 else { return false }
        offsets[partition] = offset + 1
        return true
    }
}
