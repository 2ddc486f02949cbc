package import Domain
package import Issuing
internal import Postgres

/// What PostgreSQL keeps of a user beside the log: sealing keys, contexts, snapshots.
///
/// A step at a time, each far below `statement_timeout`: a user of years has 10^5 events and more,
/// and what a pass has deleted the next one does not meet again.
package struct PostgresPersonalData: PersonalData {
    private let database: Database

    /// Works on the connections of `database`.
    package init(_ database: Database) { self.database = database }

    package func destroy(of subject: SubjectID, by deadline: Deadline) async throws(StoreError) {
        // First what makes unreadable: whatever comes between, nothing sealed can be read any more.
        try await run([PackageResources.destroy_stream_keys_sql], onStreamsOf: subject, deadline)
        let contexts = Statement<Int64>(
            PackageResources.delete_subject_contexts_sql,
            [.uuid(subject.stream.halves)]
        ) { row throws(PostgresError) in try row.int8(0) }
        while try await database.execute(contexts, by: deadline) != [0] {}
        let rest = [
            PackageResources.delete_stream_contexts_sql,
            PackageResources.delete_stream_snapshots_sql,
        ]
        try await run(rest, onStreamsOf: subject, deadline)
    }

    /// Runs statements on all streams of a subject, and its own, some at a time.
    private func run(
        _ steps: [[UInt8]],
        onStreamsOf subject: SubjectID,
        _ deadline: Deadline
    ) async throws(StoreError) {
        var page = [SubjectStream(stream: subject.stream, reach: 0, begins: true)]
        while let reach = page.map(\.reach).max() {
            let streams = page.filter(\.begins).map(\.stream)
            for sql in steps where !streams.isEmpty {
                let statement = Statement<Void>(sql, [.uuids(streams.lazy.map(\.halves))])
                try await database.execute(statement, by: deadline)
            }
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
