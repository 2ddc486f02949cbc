package import Domain
internal import Issuing
package import Persistence
internal import Runtime

/// The machine's clocks behind the ports.
package struct SystemClock: WallClock, Pause {
    private let server: ServerClock

    /// `server` tells whether the time is right.
    package init(_ server: ServerClock) { self.server = server }

    package var problem: String? { server.problem }

    package var now: Instant { Instant(microseconds: WallTime.nowMicroseconds()) }

    package func wait(milliseconds: Int) async {
        guard let loop = Loop.current else { return }
        await loop.waitOut(until: loop.now.advanced(by: .milliseconds(milliseconds)))
    }

    package func deadline(inMilliseconds milliseconds: Int) -> Deadline {
        let end = MonotonicInstant.now().advanced(by: .milliseconds(milliseconds))
        return Deadline(nanoseconds: end.nanoseconds)
    }
}
