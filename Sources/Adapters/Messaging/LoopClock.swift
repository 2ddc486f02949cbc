package import Domain
internal import Publishing
package import Runtime

// @unchecked: touched on `loop` alone.
/// The clock and the pauses of a relay or reader, on its loop.
package final class LoopClock: RelayClock, @unchecked Sendable {
    private let loop: Loop
    private let signal: LoopSignal
    /// Whether `stop` was called.
    package private(set) var isStopping = false

    /// Makes a clock whose pauses `stop` ends.
    package init(on loop: Loop) {
        self.loop = loop
        signal = LoopSignal(on: loop)
    }

    package var nanoseconds: UInt64 { MonotonicInstant.now().nanoseconds }

    package var wallTime: Instant { Instant(microseconds: WallTime.nowMicroseconds()) }

    package func pause(_ time: Duration) async {
        guard !isStopping else { return }
        await signal.wait(until: .now().advanced(by: time))
    }

    /// Ends the pause under way, and every later one at once.
    package func stop() {
        loop.assertCurrent()
        isStopping = true
        signal.raise()
    }
}
