// @unchecked: everything but `post` is touched on `loop` alone.
/// A flag that a task of one loop waits for and any thread may raise.
@safe package final class LoopSignal: @unchecked Sendable {
    private let loop: Loop
    private var waiting: UnsafeContinuation<Void, Never>?
    private var timer: LoopTimer?
    private var isRaised = false

    /// Made on the loop whose task will wait.
    package init(on loop: Loop) { self.loop = loop }

    /// Ends the wait, or the next one when nobody waits; from any thread.
    package func raise() {
        loop.post { [self] in
            isRaised = true
            resume()
        }
    }

    /// Returns when the flag is raised, at `instant`, or when the task is cancelled; lowers it.
    ///
    /// One task at a time.
    package func wait(until instant: MonotonicInstant) async {
        loop.assertCurrent()
        await withTaskCancellationHandler {
            await loop.suspend { continuation in
                guard !isRaised, !Task.isCancelled else { return unsafe continuation.resume() }
                unsafe waiting = continuation
                timer = loop.schedule(at: instant) { [self] in resume() }
            }
        } onCancel: {
            loop.post { [self] in resume() }
        }
        isRaised = false
    }

    private func resume() {
        timer?.cancel()
        timer = nil
        unsafe waiting?.resume()
        unsafe waiting = nil
    }
}
