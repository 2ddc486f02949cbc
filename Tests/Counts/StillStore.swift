import Domain
import Issuing

/// A store in which nothing moves: it answers the same states for ever and takes every append.
struct StillStore: EventStore {
    let grant: Loaded<OfflineGrant>
    let subject: Loaded<Subject>
    let browser: Loaded<BrowserSession>

    func load<A: Aggregate>(_ aggregate: A.Type, _ stream: StreamID, by deadline: Deadline)
        async throws(StoreError) -> Loaded<A>
    {
        let found: Any =
            switch A.kind {
            case .offlineGrant: grant
            case .subject: subject
            default: browser
            }
        guard let loaded = found as? Loaded<A> else { throw .unavailable }
        return loaded
    }

    func loadCurrent<A: Aggregate>(_ aggregate: A.Type, _ stream: StreamID, by deadline: Deadline)
        async throws(StoreError) -> Loaded<A>
    {
        try await load(aggregate, stream, by: deadline)
    }

    func areCurrent(_ streams: [StreamGuard], by deadline: Deadline) async throws(StoreError)
        -> Bool
    { true }

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
