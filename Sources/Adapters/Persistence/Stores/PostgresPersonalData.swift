package import Domain
package import Issuing
internal import Postgres
internal import Runtime

/// What PostgreSQL keeps of a user beside the log: sealing keys, contexts, snapshots.
///
/// A step at a time, each far below `statement_timeout`: a user of years has 10^5 events and more,
/// and what a pass has deleted the next one does not meet again. Nor does it look again for what
/// was not there (decision 0198).
package struct PostgresPersonalData: PersonalData {
    /// Streams whose contexts go together, and events of each, as the file says too.
    private static let (streamsPerBatch, eventsPerBatch) = (50, Int32(200))

    private let database: Database
    private let inProgress = Guarded(ErasuresInProgress())

    /// Works on the connections of `database`.
    package init(_ database: Database) {
        self.database = database
        database.onAnotherServer { [inProgress] in inProgress.withLock { $0.beginServer() } }
    }

    package func destroy(of subject: SubjectID, by deadline: Deadline) async throws(StoreError) {
        var progress = inProgress.withLock { $0.progress(of: subject, at: .now()) }
        defer { inProgress.withLock { $0.keep(progress, of: subject, at: .now()) } }
        // First what makes unreadable: whatever comes between, nothing sealed can be read any more.
        try await destroyKeys(of: subject, &progress, deadline)
        let contexts = Statement<Int64>(
            PackageResources.delete_subject_contexts_sql,
            [.uuid(subject.stream.halves)]
        ) { row throws(PostgresError) in try row.int8(0) }
        while try await database.execute(contexts, by: deadline) != [0] {}
        repeat {
            while !progress.streams.isEmpty {
                let batch = Array(progress.streams.prefix(Self.streamsPerBatch))
                // Until the address is free a login by it makes more of the user's events, and keys
                // for them, also behind the end of the first walk.
                try await run(PackageResources.destroy_stream_keys_sql, on: batch, deadline)
                try await deleteContexts(of: batch, after: &progress.version, deadline)
                try await run(PackageResources.delete_stream_snapshots_sql, on: batch, deadline)
                progress.streams.removeFirst(batch.count)
                progress.version = 0
            }
        } while try await nextPage(of: subject, &progress, deadline)
        // Another server may lack what the one before was told.
        guard inProgress.withLock({ $0.isCurrent(progress) }) else { throw .unavailable }
    }

    private func destroyKeys(
        of subject: SubjectID,
        _ progress: inout ErasureProgress,
        _ deadline: Deadline
    ) async throws(StoreError) {
        while !progress.areKeysGone {
            if !progress.streams.isEmpty {
                let streams = progress.streams
                try await run(PackageResources.destroy_stream_keys_sql, on: streams, deadline)
            }
            guard try await nextPage(of: subject, &progress, deadline) else {
                let server = progress.server
                progress = ErasureProgress(of: subject, at: server, areKeysGone: true)
                return
            }
        }
    }

    /// A session of a year has 10^5 events.
    private func deleteContexts(
        of streams: [StreamID],
        after version: inout Int32,
        _ deadline: Deadline
    ) async throws(StoreError) {
        while true {
            let batch = Statement<Int64>(
                PackageResources.delete_stream_contexts_sql,
                [.uuids(streams.lazy.map(\.halves)), .int4(version)]
            ) { row throws(PostgresError) in try row.int8(0) }
            guard try await database.execute(batch, by: deadline) != [0] else { return }
            version += Self.eventsPerBatch
        }
    }

    private func run(
        _ sql: [UInt8],
        on streams: [StreamID],
        _ deadline: Deadline
    ) async throws(StoreError) {
        let statement = Statement<Void>(sql, [.uuids(streams.lazy.map(\.halves))])
        try await database.execute(statement, by: deadline)
    }

    /// Goes on to the streams of a subject's next events; false: there are no more.
    private func nextPage(
        of subject: SubjectID,
        _ progress: inout ErasureProgress,
        _ deadline: Deadline
    ) async throws(StoreError) -> Bool {
        let page = try await database.query(
            .streams(of: subject, after: progress.reach),
            by: deadline
        )
        guard let reach = page.map(\.reach).max() else { return false }
        progress.reach = reach
        progress.streams = page.filter(\.begins).map(\.stream)
        return true
    }
}

/// A stream that some of a subject's events are in.
private struct SubjectStream: Sendable {
    var stream: StreamID
    /// The position of the last of them.
    var reach: Int64
    /// Whether no earlier event of the subject is in the stream.
    var begins: Bool
}

extension Statement where Row == SubjectStream {
    fileprivate static func streams(of subject: SubjectID, after position: Int64) -> Self {
        Statement(
            PackageResources.subject_events_sql,
            [.uuid(subject.stream.halves), .int8(position)]
        ) { row throws(PostgresError) in
            SubjectStream(
                stream: StreamID(halves: try row.uuid(0)),
                reach: try row.int8(1),
                begins: try row.bool(2)
            )
        }
    }
}
