import Foundation

/// Ends the check, and its children, when somebody says so.
enum Interrupts {
    private static let sources = Sources()

    private final class Sources: @unchecked Sendable {  // Written by one thread, before all others.
        var all: [any DispatchSourceSignal] = []
    }

    /// Call once, before the first child.
    static func install(_ children: Children) {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                children.endAll()
                Screen.say("\nInterrupted.")
                exit(130)
            }
            source.resume()
            sources.all.append(source)
        }
    }
}
