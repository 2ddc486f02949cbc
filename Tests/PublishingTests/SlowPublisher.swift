import EventFormat
import InMemory
import Publishing
import Runtime

/// A producer whose brokers are slow to answer.
final class SlowPublisher: EventPublisher {
    private let inner: InMemoryProducer
    private let slowness: Slowness

    init(_ inner: InMemoryProducer, _ slowness: Slowness) {
        self.inner = inner
        self.slowness = slowness
    }

    func clusterID() async throws(PublisherError) -> String {
        await slowness.wait()
        return try await inner.clusterID()
    }

    func ends() async throws(PublisherError) -> TopicEnds {
        await slowness.wait()
        return try await inner.ends()
    }

    func tail(
        _ count: Int,
        before ends: TopicEnds
    ) async throws(PublisherError) -> [LogRecord] {
        await slowness.wait()
        return try await inner.tail(count, before: ends)
    }

    func submit(_ records: [PublishedRecord]) async { await inner.submit(records) }

    func announce(_ record: PublishedRecord) async { await inner.announce(record) }

    func settled(within time: Duration) async throws(PublisherError) -> Bool {
        try await inner.settled(within: time)
    }

    var acknowledged: [Int32: Int64] { get async { await inner.acknowledged } }

    func renew() async { await inner.renew() }
}
