import Domain
import InMemory
import Issuing
import Runtime

/// A store that remembers each stream it has read, as a node does, and counts what it asks the log.
struct CountingStore: EventStore {
    let log: InMemoryEventStore
    private let known = Guarded((reads: 0, streams: Set<StreamID>()))

    init(_ log: InMemoryEventStore) { self.log = log }

    /// How often the log was asked for a stream.
    var reads: Int { known.withLock { $0.reads } }

    func load<A: Aggregate>(_ aggregate: A.Type, _ stream: StreamID, by deadline: Deadline)
        async throws(StoreError) -> Loaded<A>
    {
        let isKnown = known.withLock { $0.streams.contains(stream) }
        guard isKnown else { return try await loadCurrent(aggregate, stream, by: deadline) }
        return try await log.load(aggregate, stream, by: deadline)
    }

    func loadCurrent<A: Aggregate>(_ aggregate: A.Type, _ stream: StreamID, by deadline: Deadline)
        async throws(StoreError) -> Loaded<A>
    {
        let loaded = try await log.load(aggregate, stream, by: deadline)
        known.withLock { known in
            known.reads += 1
            // What is not there is not remembered.
            if loaded.version > 0 { known.streams.insert(stream) }
        }
        return loaded
    }

    func areCurrent(_ streams: [StreamGuard], by deadline: Deadline) async throws(StoreError)
        -> Bool
    {
        try await log.areCurrent(streams, by: deadline)
    }

    func append(_ commit: Commit, by deadline: Deadline) async throws(StoreError) {
        try await log.append(commit, by: deadline)
    }

    func history(of stream: StreamID, after version: Int32, by deadline: Deadline)
        async throws(StoreError) -> [RecordedEvent]
    {
        try await log.history(of: stream, after: version, by: deadline)
    }

    func opened(
        for subject: SubjectID,
        kinds: Set<AggregateKind>,
        before: Int64?,
        limit: Int,
        by deadline: Deadline
    ) async throws(StoreError) -> [OpenedStream] {
        try await log.opened(
            for: subject,
            kinds: kinds,
            before: before,
            limit: limit,
            by: deadline
        )
    }

    func position(of stream: StreamID, openedFor subject: SubjectID, by deadline: Deadline)
        async throws(StoreError) -> Int64?
    {
        try await log.position(of: stream, openedFor: subject, by: deadline)
    }

    func enter(_ stream: StreamID, by deadline: Deadline) async throws(StoreError) {
        try await log.enter(stream, by: deadline)
    }

    func leave(_ stream: StreamID) { log.leave(stream) }
}
