package import Domain
internal import EventFormat
package import Issuing
internal import OAuth
internal import Postgres

/// Who changed a stream, read from the metadata of its events (Events 1).
package struct PostgresChangeLog: ChangeLog {
    private let database: Database

    /// Reads on the connections of `database`.
    package init(_ database: Database) { self.database = database }

    package func changes(
        of stream: StreamID,
        before end: Int32?,
        limit: Int,
        by deadline: Deadline
    ) async throws(StoreError) -> [OperatorChange] {
        let rows = try await database.query(
            .streamChanges(stream, before: end ?? .max, limit: Int32(clamping: limit)),
            by: deadline
        )
        var changes: [OperatorChange] = []
        for row in rows { changes.append(try change(row)) }
        return changes
    }

    private func change(_ row: ChangeRow) throws(StoreError) -> OperatorChange {
        let event: DomainEvent
        do {
            event = try EventFormat.decode(
                type: row.event.type,
                payload: row.event.payload,
                columns: row.event.columns
            )
        } catch { throw .corrupt(row.event.stream, version: row.event.version) }
        let metadata = try? JSONReader.read(row.metadata)
        return OperatorChange(
            version: row.event.version,
            at: row.event.columns.occurredAt,
            event: event,
            operatorName: metadata?["by"]?.string,
            reason: metadata?["reason"]?.string
        )
    }
}

/// An event as it is stored, and what is told of who did it.
private struct ChangeRow: Sendable {
    var event: StreamRow
    var metadata: [UInt8]
}

extension Statement where Row == ChangeRow {
    fileprivate static func streamChanges(_ stream: StreamID, before end: Int32, limit: Int32)
        -> Self
    {
        Statement(
            PackageResources.stream_changes_sql,
            [.uuid(stream.halves), .int4(end), .int4(limit)]
        ) { row throws(PostgresError) in
            ChangeRow(event: try Statement<StreamRow>.streamRow(row), metadata: try row.bytes(10))
        }
    }
}
