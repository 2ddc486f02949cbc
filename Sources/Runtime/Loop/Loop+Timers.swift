extension Loop {
    /// Calls `body` on the loop at `instant` (up to 1 ms later), unless cancelled before.
    @discardableResult
    package func schedule(
        at instant: MonotonicInstant,
        _ body: @escaping () -> Void
    ) -> LoopTimer {
        assertCurrent()
        timersMade += 1
        let timer = LoopTimer(at: instant, sequence: timersMade, on: self, body: body)
        timers.insert(timer)
        return timer
    }

    func forget(_ timer: LoopTimer) { timers.remove(timer) }

    /// Parks the calling task until `instant`; a deadline, so asking again does not move it.
    ///
    /// - Throws: at once when the task is cancelled, before or while it waits.
    package func sleep(until instant: MonotonicInstant) async throws(CancellationError) {
        let sleeper = Sleeper()
        let finished = await withTaskCancellationHandler {
            await suspend { continuation in
                onLoop { unsafe sleeper.park(continuation, until: instant, on: self) }
            }
        } onCancel: {
            onLoop { sleeper.cancel() }
        }
        guard finished else { throw CancellationError() }
    }

    /// Parks the calling task until `instant`, also when it is cancelled.
    ///
    /// For what goes on after its client has left, and would be over at once otherwise.
    package func waitOut(until instant: MonotonicInstant) async {
        await suspend { (continuation: UnsafeContinuation<Void, Never>) in
            onLoop { [self] in schedule(at: instant) { unsafe continuation.resume() } }
        }
    }

    /// Lets this turn end, so that what it has to send is sent, and goes on in the next one.
    ///
    /// For who has much to reckon with meanwhile.
    package func nextTurn() async {
        // A cancelled task waits no turn.
        try? await sleep(until: now)
    }

    private func onLoop(_ body: @escaping @Sendable () -> Void) {
        if isCurrent { body() } else { post(body) }
    }
}

// @unchecked: touched on the loop's thread alone.
/// One sleep: ends by its timer or by cancellation, whichever the loop sees first.
@safe private final class Sleeper: @unchecked Sendable {
    private var continuation: UnsafeContinuation<Bool, Never>?
    private var timer: LoopTimer?
    private var isCancelled = false

    func park(
        _ continuation: UnsafeContinuation<Bool, Never>,
        until instant: MonotonicInstant,
        on loop: Loop
    ) {
        unsafe self.continuation = continuation
        if isCancelled { return finish(false) }
        timer = loop.schedule(at: instant) { [self] in finish(true) }
    }

    func cancel() {
        isCancelled = true
        finish(false)
    }

    private func finish(_ slept: Bool) {
        timer?.cancel()
        timer = nil
        let waiting = unsafe continuation
        unsafe continuation = nil
        unsafe waiting?.resume(returning: slept)
    }
}
