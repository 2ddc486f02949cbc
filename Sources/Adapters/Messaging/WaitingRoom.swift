package import Domain
package import Issuing
internal import Runtime

/// Who on this node waits for which stream: login pages, mostly (Architecture 11).
package final class WaitingRoom: StreamHints {
    /// Pages that may wait in one process.
    package static let waitersMax = 10_000

    private struct Contents {
        var listeners: [StreamID: [Listener]] = [:]
        /// Those that listen; one listens to two streams, and many may listen to one.
        var count = 0
        var isClosed = false
    }

    private let contents = Guarded(Contents())

    package init() {}

    package func listen(to streams: [StreamID]) -> (any StreamListener)? {
        guard let loop = Loop.current else { return nil }
        let listener = Listener(streams, loop: loop, in: self)
        let isAdmitted = contents.withLock { contents in
            guard !contents.isClosed, contents.count < Self.waitersMax else { return false }
            contents.count += 1
            for stream in streams { contents.listeners[stream, default: []].append(listener) }
            return true
        }
        return isAdmitted ? listener : nil
    }

    /// A stream has perhaps moved; from any thread.
    package func changed(_ stream: StreamID) {
        for listener in contents.withLock({ $0.listeners[stream] ?? [] }) { listener.wake() }
    }

    /// Nobody waits any more: the process is going to end; from any thread.
    package func close() {
        let waiting = contents.withLock { contents in
            contents.isClosed = true
            return contents.listeners.values.flatMap { $0 }
        }
        for listener in waiting { listener.wake() }
    }

    fileprivate var isClosed: Bool { contents.withLock { $0.isClosed } }

    fileprivate func remove(_ listener: Listener) {
        contents.withLock { contents in
            contents.count -= 1
            for stream in listener.streams {
                contents.listeners[stream]?.removeAll { $0 === listener }
                if contents.listeners[stream]?.isEmpty == true { contents.listeners[stream] = nil }
            }
        }
    }

    fileprivate final class Listener: StreamListener {
        let streams: [StreamID]
        private let loop: Loop
        private let signal: LoopSignal
        private let room: WaitingRoom

        init(_ streams: [StreamID], loop: Loop, in room: WaitingRoom) {
            self.streams = streams
            self.loop = loop
            self.room = room
            signal = LoopSignal(on: loop)
        }

        func wake() { signal.raise() }

        func wait(milliseconds: Int) async -> Bool {
            guard !room.isClosed else { return false }
            await signal.wait(until: loop.now.advanced(by: .milliseconds(milliseconds)))
            return !room.isClosed
        }

        func cancel() { room.remove(self) }
    }
}
