/// The two ends of a partition.
package struct Watermarks: Hashable, Sendable {
    /// The offset of the oldest record still there.
    package var low: Int64
    /// The offset the next record will get.
    package var high: Int64

    /// Names both ends.
    package init(low: Int64, high: Int64) {
        self.low = low
        self.high = high
    }
}
