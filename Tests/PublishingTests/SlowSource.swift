import InMemory
import Publishing
import Runtime

/// A reader whose cluster takes nine seconds for every question, with another projector
/// standing by.
final class SlowSource: EventSource {
    let questions = Guarded(0)
    let wasDeposed = Guarded(false)
    private let inner: InMemoryEventSource
    private let rival: InMemoryProjectionSession
    private let clock: PausingClock

    init(inner: InMemoryEventSource, rival: InMemoryProjectionSession, clock: PausingClock) {
        self.inner = inner
        self.rival = rival
        self.clock = clock
    }

    func ends() async throws(ProjectionTrouble) -> (cluster: String, topic: TopicEnds) {
        await wait()
        return try await inner.ends()
    }

    func tail(
        _ count: Int,
        before ends: TopicEnds
    ) async throws(ProjectionTrouble) -> [LogRecord] {
        await wait()
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

    private func wait() async {
        questions.withLock { $0 += 1 }
        clock.advance(.seconds(9))
        if (try? await rival.deposeHolder(silentFor: .seconds(20))) == true {
            wasDeposed.replace(with: true)
        }
    }
}
