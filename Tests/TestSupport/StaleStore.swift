package import Domain
package import InMemory
package import Issuing
internal import Runtime

/// The store of a node that has not heard of a stream's newest events.
///
/// What it remembers of that stream it gives as it is, until it is told to compare or an append is
/// refused.
package struct StaleStore<Remembered: Aggregate>: StandInStore {
    package let log: InMemoryEventStore
    private let old: Loaded<Remembered>
    private let isTold = Guarded(false)

    package init(_ log: InMemoryEventStore, remembering stream: StreamID) async throws {
        self.log = log
        let now = try await log.load(Remembered.self, stream, by: Deadline(nanoseconds: .max))
        old = Loaded(
            stream: stream,
            project: now.project,
            version: now.version,
            hash: now.hash,
            occurredAt: now.occurredAt,
            state: now.state,
            isCurrent: false
        )
    }

    package func load<A: Aggregate>(_ aggregate: A.Type, _ stream: StreamID, by deadline: Deadline)
        async throws(StoreError) -> Loaded<A>
    {
        let isTold = isTold.withLock { $0 }
        if !isTold, stream == old.stream, let old = old as? Loaded<A> { return old }
        return try await log.load(aggregate, stream, by: deadline)
    }

    package func append(_ commit: Commit, by deadline: Deadline) async throws(StoreError) {
        do { try await log.append(commit, by: deadline) } catch {
            if case .conflict = error { isTold.withLock { $0 = true } }
            throw error
        }
    }
}
