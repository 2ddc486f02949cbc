package import Domain

/// An event store that also tells this process which streams it has moved, so that a page waiting
/// on the same node need not wait for the log's way round through Kafka; and that notes where
/// commits came from of which it is kept.
///
/// A class, since every command copies its store.
package final class AnnouncingEventStore: EventStore {
    private let base: any EventStore
    private let contexts: any ContextLog
    private let announce: @Sendable (StreamID) -> Void

    package init(
        _ base: any EventStore,
        contexts: any ContextLog,
        announce: @escaping @Sendable (StreamID) -> Void
    ) {
        self.base = base
        self.contexts = contexts
        self.announce = announce
    }

    package func append(_ commit: Commit, by deadline: Deadline) async throws(StoreError) {
        try await base.append(commit, by: deadline)
        announceMoved(.loginLink, in: commit)
        announceMoved(.authorization, in: commit)
        if let context = commit.context { contexts.record(context) }
    }

    private func announceMoved(_ kind: AggregateKind, in commit: Commit) {
        // By places: a loop over the elements counts references to all that is in each.
        let streams = commit.streams.span
        for place in streams.indices where streams[place].kind == kind {
            announce(streams[place].stream)
        }
    }

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
