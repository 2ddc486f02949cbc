import Domain
import InMemory
import Issuing
import Runtime
import TestSupport

/// A store that remembers each stream it has read, as a node does, and counts what it asks the log.
struct CountingStore: StandInStore {
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
}
