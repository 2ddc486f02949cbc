internal import CLinux
import Glibc

/// A point on the machine's monotonic clock; only differences mean something.
package struct MonotonicInstant: Hashable, Comparable, Sendable {
    /// Nanoseconds since an arbitrary start, usually boot.
    package var nanoseconds: UInt64

    /// Takes a clock reading or a computed deadline.
    package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    /// An instant no clock reaches.
    package static let distantFuture = Self(nanoseconds: .max)

    /// Reads the clock: 20 to 50 ns.
    ///
    /// On a loop prefer `Loop.now`.
    package static func now() -> Self {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Self(
            nanoseconds: UInt64(clamping: time.tv_sec) &* 1_000_000_000
                &+ UInt64(clamping: time.tv_nsec)
        )
    }

    /// This instant moved by `duration`; the ends of the range hold, nothing traps.
    package func advanced(by duration: Duration) -> Self {
        let amount = duration.clampedNanoseconds
        let magnitude = amount.magnitude
        let (moved, overflow) =
            amount < 0
            ? nanoseconds.subtractingReportingOverflow(magnitude)
            : nanoseconds.addingReportingOverflow(magnitude)
        return Self(nanoseconds: overflow ? (amount < 0 ? 0 : .max) : moved)
    }

    /// The time from `earlier` to this instant, zero when `earlier` is later.
    package func since(_ earlier: Self) -> Duration {
        guard nanoseconds > earlier.nanoseconds else { return .zero }
        return .nanoseconds(Int64(clamping: nanoseconds - earlier.nanoseconds))
    }

    /// Orders by time.
    package static func < (left: Self, right: Self) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}

extension Duration {
    /// The length in nanoseconds; what does not fit 64 bits is clamped.
    package var clampedNanoseconds: Int64 {
        // An hour and a quarter fits 63 bits as parts of 512; more, or less than nothing, are
        // divided twice as 128 bits, which takes ten times as long.
        let parts = attoseconds >> 9
        if parts >= 0, let short = Int64(exactly: parts) { return short / (1_000_000_000 >> 9) }
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return seconds < 0 ? .min : .max }
        let (sum, carried) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return carried ? (seconds < 0 ? .min : .max) : sum
    }
}
