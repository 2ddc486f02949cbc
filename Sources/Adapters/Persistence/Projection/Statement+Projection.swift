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
    let late: Int64
    let generation: Int32
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
            return LogState(
                log: log,
                frontier: try row.int8(1),
                watermark: watermark,
                late: try row.int8(4),
                generation: try row.int4(5)
            )
        }
    }
}

extension Statement where Row == BlockedKey {
    static func blocked(_ projection: String) -> Self {
        Statement(PackageResources.projection_blocked_sql, [.text(projection)]) {
            row throws(PostgresError) in
            BlockedKey(
                key: try row.bytes(0),
                partition: try row.int4(1),
                offset: try row.int8(2),
                index: try row.int8(3),
                stream: try row.optionalUUID(4).map { StreamID(halves: $0) },
                reason: try row.text(5)
            )
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

    static func late(
        _ project: ProjectNumber,
        after: Int64,
        upTo last: Int64,
        limit: Int
    ) -> Self {
        Statement(
            PackageResources.revocation_late_sql,
            [.int2(project.value), .int8(after), .int8(last), .int8(Int64(clamping: limit))],
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
            index: try row.int8(10),
            lateNumber: try row.optionalInt8(11)
        )
    }
}
