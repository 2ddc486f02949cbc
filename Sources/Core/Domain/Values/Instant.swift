/// Microseconds since 1970-01-01T00:00:00Z.
package struct Instant: Hashable, Comparable, Sendable {
    package var microseconds: Int64

    package init(microseconds: Int64) { self.microseconds = microseconds }

    /// Saturates: a far future stays a far future.
    package init(milliseconds: Int64) {
        let (product, overflow) = milliseconds.multipliedReportingOverflow(by: 1000)
        microseconds = overflow ? (milliseconds < 0 ? .min : .max) : product
    }

    /// Saturates as above.
    package init(seconds: Int64) {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        microseconds = overflow ? (seconds < 0 ? .min : .max) : product
    }

    /// Rounded down.
    package var milliseconds: Int64 { microseconds.flooredDivision(by: 1000) }

    /// Rounded down: the `NumericDate` of RFC 7519 section 2.
    package var seconds: Int64 { microseconds.flooredDivision(by: 1_000_000) }

    /// Rounded down to whole milliseconds, the precision of payload members (Events 4).
    package var wholeMilliseconds: Instant { Instant(milliseconds: milliseconds) }

    package static func < (left: Self, right: Self) -> Bool {
        left.microseconds < right.microseconds
    }

    /// Saturates instead of overflowing.
    package func adding(seconds: Int64) -> Instant { adding(seconds, of: 1_000_000) }

    /// Saturates instead of overflowing.
    package func adding(milliseconds: Int64) -> Instant { adding(milliseconds, of: 1000) }

    private func adding(_ count: Int64, of unit: Int64) -> Instant {
        let (step, stepOverflow) = count.multipliedReportingOverflow(by: unit)
        let (sum, sumOverflow) = microseconds.addingReportingOverflow(step)
        guard !stepOverflow, !sumOverflow else {
            return Instant(microseconds: count < 0 ? .min : .max)
        }
        return Instant(microseconds: sum)
    }

    /// Milliseconds from `earlier` to here, 0 when the clock went backwards.
    package func millisecondsSince(_ earlier: Instant) -> Int64 {
        let (difference, overflow) = microseconds.subtractingReportingOverflow(earlier.microseconds)
        return overflow || difference < 0 ? 0 : difference / 1000
    }
}

extension Int64 {
    fileprivate func flooredDivision(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
