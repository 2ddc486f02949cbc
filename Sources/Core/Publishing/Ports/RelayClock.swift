package import Domain

/// Time for the relay and the readers: for pauses and intervals, never for decisions.
package protocol RelayClock: Sendable {
    /// Nanoseconds of a monotonic clock.
    var nanoseconds: UInt64 { get }

    /// This machine's wall clock: only to see that another's is right.
    var wallTime: Instant { get }

    /// Returns after `time`, or earlier when the process is asked to end.
    func pause(_ time: Duration) async
}
