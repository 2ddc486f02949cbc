import EventFormat
import InMemory
import Publishing
import Runtime

/// A producer whose cluster takes eight seconds for every question, with another relay standing by.
final class SlowPublisher: EventPublisher {
    let questions = Guarded(0)
    let wasDeposed = Guarded(false)
    private let inner: InMemoryProducer
    private let rival: InMemoryLogSession
    private let clock: PausingClock

    init(inner: InMemoryProducer, rival: InMemoryLogSession, clock: PausingClock) {
        self.inner = inner
        self.rival = rival
        self.clock = clock
    }

    func clusterID() async throws(PublisherError) -> String {
        await wait()
        return try await inner.clusterID()
    }

    func ends() async throws(PublisherError) -> TopicEnds {
        await wait()
        return try await inner.ends()
    }

    func tail(
        _ count: Int,
        before ends: TopicEnds
    ) async throws(PublisherError) -> [LogRecord] {
        await wait()
        return try await inner.tail(count, before: ends)
    }

    func submit(_ records: [PublishedRecord]) async { await inner.submit(records) }

    func announce(_ record: PublishedRecord) async { await inner.announce(record) }

    func settled(within time: Duration) async throws(PublisherError) -> Bool {
        try await inner.settled(within: time)
    }

    func renew() async { await inner.renew() }

    private func wait() async {
        questions.withLock { $0 += 1 }
        clock.advance(.seconds(8))
        if (try? await rival.deposeHolder(silentFor: .seconds(10))) == true {
            wasDeposed.replace(with: true)
        }
    }
}
