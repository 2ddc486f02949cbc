package import Domain
package import Issuing
internal import Runtime

/// Hints in memory: a listener hears what is told while it listens.
///
/// A wait without hint is over at once, so tests need no time; they look how long it would have
/// been.
package final class InMemoryStreamHints: StreamHints {
    private struct Contents {
        var streams: [StreamID] = []
        var waits: [Int] = []
        var listeners = 0
        var isClosed = false
    }

    private let contents = Guarded(Contents())
    private let whileWaiting: @Sendable () async -> Void

    /// `whileWaiting` runs in each wait: what happens meanwhile.
    package init(whileWaiting: @escaping @Sendable () async -> Void = {}) {
        self.whileWaiting = whileWaiting
    }

    /// Streams listened to so far.
    package var streams: [StreamID] { contents.withLock { $0.streams } }
    /// Milliseconds waited for, wait by wait.
    package var waits: [Int] { contents.withLock { $0.waits } }
    /// Listeners that have not been cancelled.
    package var listeners: Int { contents.withLock { $0.listeners } }

    /// The process is going to end.
    package func close() { contents.withLock { $0.isClosed = true } }

    package func listen(to streams: [StreamID]) -> (any StreamListener)? {
        contents.withLock {
            $0.streams += streams
            $0.listeners += 1
        }
        return Listener(hints: self)
    }

    private struct Listener: StreamListener {
        let hints: InMemoryStreamHints

        func wait(milliseconds: Int) async -> Bool {
            hints.contents.withLock { $0.waits.append(milliseconds) }
            await hints.whileWaiting()
            return hints.contents.withLock { !$0.isClosed }
        }

        func cancel() { hints.contents.withLock { $0.listeners -= 1 } }
    }
}
