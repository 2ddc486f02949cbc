import InMemory
import Publishing
import Runtime

/// One projector's reader, whose brokers may be away while those of the others are not.
final class CutOffSource: EventSourceAround {
    /// Nothing is answered, and nothing comes.
    let isCut = Guarded(false)
    /// Questions are answered, and nothing comes.
    let isStuck = Guarded(false)
    /// What is asked for once begins to come then.
    let comesWhenAsked = Guarded(false)
    let inner: InMemoryEventSource

    init(_ inner: InMemoryEventSource) { self.inner = inner }

    func ends() async throws(ProjectionTrouble) -> (cluster: String, topic: TopicEnds) {
        guard !isCut.current else { throw .unavailable }
        let ends = try await inner.ends()
        if comesWhenAsked.current { isStuck.replace(with: false) }
        return ends
    }

    func tail(
        _ count: Int,
        before ends: TopicEnds
    ) async throws(ProjectionTrouble) -> [LogRecord] {
        guard !isCut.current else { throw .unavailable }
        return try await inner.tail(count, before: ends)
    }

    func next(
        atMost limit: Int,
        within time: Duration
    ) async throws(ProjectionTrouble) -> [EventSourceRecord] {
        if isCut.current || isStuck.current { return [] }
        return try await inner.next(atMost: limit, within: time)
    }
}
