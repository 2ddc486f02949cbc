import Domain
import Issuing

/// A store in which nothing moves: it answers the same states for ever and takes every append.
struct StillStore: EventStore {
    let states: [StreamID: RememberedState]

    func remembered(_ stream: StreamID) -> RememberedState? { states[stream] }

    func load<A: Aggregate>(_ aggregate: A.Type, _ stream: StreamID, by deadline: Deadline)
        async throws(StoreError) -> Loaded<A>
    {
        guard let known = states[stream], let state = known.state as? A.State else {
            throw .unavailable
        }
        return Loaded(
            stream: stream,
            project: known.project,
            version: known.version,
            hash: known.hash,
            occurredAt: known.occurredAt,
            state: state,
            isCurrent: true
        )
    }

    func loadCurrent<A: Aggregate>(_ aggregate: A.Type, _ stream: StreamID, by deadline: Deadline)
        async throws(StoreError) -> Loaded<A>
    {
        try await load(aggregate, stream, by: deadline)
    }

    func areCurrent(_ streams: [StreamGuard], by deadline: Deadline) async throws(StoreError)
        -> Bool
    { true }

    func confirm(by deadline: Deadline) async throws(StoreError) {}

    func append(_ commit: Commit, by deadline: Deadline) async throws(StoreError) {}

    func history(of stream: StreamID, after version: Int32, by deadline: Deadline)
        async throws(StoreError) -> [RecordedEvent]
    { [] }

    func opened(
        for subject: SubjectID,
        kinds: Set<AggregateKind>,
        before: Int64?,
        limit: Int,
        by deadline: Deadline
    ) async throws(StoreError) -> [OpenedStream] { [] }

    func position(of stream: StreamID, openedFor subject: SubjectID, by deadline: Deadline)
        async throws(StoreError) -> Int64?
    { nil }

    func enter(_ stream: StreamID, by deadline: Deadline) async throws(StoreError) {}
    func leave(_ stream: StreamID) {}
}
