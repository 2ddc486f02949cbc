internal import Synchronization

/// Counts durations by length, for quantiles; two atomic instructions each, from any thread.
package final class Histogram: Sendable {
    /// Upper bounds in seconds when none are given: 0.5 ms to 10 s.
    package static let boundsSeconds: [Double] = [
        0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]

    let bounds: [Double]
    private let buckets: [Counter]
    private let nanoseconds = Atomic<UInt64>(0)

    init(bounds: [Double]) {
        self.bounds = bounds
        buckets = (0...bounds.count).map { _ in Counter() }
    }

    /// Counts one duration; a negative one counts as zero.
    package func observe(_ duration: Duration) {
        let length = UInt64(max(0, duration.clampedNanoseconds))
        let seconds = Double(length) / 1e9
        let bucket = bounds.firstIndex { seconds <= $0 } ?? bounds.count
        buckets[bucket].add()
        nanoseconds.wrappingAdd(length, ordering: .relaxed)
    }

    /// Counts one value that is a number of things, in the scale of `bounds`.
    package func observe(count: Int) { observe(.seconds(count)) }

    /// How many values were counted.
    package var count: UInt64 { buckets.reduce(0) { $0 + $1.value } }

    var sumSeconds: Double { Double(nanoseconds.load(ordering: .relaxed)) / 1e9 }

    /// Counts up to and including each bound, the unbounded one last.
    var cumulative: [UInt64] {
        var total: UInt64 = 0
        return buckets.map { bucket in
            total += bucket.value
            return total
        }
    }
}
