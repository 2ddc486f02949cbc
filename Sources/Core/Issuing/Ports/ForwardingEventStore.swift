package import Domain

/// A store in front of another: what it does not do in a way of its own, that one does.
package protocol ForwardingEventStore: EventStore {
    var base: any EventStore { get }
}

extension ForwardingEventStore {
    package func load<A: Aggregate>(_ aggregate: A.Type, _ stream: StreamID, by deadline: Deadline)
        async throws(StoreError) -> Loaded<A>
    {
        try await base.load(aggregate, stream, by: deadline)
    }

    package func remembered(_ stream: StreamID) -> RememberedState? { base.remembered(stream) }

    package func loadCurrent<A: Aggregate>(
        _ aggregate: A.Type,
        _ stream: StreamID,
        by deadline: Deadline
    ) async throws(StoreError) -> Loaded<A> {
        try await base.loadCurrent(aggregate, stream, by: deadline)
    }

    package func areCurrent(_ streams: [StreamGuard], by deadline: Deadline)
        async throws(StoreError) -> Bool
    {
        try await base.areCurrent(streams, by: deadline)
    }

    package func confirm(by deadline: Deadline) async throws(StoreError) {
        try await base.confirm(by: deadline)
    }

    package func append(_ commit: Commit, by deadline: Deadline) async throws(StoreError) {
        try await base.append(commit, by: deadline)
    }

    package func history(of stream: StreamID, after version: Int32, by deadline: Deadline)
        async throws(StoreError) -> [RecordedEvent]
    {
        try await base.history(of: stream, after: version, by: deadline)
    }

    package func opened(
        for subject: SubjectID,
        kinds: Set<AggregateKind>,
        before: Int64?,
        limit: Int,
        by deadline: Deadline
    ) async throws(StoreError) -> [OpenedStream] {
        try await base.opened(
            for: subject,
            kinds: kinds,
            before: before,
            limit: limit,
            by: deadline
        )
    }

    package func position(
        of stream: StreamID,
        openedFor subject: SubjectID,
        by deadline: Deadline
    ) async throws(StoreError) -> Int64? {
        try await base.position(of: stream, openedFor: subject, by: deadline)
    }

    package func enter(_ stream: StreamID, by deadline: Deadline) async throws(StoreError) {
        try await base.enter(stream, by: deadline)
    }

    package func leave(_ stream: StreamID) { base.leave(stream) }
}
