package import Domain

/// The event log as commands see it: PostgreSQL in production (Architecture 8, 9).
package protocol EventStore: Sendable {
    /// State and version of a stream, perhaps from a cache and then perhaps stale.
    ///
    /// Staleness is harmless to a command: its append names the version it saw.
    func load<A: Aggregate>(_ aggregate: A.Type, _ stream: StreamID, by deadline: Deadline)
        async throws(StoreError) -> Loaded<A>

    /// What `load` would answer from memory at once; nil when it would have to ask the log.
    func remembered(_ stream: StreamID) -> RememberedState?

    /// As `load`, but not older than the start of the call: for answers that append nothing.
    func loadCurrent<A: Aggregate>(_ aggregate: A.Type, _ stream: StreamID, by deadline: Deadline)
        async throws(StoreError) -> Loaded<A>

    /// Whether each stream is still at its version; not when another server has it now.
    ///
    /// Up to 64 streams are asked for in one query, so what it says of them is true at one moment.
    /// What was cached of a stream that has moved is dropped, so the next `load` reads it.
    func areCurrent(_ streams: [StreamGuard], by deadline: Deadline) async throws(StoreError)
        -> Bool

    /// Returns once nothing that was read here before can be lost with the log's server: for
    /// answers that append nothing (decision 0234).
    ///
    /// - Throws: `.unavailable` when that cannot be said by the deadline.
    func confirm(by deadline: Deadline) async throws(StoreError)

    /// Takes all of `commit` or nothing.
    ///
    /// - Throws: `.conflict` when a stream or guard has moved, or was read from another server;
    ///   what was cached of them is dropped.
    func append(_ commit: Commit, by deadline: Deadline) async throws(StoreError)

    /// The next events of a stream behind a version, oldest first; none: it ends there.
    ///
    /// At most 1,000.
    func history(of stream: StreamID, after version: Int32, by deadline: Deadline)
        async throws(StoreError) -> [RecordedEvent]

    /// The streams of the kinds asked for that were opened for `subject`, newest first, at most
    /// `limit`; those opened before the place `before` only, for the next page.
    func opened(
        for subject: SubjectID,
        kinds: Set<AggregateKind>,
        before: Int64?,
        limit: Int,
        by deadline: Deadline
    )
        async throws(StoreError) -> [OpenedStream]

    /// Where in the log a stream was opened for `subject`; nil when it was not.
    func position(of stream: StreamID, openedFor subject: SubjectID, by deadline: Deadline)
        async throws(StoreError) -> Int64?

    /// Waits until no other command of this process works on `stream` (Architecture 8.3).
    func enter(_ stream: StreamID, by deadline: Deadline) async throws(StoreError)

    /// Lets the next command at `stream`; exactly once after each `enter` that returned.
    func leave(_ stream: StreamID)
}
