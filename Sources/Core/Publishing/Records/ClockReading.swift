package import Domain

/// What another clock said when it was asked, and what follows from it until it is asked again.
package struct ClockReading: Hashable, Sendable {
    /// By how much the other clock was ahead, in ms.
    private let milliseconds: Int64
    /// Our time less the time passed on a clock that never steps, both at the answer, in µs.
    private let offset: Int64

    /// Of an answer that came `waited` ns after the question, at `now`; `monotonic` is a clock that
    /// never steps, in ns, at the same moment.
    package init(of other: Instant, at now: Instant, monotonic: UInt64, waited: UInt64) {
        // Not the time when we asked: our clock may have stepped since.
        let asked = Instant(microseconds: now.microseconds - Self.microseconds(waited))
        milliseconds = ClockSkew.milliseconds(of: other, askedAt: asked, answeredAt: now)
        offset = now.microseconds - Self.microseconds(monotonic)
    }

    /// By how much the other clock is ahead, in ms, as far as we know: a step of ours is seen at
    /// once, one of the other clock at the next reading.
    package func milliseconds(at now: Instant, monotonic: UInt64) -> Int64 {
        let stepped = now.microseconds - Self.microseconds(monotonic) - offset
        return milliseconds - stepped / 1000
    }

    private static func microseconds(_ nanoseconds: UInt64) -> Int64 {
        Int64(clamping: nanoseconds / 1000)
    }
}
