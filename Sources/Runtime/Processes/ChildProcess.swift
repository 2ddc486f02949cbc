internal import CLinux
import Glibc

// @unchecked: `end` and `watch` are touched on the waiting loop alone.
/// A child process: waited for once, on a loop or by blocking.
package final class ChildProcess: @unchecked Sendable {
    /// How a child ended.
    package enum End: Hashable, Sendable {
        /// It returned this code.
        case exited(Int32)
        /// This signal ended it.
        case signalled(Int32)
    }

    /// Its process number, valid until its end was waited for.
    package let number: Int32
    private let descriptor: Int32
    private var end: End?
    private var watch: Watch?

    init(number: Int32, descriptor: Int32) {
        self.number = number
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Sends a signal, such as `SIGTERM`; nothing happens after the end was waited for.
    package func signal(_ signal: Int32) {
        if end == nil { _ = kill(number, signal) }
    }

    /// Kills the child and what it has started; it leads a group (`ChildCommand.leadsGroup`).
    func killGroup() {
        if end == nil { _ = kill(-number, SIGKILL) }
    }

    /// Waits for the end on `loop`; a cancelled task waits on.
    ///
    /// One waiter at a time.
    package func wait(on loop: Loop) async -> End {
        loop.assertCurrent()
        while true {
            if let end = collect(WNOHANG) { return end }
            await loop.suspend { (continuation: UnsafeContinuation<Void, Never>) in
                watch = loop.watch(descriptor, .readable) { [self] _ in
                    watch?.cancel()
                    watch = nil
                    unsafe continuation.resume()
                }
            }
        }
    }

    /// Waits for the end, blocking the thread: for tools without a loop.
    package func waitBlocking() -> End {
        while true {
            if let end = collect(0) { return end }
        }
    }

    /// Waits for the end until `end` at most, blocking the thread; nil when it is not over then.
    package func waitBlocking(until end: MonotonicInstant) -> End? {
        Processes.isReadable(descriptor, until: end) ? collect(WNOHANG) : nil
    }

    private func collect(_ options: Int32) -> End? {
        if let end { return end }
        var code: Int32 = 0
        let found = unsafe clinux_wait(number, options, &code)
        if found < 0 && errno == ECHILD {
            end = .exited(-1)  // Somebody else collected it; its code is lost.
        } else if found == number {
            end = code < 256 ? .exited(code) : .signalled(code - 256)
        }
        return end
    }
}
