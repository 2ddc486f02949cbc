// @unchecked: touched on the loop's thread alone; each entry checks.
/// A descriptor a loop looks at, until cancelled.
///
/// The descriptor stays the caller's: cancel the watch first, then close. The loop keeps the
/// handler until `cancel`, so a handler that holds its owner keeps it alive.
package final class Watch: @unchecked Sendable {
    /// The descriptor looked at.
    package let descriptor: Int32
    private unowned let loop: Loop
    let tag: UInt64
    private(set) var interest: Interest
    private var handler: ((Readiness) -> Void)?

    init(
        _ descriptor: Int32,
        _ interest: Interest,
        tag: UInt64,
        on loop: Loop,
        handler: @escaping (Readiness) -> Void
    ) {
        self.descriptor = descriptor
        self.interest = interest
        self.tag = tag
        self.loop = loop
        self.handler = handler
    }

    /// Changes what to hear about; the empty set still hears a full hang-up.
    package func change(to interest: Interest) {
        loop.assertCurrent()
        guard handler != nil, interest != self.interest else { return }
        self.interest = interest
        loop.update(self)
    }

    /// Ends the watch: the handler is not called again and is released.
    ///
    /// Twice is harmless.
    package func cancel() {
        loop.assertCurrent()
        guard handler != nil else { return }
        handler = nil
        loop.forget(self)
    }

    func fire(_ events: UInt32) {
        handler?(Readiness(events: events, asked: interest))
    }
}
