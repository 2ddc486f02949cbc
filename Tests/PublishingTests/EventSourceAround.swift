import InMemory
import Publishing
import Runtime

/// A reader around another: what it does not do itself, that one does.
protocol EventSourceAround: EventSource {
    var inner: InMemoryEventSource { get }
}

extension EventSourceAround {
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
