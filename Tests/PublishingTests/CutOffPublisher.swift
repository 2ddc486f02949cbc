import EventFormat
import InMemory
import Publishing
import Runtime

/// One relay's producer, whose brokers may be away or deaf while those of the others are not.
final class CutOffPublisher: EventPublisher {
    /// Nothing is answered.
    let isCut = Guarded(false)
    /// Questions are answered, and no batch is confirmed.
    let isDeaf = Guarded(false)
    /// Events that were handed over.
    let submitted = Guarded(0)
    /// Called before what was begun is given up.
    let onRenew = Guarded<(@Sendable () async -> Void)?>(nil)
    private let inner: InMemoryProducer
    /// Batches that went nowhere: none behind them may arrive.
    private let unsent = Guarded(0)

    init(_ inner: InMemoryProducer) { self.inner = inner }

    func clusterID() async throws(PublisherError) -> String {
        guard !isCut.current else { throw .unavailable }
        return try await inner.clusterID()
    }

    func ends() async throws(PublisherError) -> TopicEnds {
        guard !isCut.current else { throw .unavailable }
        return try await inner.ends()
    }

    func tail(
        _ count: Int,
        before ends: TopicEnds
    ) async throws(PublisherError) -> [LogRecord] {
        guard !isCut.current else { throw .unavailable }
        return try await inner.tail(count, before: ends)
    }

    func submit(_ records: [PublishedRecord]) async {
        submitted.withLock { $0 += records.count }
        if isTaken { await inner.submit(records) }
    }

    func announce(_ record: PublishedRecord) async {
        if isTaken { await inner.announce(record) }
    }

    func settled(within time: Duration) async throws(PublisherError) -> Bool {
        if isCut.current || isDeaf.current { return false }
        guard unsent.current == 0 else { throw .broken }
        return try await inner.settled(within: time)
    }

    var acknowledged: [Int32: Int64] { get async { await inner.acknowledged } }

    func renew() async {
        await onRenew.current?()
        unsent.replace(with: 0)
        await inner.renew()
    }

    private var isTaken: Bool {
        let isSent = !isCut.current && !isDeaf.current && unsent.current == 0
        if !isSent { unsent.withLock { $0 += 1 } }
        return isSent
    }
}

extension RelayWorld {
    /// A relay whose brokers may be away from it alone.
    func cutOffRelay() -> (Relay<InMemoryLogSession, CutOffPublisher>, CutOffPublisher) {
        let publisher = CutOffPublisher(topic.producer())
        return (Relay(log: log.session(), publisher: publisher, clock: clock), publisher)
    }
}
