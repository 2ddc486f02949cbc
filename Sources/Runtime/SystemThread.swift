internal import CLinux
import Glibc

/// A thread of our own, for a loop, the log writer and blocking calls.
@safe package enum SystemThread {
    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts a thread running `body`; join it or let it end with the process.
    static func start(_ body: @escaping @Sendable () -> Void) -> pthread_t {
        var thread = pthread_t()
        let context = unsafe Unmanaged.passRetained(Body(body)).toOpaque()
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
        precondition(failed == 0, "the system refused a thread")
        return thread
    }

    /// Starts a thread nobody joins: for a C call that may block for long, or for ever.
    package static func detach(named name: String, _ body: @escaping @Sendable () -> Void) {
        let thread = start {
            unsafe clinux_name_thread(name)
            body()
        }
        pthread_detach(thread)
    }
}
