extension Loop {
    /// Parks the calling task until `descriptor` is ready, at most until `deadline`.
    ///
    /// For programs that talk on one descriptor at a time; a server watches its own.
    /// - Returns: false when the deadline came first.
    package func wait(
        for descriptor: Int32,
        _ interest: Interest,
        until deadline: MonotonicInstant
    ) async -> Bool {
        assertCurrent()
        let wait = ReadinessWait()
        return await suspend { continuation in
            unsafe wait.continuation = continuation
            wait.watch = watch(descriptor, interest) { _ in wait.end(true) }
            wait.timer = schedule(at: deadline) { wait.end(false) }
        }
    }
}

// @unchecked: touched on the loop alone.
/// One wait: ends by the descriptor or by the timer, whichever the loop sees first.
@safe private final class ReadinessWait: @unchecked Sendable {
    var continuation: UnsafeContinuation<Bool, Never>?
    var watch: Watch?
    var timer: LoopTimer?

    func end(_ isReady: Bool) {
        watch?.cancel()
        timer?.cancel()
        unsafe continuation?.resume(returning: isReady)
        unsafe continuation = nil
    }
}
