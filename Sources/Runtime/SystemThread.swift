internal import CLinux
import Glibc

/// A thread of our own, for a loop, the log writer and blocking calls.
@safe package enum SystemThread {
    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts a thread running `body`; join it or let it end with the process.
    ///
    /// Nil when the system has none to give: too many, or no memory.
    static func start(_ body: @escaping @Sendable () -> Void) -> pthread_t? {
        var thread = pthread_t()
        let body = unsafe Unmanaged.passRetained(Body(body))
        let context = unsafe body.toOpaque()
        let failed = unsafe pthread_create(
            &thread,
            nil,
            { context in
                if let context = unsafe context {
                    unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
                }
                return nil
            },
            context
        )
        guard failed == 0 else {
            unsafe body.release()
            return nil
        }
        return thread
    }

    /// Starts a thread nobody joins: for a C call that may block for long, or for ever.
    ///
    /// - Returns: false when the system has none to give; `body` is not run then.
    package static func detach(named name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        let thread = start {
            unsafe clinux_name_thread(name)
            body()
        }
        guard let thread else { return false }
        pthread_detach(thread)
        return true
    }
}
