package import Domain
package import InMemory
package import Issuing

/// A store in front of a log that says for itself how it loads, and leaves all else to the log.
package protocol StandInStore: EventStore {
    var log: InMemoryEventStore { get }
}

extension StandInStore {
    package func areCurrent(_ streams: [StreamGuard], by deadline: Deadline)
        async throws(StoreError) -> Bool
    {
        try await log.areCurrent(streams, by: deadline)
    }

    package func append(_ commit: Commit, by deadline: Deadline) async throws(StoreError) {
        try await log.append(commit, by: deadline)
    }

    package func history(of stream: StreamID, after version: Int32, by deadline: Deadline)
        async throws(StoreError) -> [RecordedEvent]
    {
        try await log.history(of: stream, after: version, by: deadline)
    }

    package func opened(
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

    package func position(of stream: StreamID, openedFor subject: SubjectID, by deadline: Deadline)
        async throws(StoreError) -> Int64?
    {
        try await log.position(of: stream, openedFor: subject, by: deadline)
    }

    package func enter(_ stream: StreamID, by deadline: Deadline) async throws(StoreError) {
        try await log.enter(stream, by: deadline)
    }

    package func leave(_ stream: StreamID) { log.leave(stream) }
}
