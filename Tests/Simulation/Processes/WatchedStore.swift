import Domain
import Issuing
import Persistence

/// The event store of a node, which notes what a request waits for and what its commands are told.
struct WatchedStore: ForwardingEventStore {
    let log: PostgresEventStore
    let node: SimulatedProcess
    let checks: CommandChecks

    var base: any EventStore { log }

    private func waiting<Answer, Failure: Error>(
        for place: Visit.Place,
        _ body: () async throws(Failure) -> Answer
    ) async throws(Failure) -> Answer {
        guard let visit = Visit.current else { return try await body() }
        visit.waits(for: place)
        defer { visit.goesOn() }
        return try await body()
    }

    func append(_ commit: Commit, by deadline: Deadline) async throws(StoreError) {
        let visit = Visit.current
        visit?.hands(over: commit.command)
        checks.hands(over: commit)
        do throws(StoreError) { try await base.append(commit, by: deadline) } catch {
            visit?.hears(isCommitted: false)
            checks.hears(error, about: commit)
            throw error
        }
        visit?.hears(isCommitted: true)
        checks.hears(nil, about: commit)
    }

    func enter(_ stream: StreamID, by deadline: Deadline) async throws(StoreError) {
        checks.enters(stream, at: node)
        try await waiting(for: .turnstile) { () async throws(StoreError) in
            try await base.enter(stream, by: deadline)
        }
    }

    // MARK: - Reading

    func load<A: Aggregate>(_ aggregate: A.Type, _ stream: StreamID, by deadline: Deadline)
        async throws(StoreError) -> Loaded<A>
    {
        try await waiting(for: .loading) { () async throws(StoreError) in
            try await base.load(aggregate, stream, by: deadline)
        }
    }

    func loadCurrent<A: Aggregate>(
        _ aggregate: A.Type,
        _ stream: StreamID,
        by deadline: Deadline
    ) async throws(StoreError) -> Loaded<A> {
        let heads = checks.heads(of: [stream])
        let loaded = try await waiting(for: .loading) { () async throws(StoreError) in
            try await base.loadCurrent(aggregate, stream, by: deadline)
        }
        checks.goes(by: [loaded.version], whereLogHad: heads)
        return loaded
    }

    func areCurrent(_ streams: [StreamGuard], by deadline: Deadline)
        async throws(StoreError) -> Bool
    {
        let heads = checks.heads(of: streams.map(\.stream))
        let isCurrent = try await waiting(for: .comparing) { () async throws(StoreError) in
            try await base.areCurrent(streams, by: deadline)
        }
        if isCurrent { checks.goes(by: streams.map(\.version), whereLogHad: heads) }
        return isCurrent
    }

    func history(of stream: StreamID, after version: Int32, by deadline: Deadline)
        async throws(StoreError) -> [RecordedEvent]
    {
        try await waiting(for: .loading) { () async throws(StoreError) in
            try await base.history(of: stream, after: version, by: deadline)
        }
    }

    func opened(
        for subject: SubjectID,
        kinds: Set<AggregateKind>,
        before: Int64?,
        limit: Int,
        by deadline: Deadline
    ) async throws(StoreError) -> [OpenedStream] {
        try await waiting(for: .loading) { () async throws(StoreError) in
            try await base.opened(
                for: subject,
                kinds: kinds,
                before: before,
                limit: limit,
                by: deadline
            )
        }
    }

    func position(of stream: StreamID, openedFor subject: SubjectID, by deadline: Deadline)
        async throws(StoreError) -> Int64?
    {
        try await waiting(for: .loading) { () async throws(StoreError) in
            try await base.position(of: stream, openedFor: subject, by: deadline)
        }
    }
}
