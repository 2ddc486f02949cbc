internal import Domain
internal import Issuing
internal import Persistence
internal import Runtime

/// The machine's clocks behind the ports.
struct SystemClock: WallClock, Pause {
    private let server: ServerClock

    /// `server` tells whether the time is right.
    init(_ server: ServerClock) { self.server = server }

    var problem: String? { server.problem }

    var now: Instant { Instant(microseconds: WallTime.nowMicroseconds()) }

    func wait(milliseconds: Int) async {
        guard let loop = Loop.current else { return }
        try? await loop.sleep(until: loop.now.advanced(by: .milliseconds(milliseconds)))
    }

    func deadline(inMilliseconds milliseconds: Int) -> Deadline {
        let end = MonotonicInstant.now().advanced(by: .milliseconds(milliseconds))
        return Deadline(nanoseconds: end.nanoseconds)
    }
}
