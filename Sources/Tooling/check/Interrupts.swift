import Foundation

/// Ends the running child with the check: it has a process group of its own.
enum Interrupts {
    private static let state = State()

    private final class State: @unchecked Sendable {  // `lock` guards both.
        private let lock = NSLock()
        private var process: Process?
        private var sources: [any DispatchSourceSignal] = []

        func keep(_ source: any DispatchSourceSignal) { lock.withLock { sources.append(source) } }
        func replace(_ new: Process?) { lock.withLock { process = new } }
        func terminate() {
            lock.withLock { if process?.isRunning == true { process?.terminate() } }
        }
    }

    /// Call once, before the first child.
    static func install() {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                state.terminate()
                Screen.say("\nInterrupted.")
                exit(130)
            }
            source.resume()
            state.keep(source)
        }
    }

    /// Names the one child that runs, if any.
    static func watch(_ process: Process?) { state.replace(process) }
}
