package import Domain
internal import Issuing
internal import Runtime

/// A clock that stands still until it is told to move; the pauses it is asked for take no time.
package final class SettableClock: WallClock, Pause {
    private let instant: Guarded<Instant>
    private let doubt = Guarded<String?>(nil)

    package init(_ now: Instant = Instant(milliseconds: 1_795_232_554_473)) {
        instant = Guarded(now)
    }

    package var now: Instant { instant.withLock { $0 } }

    package var problem: String? { doubt.current }

    /// From now on it is known to be wrong, or right again.
    package func distrust(_ problem: String?) { doubt.replace(with: problem) }

    /// Moves the time on.
    package func advance(seconds: Int64) {
        instant.withLock { $0 = $0.adding(seconds: seconds) }
    }

    package func wait(milliseconds: Int) async {}

    package func deadline(inMilliseconds milliseconds: Int) -> Deadline {
        Deadline(nanoseconds: .max)
    }

    /// None passes: what tests wait for by another clock is not late by this one.
    package func isPast(_ deadline: Deadline) -> Bool { false }
}
