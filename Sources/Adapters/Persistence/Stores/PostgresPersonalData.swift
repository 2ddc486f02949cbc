package import Domain
package import Issuing
internal import Postgres

/// What PostgreSQL keeps of a user beside the log: sealing keys, contexts, snapshots.
///
/// A step at a time, each far below `statement_timeout`: a user of years has 10^5 events and more,
/// and what a pass has deleted the next one does not meet again.
package struct PostgresPersonalData: PersonalData {
    /// Streams whose contexts go together, and events of each, as the file says too.
    private static let (streamsPerBite, eventsPerBite) = (50, Int32(200))

    private let database: Database

    /// Works on the connections of `database`.
    package init(_ database: Database) { self.database = database }

    package func destroy(of subject: SubjectID, by deadline: Deadline) async throws(StoreError) {
        // First what makes unreadable: whatever comes between, nothing sealed can be read any more.
        try await eachPage(of: subject, deadline) { (streams) async throws(StoreError) in
            try await run(PackageResources.destroy_stream_keys_sql, on: streams, deadline)
        }
        let contexts = Statement<Int64>(
            PackageResources.delete_subject_contexts_sql,
            [.uuid(subject.stream.halves)]
        ) { row throws(PostgresError) in try row.int8(0) }
        while try await database.execute(contexts, by: deadline) != [0] {}
        try await eachPage(of: subject, deadline) { (streams) async throws(StoreError) in
            for start in stride(from: 0, to: streams.count, by: Self.streamsPerBite) {
                let end = min(start + Self.streamsPerBite, streams.count)
                try await deleteContexts(of: Array(streams[start..<end]), deadline)
            }
            try await run(PackageResources.delete_stream_snapshots_sql, on: streams, deadline)
        }
    }

    /// A session of a year has 10^5 events.
    private func deleteContexts(
        of streams: [StreamID],
        _ deadline: Deadline
    ) async throws(StoreError) {
        var version: Int32 = 0
        while true {
            let bite = Statement<Int64>(
                PackageResources.delete_stream_contexts_sql,
                [.uuids(streams.lazy.map(\.halves)), .int4(version)]
            ) { row throws(PostgresError) in try row.int8(0) }
            guard try await database.execute(bite, by: deadline) != [0] else { return }
            version += Self.eventsPerBite
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

    /// Goes through all streams of a subject, and its own, some at a time.
    private func eachPage(
        of subject: SubjectID,
        _ deadline: Deadline,
        _ body: ([StreamID]) async throws(StoreError) -> Void
    ) async throws(StoreError) {
        var page = [SubjectStream(stream: subject.stream, reach: 0, begins: true)]
        while let reach = page.map(\.reach).max() {
            let streams = page.filter(\.begins).map(\.stream)
            if !streams.isEmpty { try await body(streams) }
            page = try await database.query(.streams(of: subject, after: reach), by: deadline)
        }
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
