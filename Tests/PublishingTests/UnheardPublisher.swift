import EventFormat
import InMemory
import Publishing
import Runtime

/// A producer that reaches its brokers with a question whose answer gets lost, when it is told to.
final class UnheardPublisher: EventPublisher {
    let isUnheard = Guarded(false)
    /// As while partitions have no leader.
    let hasNoEnds = Guarded(false)
    private let inner: InMemoryProducer

    init(_ inner: InMemoryProducer) { self.inner = inner }

    func clusterID() async throws(PublisherError) -> String {
        let id = try await inner.clusterID()
        guard !isUnheard.replace(with: false) else { throw .unavailable }
        return id
    }

    func ends() async throws(PublisherError) -> TopicEnds {
        guard !hasNoEnds.current else { throw .broken }
        return try await inner.ends()
    }

    func tail(
        _ count: Int,
        before ends: TopicEnds
    ) async throws(PublisherError) -> [LogRecord] {
        try await inner.tail(count, before: ends)
    }

    func submit(_ records: [PublishedRecord]) async { await inner.submit(records) }

    func announce(_ record: PublishedRecord) async { await inner.announce(record) }

    func settled(within time: Duration) async throws(PublisherError) -> Bool {
        try await inner.settled(within: time)
    }

    var acknowledged: [Int32: Int64] { get async { await inner.acknowledged } }

    func renew() async { await inner.renew() }
}
