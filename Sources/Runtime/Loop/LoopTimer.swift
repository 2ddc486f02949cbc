// @unchecked: touched on the loop's thread alone; each entry checks.
/// A call a loop makes once, at an instant, unless cancelled before.
package final class LoopTimer: @unchecked Sendable {
    /// When it is due; it fires up to 1 ms later, never earlier.
    package let instant: MonotonicInstant
    private unowned let loop: Loop
    let sequence: UInt64
    var position = -1
    private var body: (() -> Void)?

    init(
        at instant: MonotonicInstant,
        sequence: UInt64,
        on loop: Loop,
        body: @escaping () -> Void
    ) {
        self.instant = instant
        self.sequence = sequence
        self.loop = loop
        self.body = body
    }

    /// Takes the call back and releases it.
    ///
    /// After firing, or twice, it is harmless.
    package func cancel() {
        loop.assertCurrent()
        body = nil
        loop.forget(self)
    }

    func fire() {
        let body = self.body
        self.body = nil
        body?()
    }
}
