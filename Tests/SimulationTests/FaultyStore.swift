import Domain
import InMemory
import Issuing
import Runtime

/// One node's way to the log: a cache that lies, a network that loses, a database that refuses.
final class FaultyStore: EventStore {
    /// What a control build gets wrong; the simulation must notice.
    enum Defect { case none, versionsIgnored, guardsIgnored }

    private let base: InMemoryEventStore
    private let executor: SeededExecutor
    private let defect: Defect
    private let cache = Guarded<[StreamID: any Sendable]>([:])

    init(_ base: InMemoryEventStore, on executor: SeededExecutor, defect: Defect = .none) {
        self.base = base
        self.executor = executor
        self.defect = defect
    }

    private func chance(_ percent: Int) -> Bool { executor.draw(100) < percent }

    /// Stands for a round trip: the seed decides who goes on first.
    private func hop() async { await Task.yield() }

    func load<A: Aggregate>(_ aggregate: A.Type, _ stream: StreamID, by deadline: Deadline)
        async throws(StoreError) -> Loaded<A>
    {
        if chance(60), let known = cache.withLock({ $0[stream] }) as? Loaded<A> {
            return Loaded(
                stream: stream,
                project: known.project,
                version: known.version,
                hash: known.hash,
                occurredAt: known.occurredAt,
                state: known.state,
                isCurrent: false
            )
        }
        return try await loadCurrent(aggregate, stream, by: deadline)
    }

    func loadCurrent<A: Aggregate>(_ aggregate: A.Type, _ stream: StreamID, by deadline: Deadline)
        async throws(StoreError) -> Loaded<A>
    {
        await hop()
        if chance(2) { throw .unavailable }
        let loaded = try await base.load(aggregate, stream, by: deadline)
        // A later load may answer before an earlier one: the cache goes backwards, too.
        await hop()
        cache.withLock { $0[stream] = loaded }
        return loaded
    }

    func areCurrent(_ streams: [StreamGuard], by deadline: Deadline)
        async throws(StoreError) -> Bool
    {
        await hop()
        if chance(2) { throw .unavailable }
        let answer = try await base.areCurrent(streams, by: deadline)
        if !answer { forget(streams.map(\.stream)) }
        return answer
    }

    func append(_ commit: Commit, by deadline: Deadline) async throws(StoreError) {
        await hop()
        let streams = commit.streams.map(\.stream) + commit.guards.map(\.stream)
        if chance(3) {
            forget(streams)
            throw .conflict
        }
        if chance(3) { throw .unavailable }
        do {
            try await base.append(damaged(commit), by: deadline)
        } catch {
            forget(streams)
            throw error
        }
        await hop()
        forget(commit.streams.map(\.stream))
        if chance(4) { throw .outcomeUnknown }
    }

    private func damaged(_ commit: Commit) -> Commit {
        var commit = commit
        switch defect {
        case .none: break
        case .guardsIgnored: commit.guards = []
        case .versionsIgnored:
            for index in commit.streams.indices {
                let stream = commit.streams[index].stream
                commit.streams[index].expected = Int32(base.events(of: stream).count)
            }
        }
        return commit
    }

    private func forget(_ streams: [StreamID]) {
        cache.withLock { cache in
            for stream in streams { cache[stream] = nil }
        }
    }

    func history(of stream: StreamID, by deadline: Deadline)
        async throws(StoreError) -> [RecordedEvent]
    {
        await hop()
        return try await base.history(of: stream, by: deadline)
    }

    func streams(
        of subject: SubjectID,
        kinds: Set<AggregateKind>,
        limit: Int,
        by deadline: Deadline
    )
        async throws(StoreError) -> [StreamID]
    {
        await hop()
        return try await base.streams(of: subject, kinds: kinds, limit: limit, by: deadline)
    }

    func enter(_ stream: StreamID, by deadline: Deadline) async throws(StoreError) { await hop() }

    func leave(_ stream: StreamID) {}
}
