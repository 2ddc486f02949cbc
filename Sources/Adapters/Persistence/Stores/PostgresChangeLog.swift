package import Domain
package import Issuing
internal import OAuth
internal import Postgres

/// Who changed a stream, read from the metadata of its events (events.md section 1).
package struct PostgresChangeLog: ChangeLog {
    private let database: Database

    /// Reads on the connections of `database`.
    package init(_ database: Database) { self.database = database }

    package func changes(of stream: StreamID, limit: Int, by deadline: Deadline)
        async throws(StoreError) -> [OperatorChange]
    {
        try await database.query(
            .streamChanges(stream, limit: Int32(clamping: limit)),
            by: deadline
        )
    }
}

extension Statement where Row == OperatorChange {
    static func streamChanges(_ stream: StreamID, limit: Int32) -> Self {
        Statement(PackageResources.stream_changes_sql, [.uuid(stream.halves), .int4(limit)]) {
            row throws(PostgresError) in
            let metadata = try? JSONReader.read(try row.bytes(1))
            return OperatorChange(
                version: try row.int4(0),
                operatorName: metadata?["by"]?.string,
                reason: metadata?["reason"]?.string
            )
        }
    }
}
