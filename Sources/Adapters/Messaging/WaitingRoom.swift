package import Domain
package import Issuing
internal import Runtime

/// Who on this node waits for which stream: login pages, mostly (architecture.md section 11).
package final class WaitingRoom: StreamHints {
    /// Pages that may wait in one process.
    package static let waitersMax = 10_000

    private let listeners = Guarded<[StreamID: [Listener]]>([:])

    package init() {}

    package func listen(to streams: [StreamID]) -> (any StreamListener)? {
        guard let loop = Loop.current else { return nil }
        let listener = Listener(streams, loop: loop, in: self)
        let isAdmitted = listeners.withLock { listeners in
            guard listeners.count < Self.waitersMax else { return false }
            for stream in streams { listeners[stream, default: []].append(listener) }
            return true
        }
        return isAdmitted ? listener : nil
    }

    /// A stream has perhaps moved; from any thread.
    package func changed(_ stream: StreamID) {
        for listener in listeners.withLock({ $0[stream] ?? [] }) { listener.wake() }
    }

    fileprivate func remove(_ listener: Listener) {
        listeners.withLock { listeners in
            for stream in listener.streams {
                listeners[stream]?.removeAll { $0 === listener }
                if listeners[stream]?.isEmpty == true { listeners[stream] = nil }
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

        func wait(milliseconds: Int) async {
            await signal.wait(until: loop.now.advanced(by: .milliseconds(milliseconds)))
        }

        func cancel() { room.remove(self) }
    }
}
