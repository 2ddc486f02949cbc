internal import Domain
internal import EventFormat
internal import Issuing
internal import Postgres

extension Statement where Row == Int32 {
    /// Appends a batch; the ordinals of the refused commands.
    static func append(_ batch: AppendBatch) -> Self {
        Statement(PackageResources.append_events_sql, AppendColumns(batch).parameters) {
            row throws(PostgresError) in try row.int4(0)
        }
    }

    /// The newest version of each stream, in their order; 0 when there is none.
    static func heads(of streams: [StreamID]) -> Self {
        Statement(
            PackageResources.stream_heads_sql,
            [.uuids(streams.lazy.map(\.halves))]
        ) { row throws(PostgresError) in try row.int4(0) }
    }
}

extension Statement where Row == StreamRow {
    /// The events of streams after a version each.
    static func load(_ wanted: [WantedStream]) -> Self {
        Statement(
            PackageResources.load_streams_sql,
            [
                .uuids(wanted.lazy.map(\.stream.halves)), .int4s(wanted.lazy.map(\.after)),
                .int4s(wanted.lazy.map { $0.format ?? 0 }),
            ]
        ) { row throws(PostgresError) in
            var event = row.isNull(1) ? try noRow(row) : try streamRow(row)
            if let hash = try row.optionalBytes(10) {
                event.snapshot = StoredSnapshot(
                    hash: hash,
                    state: try row.bytes(11),
                    mac: try row.bytes(12)
                )
            }
            return event
        }
    }

    /// Version 0: the stream has no event where its snapshot says one is.
    private static func noRow(_ row: borrowing ResultRow) throws(PostgresError) -> StreamRow {
        StreamRow(
            stream: StreamID(halves: try row.uuid(0)),
            version: 0,
            type: 0,
            project: 0,
            columns: StoredColumns(occurredAt: Instant(microseconds: 0)),
            hash: [],
            payload: []
        )
    }

    /// The next events of one stream behind a version, 1,000 at most.
    static func history(of stream: StreamID, after version: Int32) -> Self {
        Statement(
            PackageResources.stream_history_sql,
            [.uuid(stream.halves), .int4(version)],
            read: streamRow
        )
    }

    static func streamRow(_ row: borrowing ResultRow) throws(PostgresError) -> StreamRow {
        StreamRow(
            stream: StreamID(halves: try row.uuid(0)),
            version: try row.int4(1),
            type: try row.int2(2),
            project: try row.int2(4),
            columns: StoredColumns(
                occurredAt: Instant(microseconds: try row.timestamp(3)),
                subject: try row.optionalUUID(5).map { SubjectID(StreamID(halves: $0)) },
                session: try row.optionalUUID(7).map { SessionID(StreamID(halves: $0)) },
                client: try row.optionalUUID(6).map { StreamID(halves: $0) }
            ),
            hash: try row.bytes(8),
            payload: try row.bytes(9)
        )
    }
}

extension Statement where Row == FoundCommand {
    /// Which command wrote the first row of each command.
    static func commands(at commands: [EncodedCommand]) -> Self {
        let firsts = commands.compactMap(\.rows.first)
        return Statement(
            PackageResources.commands_at_sql,
            [
                .uuids(firsts.lazy.map(\.event.stream.halves)),
                .int4s(firsts.lazy.map(\.event.version)),
            ]
        ) { row throws(PostgresError) in
            FoundCommand(
                // Ordinality counts from 1.
                index: Int(try row.int8(0)) - 1,
                command: CommandID(StreamID(halves: try row.uuid(1)))
            )
        }
    }
}

extension Statement where Row == OpenedStream {
    /// The streams that were opened for a subject, newest first.
    static func opened(for subject: SubjectID, types: [Int16], before: Int64, limit: Int) -> Self {
        Statement(
            PackageResources.subject_streams_sql,
            [
                .uuid(subject.stream.halves), .int2s(types), .int8(before),
                .int8(Int64(clamping: limit)),
            ]
        ) { row throws(PostgresError) in
            let opened = OpenedStream(
                StreamID(halves: try row.uuid(0)),
                opening: try row.int2(2),
                at: try row.int8(1),
                newest: try row.int2(3)
            )
            guard let opened else { throw .unexpectedRow(column: 2) }
            return opened
        }
    }
}

extension Statement where Row == Int64 {
    /// Where a stream begins that was opened for a subject.
    static func position(of stream: StreamID, for subject: SubjectID) -> Self {
        Statement(
            PackageResources.stream_position_sql,
            [.uuid(stream.halves), .uuid(subject.stream.halves)]
        ) { row throws(PostgresError) in try row.int8(0) }
    }
}

extension StreamID {
    /// As the driver wants a `uuid`.
    var halves: (UInt64, UInt64) { (high, low) }

    init(halves: (UInt64, UInt64)) { self.init(high: halves.0, low: halves.1) }
}
