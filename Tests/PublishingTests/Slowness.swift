import Runtime

/// Brokers that take a while for every question, with somebody standing by who would depose the
/// one that asks.
final class Slowness: Sendable {
    let questions = Guarded(0)
    let wasDeposed = Guarded(false)
    private let time: Duration
    private let clock: PausingClock
    private let depose: @Sendable () async -> Bool

    init(_ time: Duration, clock: PausingClock, depose: @escaping @Sendable () async -> Bool) {
        self.time = time
        self.clock = clock
        self.depose = depose
    }

    /// The time that a question takes.
    func wait() async {
        questions.withLock { $0 += 1 }
        clock.advance(time)
        if await depose() { wasDeposed.replace(with: true) }
    }
}
