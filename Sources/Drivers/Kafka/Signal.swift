internal import Runtime

// @unchecked: touched on `loop` alone; each entry checks.
/// Lets one task wait on its loop until something happens, or until an instant.
@safe final class Signal: @unchecked Sendable {
    private unowned let loop: Loop
    private var waiting: UnsafeContinuation<Void, Never>?
    private var timer: LoopTimer?

    init(on loop: Loop) { self.loop = loop }

    /// Returns at the next `fire`, at `instant`, or when the task is cancelled; the caller looks
    /// what there is.
    func wait(until instant: MonotonicInstant) async {
        guard !Task.isCancelled else { return }
        await withTaskCancellationHandler {
            await loop.suspend { continuation in
                loop.assertCurrent()
                assert(unsafe waiting == nil, "one task waits at a time")
                unsafe waiting = continuation
                timer = loop.schedule(at: instant) { [self] in fire() }
            }
        } onCancel: {
            loop.post { [self] in fire() }
        }
    }

    /// Lets the waiting task go on; without one it does nothing.
    func fire() {
        loop.assertCurrent()
        timer?.cancel()
        timer = nil
        let resumed = unsafe waiting
        unsafe waiting = nil
        unsafe resumed?.resume()
    }
}
