internal import Domain
internal import Postgres
internal import Projections
internal import Publishing

/// One partition of a projection's position.
struct PartitionState: Sendable {
    let partition: Int32
    let clusterID: String
    let nextOffset: Int64
    let lastIndex: Int64
}

/// The log and how far its read model is complete.
struct LogState: Sendable {
    let log: StreamID
    let frontier: Int64
    let watermark: LogWatermark?
}

extension Statement where Row == PartitionState {
    static func projectionState(_ projection: String, _ topic: String, _ log: StreamID) -> Self {
        Statement(
            PackageResources.projection_state_sql,
            [.text(projection), .text(topic), .uuid(log.halves)]
        ) { row throws(PostgresError) in
            PartitionState(
                partition: try row.int4(0),
                clusterID: try row.text(1),
                nextOffset: try row.int8(2),
                lastIndex: try row.int8(3)
            )
        }
    }
}

extension Statement where Row == LogState {
    static func projectionLog(_ projection: String) -> Self {
        Statement(PackageResources.projection_log_sql, [.text(projection)]) {
            row throws(PostgresError) in
            let log = StreamID(halves: try row.uuid(0))
            var watermark: LogWatermark?
            if let through = try row.optionalTimestamp(2), let index = try row.optionalInt8(3) {
                watermark = LogWatermark(
                    log: log,
                    completeThrough: Instant(microseconds: through),
                    index: index
                )
            }
            return LogState(log: log, frontier: try row.int8(1), watermark: watermark)
        }
    }
}

extension Statement where Row == RevocationRecord {
    static var outbox: Self { Statement(PackageResources.revocation_outbox_sql, read: record) }

    static func feed(
        _ project: ProjectNumber,
        after: Int64,
        upTo frontier: Int64,
        limit: Int
    ) -> Self {
        Statement(
            PackageResources.revocation_feed_sql,
            [
                .int2(project.value), .int8(after), .int8(frontier),
                .int8(Int64(clamping: limit)),
            ],
            read: record
        )
    }

    private static func record(
        _ row: borrowing ResultRow
    ) throws(PostgresError) -> RevocationRecord {
        RevocationRecord(
            key: try row.text(0),
            session: SessionID(StreamID(halves: try row.uuid(1))),
            client: try row.optionalText(2),
            token: try row.optionalText(3),
            subject: try row.optionalUUID(4).map { StreamID(halves: $0) },
            revokedAt: Instant(microseconds: try row.timestamp(5)),
            issuedBefore: try row.optionalTimestamp(6).map { Instant(microseconds: $0) },
            expiresAt: Instant(microseconds: try row.timestamp(7)),
            reason: try row.text(8),
            log: StreamID(halves: try row.uuid(9)),
            index: try row.int8(10)
        )
    }
}

extension Statement where Row == Void {
    static func move(
        _ projection: String,
        _ topic: String,
        cluster: String,
        to progress: ProjectionProgress
    ) -> Self {
        let offsets = progress.offsets.sorted { $0.key < $1.key }
        let applied = progress.applied.sorted { $0.key < $1.key }
        let complete = progress.complete
        return Statement(
            PackageResources.projection_move_sql,
            [
                .text(projection), .text(topic), .text(cluster),
                .int4s(offsets.map(\.key)), .int8s(offsets.map(\.value)),
                .uuid(progress.log.halves),
                .int4s(applied.map(\.key)), .int8s(applied.map(\.value)),
                .int8(progress.frontier),
                .optionalTimestamp(complete?.completeThrough.microseconds),
                .optionalInt8(complete?.index),
            ]
        )
    }

    static func add(_ revocations: [Revocations.Revocation], of log: StreamID) -> Self {
        Statement(
            PackageResources.add_revocations_sql,
            [
                .texts(revocations.map(\.key.description)),
                .int2s(revocations.map(\.project.value)),
                .uuids(revocations.map(\.key.session.stream.halves)),
                .optionalTexts(revocations.map { $0.client?.text }),
                .optionalTexts(revocations.map { $0.key.token.map { "\($0)" } }),
                .optionalUUIDs(revocations.map { $0.subject?.stream.halves }),
                .timestamps(revocations.map(\.revokedAt.microseconds)),
                .timestamps(revocations.map(\.expiresAt.microseconds)),
                .texts(revocations.map(\.reason)),
                .uuids(revocations.map { _ in log.halves }),
                .int8s(revocations.map { $0.logIndex ?? 0 }),
            ]
        )
    }

    static func change(_ change: SessionList.Change) -> Self {
        switch change {
        case .open(let row): .open(row)
        case .see(let session, let version, let at):
            .change(session, version, seen: at.microseconds)
        case .end(let session, let version, let at, let reason):
            .change(session, version, ended: at.microseconds, reason: reason)
        case .advance(let session, let version): .change(session, version)
        }
    }

    private static func open(_ row: SessionList.Session) -> Self {
        Statement(
            PackageResources.open_session_row_sql,
            [
                .uuid(row.session.stream.halves), .text(row.kind.rawValue), .int4(row.version),
                .int2(row.project.value), .uuid(row.subject.stream.halves),
                .optionalText(row.client?.text), .timestamp(row.openedAt.microseconds),
                .timestamp(row.expiresAt.microseconds),
                .text("\(row.parent.kind.rawValue):\(row.parent.stream)"),
            ]
        )
    }

    private static func change(
        _ session: SessionID,
        _ version: Int32,
        seen: Int64? = nil,
        ended: Int64? = nil,
        reason: String? = nil
    ) -> Self {
        Statement(
            PackageResources.change_session_row_sql,
            [
                .uuid(session.stream.halves), .int4(version), .optionalTimestamp(seen),
                .optionalTimestamp(ended), .optionalText(reason),
            ]
        )
    }

    static func clearOutbox(_ keys: [String]) -> Self {
        Statement(PackageResources.clear_outbox_sql, [.texts(keys)])
    }

    static var dropOldRevocations: Self { Statement(PackageResources.drop_old_revocations_sql) }
}
