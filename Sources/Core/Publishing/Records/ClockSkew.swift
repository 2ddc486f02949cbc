package import Domain

/// How far two machines' clocks may differ, and how far they do (Security 13).
///
/// A watermark says "everything decided before this time", where each issuer decides by its own
/// clock: it leaves two seconds for their differences, and is worth nothing beyond.
package enum ClockSkew {
    /// Beyond this, a node is not ready and a relay claims nothing, in ms.
    package static let millisecondsMax: Int64 = 2000
    /// Beyond this, somebody should look, in ms.
    package static let millisecondsAlarm: Int64 = 1000

    /// The difference of another clock, read between two instants of ours, in ms; positive when
    /// that one is ahead.
    ///
    /// An answer that takes long is no difference, and neither is a clock of ours that moved.
    package static func milliseconds(
        of other: Instant,
        askedAt asked: Instant,
        answeredAt answered: Instant
    ) -> Int64 {
        let (first, last) = (min(asked, answered), max(asked, answered))
        if other > last { return other.millisecondsSince(last) }
        return other < first ? -first.millisecondsSince(other) : 0
    }

    /// Whether somebody should look at the clocks.
    package static func isAlarming(_ milliseconds: Int64) -> Bool {
        milliseconds.magnitude > UInt64(millisecondsAlarm)
    }

    /// Whether a difference is one to stop at.
    package static func isWrong(_ milliseconds: Int64) -> Bool {
        milliseconds.magnitude > UInt64(millisecondsMax)
    }
}
