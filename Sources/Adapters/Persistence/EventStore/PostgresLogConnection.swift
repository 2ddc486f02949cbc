internal import Domain
internal import Issuing
internal import Postgres
internal import Runtime

/// The way to the log over a connection that is kept up.
struct PostgresLogConnection: LogConnection {
    let keeper: ConnectionKeeper

    func start() { keeper.start() }

    func stop() { keeper.stop() }

    func waitUntilReady(deadline: MonotonicInstant) async throws(PostgresError) {
        _ = try await keeper.connection(by: deadline)
    }

    func append(_ batch: AppendBatch, deadline: MonotonicInstant)
        async throws(PostgresError) -> [Int32]
    {
        try await keeper.execute(.append(batch), deadline: deadline)
    }

    func commands(at commands: [EncodedCommand], deadline: MonotonicInstant)
        async throws(PostgresError) -> [FoundCommand]
    {
        // As a write: it commits, and what it finds counts when that is answered.
        try await keeper.execute(.commands(at: commands), deadline: deadline)
    }

    func rows(of wanted: [WantedStream], deadline: MonotonicInstant)
        async throws(PostgresError) -> [StreamRow]
    {
        try await keeper.query(.load(wanted), deadline: deadline)
    }

    func keep(_ snapshots: [KeptSnapshot], deadline: MonotonicInstant)
        async throws(PostgresError)
    {
        _ = try await keeper.transaction(
            [Statement(PackageResources.commit_later_sql), .keep(snapshots)],
            deadline: deadline
        )
    }

    func heads(of streams: [StreamID], deadline: MonotonicInstant)
        async throws(PostgresError) -> [Int32]
    {
        try await keeper.query(.heads(of: streams), deadline: deadline)
    }

    func history(of stream: StreamID, after version: Int32, deadline: MonotonicInstant)
        async throws(PostgresError) -> [StreamRow]
    {
        try await keeper.query(.history(of: stream, after: version), deadline: deadline)
    }

    func opened(
        for subject: SubjectID,
        types: [Int16],
        before: Int64,
        limit: Int,
        deadline: MonotonicInstant
    ) async throws(PostgresError) -> [OpenedStream] {
        let statement = Statement.opened(
            for: subject,
            types: types,
            before: before,
            limit: limit
        )
        return try await keeper.query(statement, deadline: deadline)
    }

    func position(of stream: StreamID, for subject: SubjectID, deadline: MonotonicInstant)
        async throws(PostgresError) -> Int64?
    {
        try await keeper.query(.position(of: stream, for: subject), deadline: deadline).first
    }
}

extension Statement where Row == Void {
    fileprivate static func keep(_ snapshots: [KeptSnapshot]) -> Self {
        Statement(
            PackageResources.keep_snapshots_sql,
            [
                .uuids(snapshots.map(\.stream.halves)), .int4s(snapshots.map(\.version)),
                .byteStrings(snapshots.map(\.stored.hash)), .int4s(snapshots.map(\.format)),
                .byteStrings(snapshots.map(\.stored.state)),
                .byteStrings(snapshots.map(\.stored.mac)),
            ]
        )
    }
}
