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
    /// What a place in the feed is a place of; nil before the first batch.
    ///
    /// Another one in the place of a model that was lost, in another log, and after a failover.
    let model: StreamID?
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
            row throws(PostgresError) in try LogState(row)
        }
    }
}

extension LogState {
    /// Reads the first seven columns.
    fileprivate init(_ row: borrowing ResultRow) throws(PostgresError) {
        let log = StreamID(halves: try row.uuid(0))
        var watermark: LogWatermark?
        if let through = try row.optionalTimestamp(2), let index = try row.optionalInt8(3) {
            watermark = LogWatermark(
                log: log,
                completeThrough: Instant(microseconds: through),
                index: index
            )
        }
        self.init(
            log: log,
            frontier: try row.int8(1),
            watermark: watermark,
            late: try row.int8(4),
            generation: try row.int4(5),
            model: try row.optionalUUID(6).map { StreamID(halves: $0) }
        )
    }
}

/// A row of a page of the feed.
struct FeedRow: Sendable {
    /// The same in all rows of a page.
    let state: LogState
    /// Whether it came after the frontier had passed its number.
    let isLate: Bool
    /// Nil in the one row of an empty page.
    let record: RevocationRecord?
}

extension Statement where Row == FeedRow {
    /// Without a place: from the beginning, and so nothing late.
    static func feed(
        _ projection: String,
        _ project: ProjectNumber,
        after place: FeedPlace?,
        limit: Int,
        at now: Instant
    ) -> Self {
        Statement(
            PackageResources.revocation_feed_sql,
            [
                .text(projection), .int2(project.value), .int8(place?.index ?? -1),
                .optionalInt8(place?.late), .int8(Int64(clamping: limit)),
                .timestamp(now.microseconds),
            ]
        ) { row throws(PostgresError) in
            let isEmpty = row.isNull(7)
            return FeedRow(
                state: try LogState(row),
                isLate: isEmpty ? false : try row.bool(7),
                record: isEmpty ? nil : try RevocationRecord(row, from: 8)
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
    static var outbox: Self {
        Statement(PackageResources.revocation_outbox_sql) { row throws(PostgresError) in
            try RevocationRecord(row, from: 0)
        }
    }
}

/// The cluster on which a topic lacks no revocation, and what was acknowledged there.
struct RevocationTopicState: Sendable {
    let cluster: String
    let acknowledged: [Int32: Int64]
}

extension Statement where Row == RevocationTopicState {
    /// No row where no cluster is known.
    static func revocationTopic(_ projection: String, _ topic: String) -> Self {
        Statement(PackageResources.revocation_topic_sql, [.text(projection), .text(topic)]) {
            row throws(PostgresError) in
            RevocationTopicState(cluster: try row.text(0), acknowledged: try row.offsets(1))
        }
    }
}

extension Statement where Row == String? {
    /// One row; nil in it when no key follows.
    static func lastRevocationKey(after key: String) -> Self {
        Statement(PackageResources.last_revocation_key_sql, [.text(key)]) {
            row throws(PostgresError) in try row.optionalText(0)
        }
    }
}

extension RevocationRecord {
    fileprivate init(_ row: borrowing ResultRow, from first: Int) throws(PostgresError) {
        self.init(
            key: try row.text(first),
            session: SessionID(StreamID(halves: try row.uuid(first + 1))),
            client: try row.optionalText(first + 2),
            token: try row.optionalText(first + 3),
            subject: try row.optionalUUID(first + 4).map { StreamID(halves: $0) },
            revokedAt: Instant(microseconds: try row.timestamp(first + 5)),
            issuedBefore: try row.optionalTimestamp(first + 6).map { Instant(microseconds: $0) },
            expiresAt: Instant(microseconds: try row.timestamp(first + 7)),
            reason: try row.text(first + 8),
            log: StreamID(halves: try row.uuid(first + 9)),
            index: try row.int8(first + 10),
            lateNumber: try row.optionalInt8(first + 11)
        )
    }
}
