internal import Domain
internal import Issuing
internal import Runtime

/// Lets the commands of this process at one stream one after another, in order of arrival.
///
/// So a process never conflicts with itself; other processes are the log's affair.
final class Turnstile: Sendable {
    /// Commands that may wait for one stream.
    static let waitingMax = 256

    /// A parked command; resumed by whoever takes it out of its queue.
    private final class Waiter: Sendable {
        private let waiting: Resumption<Bool>
        init(_ waiting: Resumption<Bool>) { self.waiting = waiting }
        func resume(_ isIn: Bool) { waiting.resume(returning: isIn) }
    }

    private static let stripeCount = 64
    private let stripes: [Guarded<[StreamID: [Waiter]]>]

    init() { stripes = (0..<Self.stripeCount).map { _ in Guarded([:]) } }

    /// Returns when it is this command's turn.
    ///
    /// - Throws: `.unavailable` at the deadline, or when too many wait already.
    func enter(_ stream: StreamID, by deadline: Deadline) async throws(StoreError) {
        let stripe = stripe(of: stream)
        let isFree = stripe.withLock { queues in
            guard queues[stream] == nil else { return false }
            queues[stream] = []
            return true
        }
        guard !isFree else { return }
        guard let loop = Loop.current else { throw .unavailable }
        var timer: LoopTimer?
        let isIn = await loop.park { waiting in
            let waiter = Waiter(waiting)
            switch Self.queue(waiter, at: stream, in: stripe) {
            case .goes: waiter.resume(true)
            case .refused: waiter.resume(false)
            case .waits:
                timer = loop.schedule(at: MonotonicInstant(deadline)) {
                    if Self.withdraw(waiter, from: stream, in: stripe) { waiter.resume(false) }
                }
            }
        }
        timer?.cancel()
        guard isIn else { throw .unavailable }
    }

    /// Lets the next one in.
    func leave(_ stream: StreamID) {
        let next = stripe(of: stream).withLock { queues -> Waiter? in
            guard var queue = queues[stream], !queue.isEmpty else {
                queues[stream] = nil
                return nil
            }
            let first = queue.removeFirst()
            queues[stream] = queue
            return first
        }
        next?.resume(true)
    }

    private enum Arrival { case goes, waits, refused }

    private static func queue(
        _ waiter: Waiter,
        at stream: StreamID,
        in stripe: Guarded<[StreamID: [Waiter]]>
    ) -> Arrival {
        stripe.withLock { queues in
            // It may have become free since it was looked at.
            guard let queue = queues[stream] else {
                queues[stream] = []
                return .goes
            }
            guard queue.count < waitingMax else { return .refused }
            queues[stream, default: []].append(waiter)
            return .waits
        }
    }

    private static func withdraw(
        _ waiter: Waiter,
        from stream: StreamID,
        in stripe: Guarded<[StreamID: [Waiter]]>
    ) -> Bool {
        stripe.withLock { queues in
            guard let index = queues[stream]?.firstIndex(where: { $0 === waiter }) else {
                return false
            }
            queues[stream]?.remove(at: index)
            return true
        }
    }

    private func stripe(of stream: StreamID) -> Guarded<[StreamID: [Waiter]]> {
        stripes[Int(truncatingIfNeeded: stream.low) & (Self.stripeCount - 1)]
    }
}
