import Runtime

/// A relay, or a queue, that answers when it is told to.
final class Relay: Sendable {
    private struct State {
        var isAsked = false
        var isTold = false
    }

    private let state = Guarded(State())

    var isAsked: Bool { state.withLock { $0.isAsked } }

    func answer() { state.withLock { $0.isTold = true } }

    /// On a loop.
    func reply() async {
        state.withLock { $0.isAsked = true }
        while !state.withLock({ $0.isTold }) {
            let soon = MonotonicInstant.now().advanced(by: .milliseconds(5))
            try? await Loop.current?.sleep(until: soon)
        }
    }
}
