import InMemory
import Publishing
import Runtime

/// A reader whose brokers are slow to answer.
final class SlowSource: EventSource {
    private let inner: InMemoryEventSource
    private let slowness: Slowness

    init(_ inner: InMemoryEventSource, _ slowness: Slowness) {
        self.inner = inner
        self.slowness = slowness
    }

    func ends() async throws(ProjectionTrouble) -> (cluster: String, topic: TopicEnds) {
        await slowness.wait()
        return try await inner.ends()
    }

    func tail(
        _ count: Int,
        before ends: TopicEnds
    ) async throws(ProjectionTrouble) -> [LogRecord] {
        await slowness.wait()
        return try await inner.tail(count, before: ends)
    }

    func start(from offsets: [Int32: Int64], onCluster id: String)
        async throws(ProjectionTrouble)
    {
        try await inner.start(from: offsets, onCluster: id)
    }

    func next(
        atMost limit: Int,
        within time: Duration
    ) async throws(ProjectionTrouble) -> [EventSourceRecord] {
        try await inner.next(atMost: limit, within: time)
    }

    var currentCluster: String? { inner.currentCluster }

    func stop() async { await inner.stop() }
}
