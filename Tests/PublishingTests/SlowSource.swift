import InMemory
import Publishing
import Runtime

/// A reader whose brokers are slow to answer.
final class SlowSource: EventSourceAround {
    let inner: InMemoryEventSource
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
}
