import Foundation

/// Ends the running child with the check: it has a process group of its own.
enum Interrupts {
    private static let child = Guard()

    /// The one child that runs, if any.
    private final class Guard: @unchecked Sendable {  // `lock` guards `process`.
        private let lock = NSLock()
        private var process: Process?

        func replace(_ new: Process?) { lock.withLock { process = new } }
        func terminate() {
            lock.withLock { if process?.isRunning == true { process?.terminate() } }
        }
    }

    nonisolated(unsafe) private static var sources: [any DispatchSourceSignal] = []

    /// Call once, before the first child.
    static func install() {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                child.terminate()
                Screen.say("\nInterrupted.")
                exit(130)
            }
            source.resume()
            unsafe sources.append(source)
        }
    }

    static func watch(_ process: Process?) { child.replace(process) }
}
