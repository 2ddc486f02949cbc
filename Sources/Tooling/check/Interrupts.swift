import Foundation

/// Ends the check behind its children when somebody says so, and at once when they say it again.
enum Interrupts {
    private static let sources = Sources()

    // `all` is written by one thread, before all others; `lock` guards the count.
    private final class Sources: @unchecked Sendable {
        var all: [any DispatchSourceSignal] = []
        private let lock = NSLock()
        private var count = 0

        /// Whether nobody asked before.
        var isFirst: Bool {
            lock.withLock {
                count += 1
                return count == 1
            }
        }
    }

    /// Call once, before the first child.
    static func install(_ children: Children) {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                guard sources.isFirst else { exit(130) }
                Screen.say("\nInterrupted: what runs is ended …")
                children.interruptAll()
                DispatchQueue.global().async {
                    children.waitUntilOver()
                    exit(130)
                }
            }
            source.resume()
            sources.all.append(source)
        }
    }
}
