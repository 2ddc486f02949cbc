internal import Publishing
package import Runtime

// @unchecked: touched on `loop` alone.
/// Wakes who waits at the feed, all on one loop.
package final class FeedBell: @unchecked Sendable {
    /// Who is woken in one process; more than these are not, and look again after a pause.
    package static let waitersMax = 10_000
    /// The longest pause of who is not woken.
    private static let unheardPause = Duration.seconds(1)

    let loop: Loop
    private let waitersMax: Int
    private var waiting: [ObjectIdentifier: LoopSignal] = [:]
    private var isLooking = false
    /// How often it rang: who looks, then waits, must not miss what rang in between.
    private(set) var count: UInt64 = 0
    /// Whether somebody of this process rings: then nobody needs to look.
    package var isRung = false
    /// Whether the process is ending.
    private(set) var isClosed = false

    /// Makes a bell for the tasks of a loop.
    package init(on loop: Loop, waitersMax: Int = FeedBell.waitersMax) {
        self.loop = loop
        self.waitersMax = waitersMax
    }

    /// Something may be there.
    package func ring() {
        loop.assertCurrent()
        count += 1
        for signal in waiting.values { signal.raise() }
    }

    /// Nobody waits any more, but for who found no room: those for a second at most.
    package func close() {
        isClosed = true
        ring()
    }

    /// Waits until it rings for more than the `known` time; `look` tells how far the model is, for
    /// when nobody rings.
    func wait(
        since known: UInt64,
        atMost time: Duration,
        lookingEvery interval: Duration,
        _ look: @escaping @Sendable () async -> FeedPlace?
    ) async {
        loop.assertCurrent()
        guard known == count, !isClosed else { return }
        guard waiting.count < waitersMax else {
            // Back at once they would ask the database without end.
            let pause = min(time, Self.unheardPause)
            try? await loop.sleep(until: .now().advanced(by: pause))
            return
        }
        let signal = LoopSignal(on: loop)
        waiting[ObjectIdentifier(signal)] = signal
        if !isLooking {
            isLooking = true
            loop.spawn { [self] in await watch(every: interval, look) }
        }
        await signal.wait(until: .now().advanced(by: time))
        waiting[ObjectIdentifier(signal)] = nil
    }

    /// Looks while anybody waits, and nobody rings.
    private func watch(
        every interval: Duration,
        _ look: @Sendable () async -> FeedPlace?
    ) async {
        var last: FeedPlace?
        while !waiting.isEmpty, !loop.isStopping {
            if !isRung, let place = await look() {
                // The first look rings, too: something may have come just before it.
                if last != place { ring() }
                last = place
            }
            try? await loop.sleep(until: loop.now.advanced(by: interval))
        }
        isLooking = false
    }
}
