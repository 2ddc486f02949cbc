package import Domain
package import Issuing
package import Postgres
package import Runtime

/// One way to the event log, on one loop: all that the event store asks of PostgreSQL.
///
/// The simulator puts a database of its own behind it; everything above is the same program.
package protocol LogConnection: Sendable {
    /// Begins to connect.
    func start()
    /// Closes the connection.
    func stop()

    /// Returns once there is a connection, at once while there is.
    func waitUntilReady(deadline: MonotonicInstant) async throws(PostgresError)

    /// `es.append`; the ordinals of the refused commands, all others are committed.
    func append(_ batch: AppendBatch, deadline: MonotonicInstant)
        async throws(PostgresError) -> [Int32]

    /// Which command wrote the first row of each of these; what is found lasts, whatever becomes of
    /// the server.
    func commands(at commands: [EncodedCommand], deadline: MonotonicInstant)
        async throws(PostgresError) -> [FoundCommand]

    /// The events of each stream after a version, at most 1000 of each, oldest first; where a
    /// format is wanted, from the event of the stream's snapshot on and with the snapshot, or with
    /// a row of version 0 when the stream has no such event.
    func rows(of wanted: [WantedStream], deadline: MonotonicInstant)
        async throws(PostgresError) -> [StreamRow]

    /// Keeps states of streams in place of older ones, no stream twice; losing them is allowed.
    func keep(_ snapshots: [KeptSnapshot], deadline: MonotonicInstant)
        async throws(PostgresError)

    /// The newest version of each stream; 0 when there is none.
    func heads(of streams: [StreamID], deadline: MonotonicInstant)
        async throws(PostgresError) -> [Int32]

    /// The next events of one stream behind a version, 1,000 at most.
    func history(of stream: StreamID, after version: Int32, deadline: MonotonicInstant)
        async throws(PostgresError) -> [StreamRow]

    /// The streams of a subject whose first events are of these types and stand before a position,
    /// newest first.
    func opened(
        for subject: SubjectID,
        types: [Int16],
        before: Int64,
        limit: Int,
        deadline: MonotonicInstant
    ) async throws(PostgresError) -> [OpenedStream]

    /// The position of the first event of a stream, if that is one of this subject; else nil.
    func position(of stream: StreamID, for subject: SubjectID, deadline: MonotonicInstant)
        async throws(PostgresError) -> Int64?
}

/// A log that is always there.
extension LogConnection {
    package func waitUntilReady(deadline: MonotonicInstant) async throws(PostgresError) {}
}

/// A log without snapshots.
extension LogConnection {
    package func keep(_ snapshots: [KeptSnapshot], deadline: MonotonicInstant)
        async throws(PostgresError)
    {}
}
