internal import Domain
internal import EventFormat
internal import Postgres
internal import Publishing

/// A session lock that makes one process of a kind the active one.
enum LeadLock: Int32 {
    case relay = 1
    case projector = 2

    /// "chan", apart from other programs in the database.
    static let space: Int32 = 0x6368_616E

    /// True when this session has it now.
    var take: Statement<Bool> {
        Statement(PackageResources.relay_take_lead_sql, [.int4(Self.space), .int4(rawValue)]) {
            row throws(PostgresError) in try row.bool(0)
        }
    }
}

extension Statement where Row == RelayTerm {
    static func beginTerm(on topic: String) -> Self {
        Statement(PackageResources.relay_begin_term_sql, [.text(topic)]) {
            row throws(PostgresError) in
            RelayTerm(
                relayEpoch: try row.int8(0),
                cursor: RelayCursor(
                    place: LogPosition(
                        epoch: try row.int2(1),
                        xid: try row.xid8(2),
                        position: try row.int8(3)
                    ),
                    nextIndex: try row.int8(4)
                ),
                clusterID: try row.optionalText(5),
                acknowledged: try row.offsets(8),
                log: StreamID(halves: try row.uuid(6)),
                currentEpoch: try row.int2(7)
            )
        }
    }
}

extension Statement where Row == Bool {
    /// One row for each session ended.
    static func depose(silentForSeconds seconds: Double) -> Self {
        Statement(
            PackageResources.relay_depose_sql,
            [
                .int8(Int64(LeadLock.space)), .int8(Int64(LeadLock.relay.rawValue)),
                .float8(seconds),
            ]
        ) { row throws(PostgresError) in try row.bool(0) }
    }

    /// One row for each session ended; of a kind that shows its life by its statements.
    static func endSilent(_ lead: LeadLock, forSeconds seconds: Double) -> Self {
        Statement(
            PackageResources.end_silent_lead_sql,
            [.int8(Int64(LeadLock.space)), .int8(Int64(lead.rawValue)), .float8(seconds)]
        ) { row throws(PostgresError) in try row.bool(0) }
    }

    /// No row: another relay has the lead.
    static func showLife(of relayEpoch: Int64) -> Self {
        Statement(PackageResources.relay_show_life_sql, [.int8(relayEpoch)], read: present)
    }

    /// No row: another relay has the lead.
    static func adopt(
        cluster: String?,
        topic: String,
        acknowledged: [Int32: Int64],
        by relayEpoch: Int64
    ) -> Self {
        Statement(
            PackageResources.relay_adopt_cluster_sql,
            [
                .int8(relayEpoch), .optionalText(cluster), .text(topic), .offsets(acknowledged),
            ],
            read: present
        )
    }

    /// No row: another relay has the lead.
    static func record(
        _ rows: [NumberedRow],
        cursor: RelayCursor,
        acknowledged: [Int32: Int64],
        by relayEpoch: Int64
    ) -> Self {
        var columns = LedgerColumns(reserving: rows.count)
        for row in rows { columns.add(row) }
        return Statement(
            PackageResources.relay_record_sql,
            [
                .int8(relayEpoch), .int2(cursor.place.epoch), .xid8(cursor.place.xid),
                .int8(cursor.place.position), .int8(cursor.nextIndex),
            ] + columns.parameters + [.offsets(acknowledged)],
            read: present
        )
    }

    private static func present(_ row: borrowing ResultRow) throws(PostgresError) -> Bool { true }
}

extension Statement where Row == Fence {
    static var fence: Self {
        Statement(PackageResources.relay_fence_sql) { row throws(PostgresError) in
            Fence(
                at: Instant(microseconds: try row.timestamp(0)),
                oldestOpen: try row.xid8(1),
                nextToBegin: try row.xid8(2)
            )
        }
    }
}

extension Statement where Row == LogRow {
    /// The next rows after `place`, in its epoch.
    static func rows(after place: LogPosition, belowFence: Bool) -> Self {
        let sql =
            belowFence
            ? PackageResources.relay_read_sql : PackageResources.relay_read_old_epoch_sql
        let parameters: [Parameter] = [
            .int2(place.epoch), .xid8(place.xid), .int8(place.position),
        ]
        return Statement(sql, parameters) { row throws(PostgresError) in
            LogRow(
                place: LogPosition(
                    epoch: place.epoch,
                    xid: try row.xid8(0),
                    position: try row.int8(1)
                ),
                event: try storedEvent(row, from: 2, payload: 13),
                hash: try eventHash(row, 12)
            )
        }
    }
}

extension Statement where Row == PublishedSlot {
    /// Published rows again, by number.
    static func published(in range: Range<Int64>) -> Self {
        Statement(
            PackageResources.relay_published_sql,
            [.int8(range.lowerBound), .int8(range.upperBound)]
        ) { row throws(PostgresError) in
            let index = try row.int8(0)
            guard try row.bool(4) else { return PublishedSlot(index: index, row: nil) }
            let place = LogPosition(
                epoch: try row.int2(1),
                xid: try row.xid8(2),
                position: try row.int8(3)
            )
            let event = try storedEvent(row, from: 5, payload: 16)
            let kept = LogRow(
                place: place,
                event: event,
                hash: try eventHash(row, 15)
            )
            return PublishedSlot(index: index, row: kept)
        }
    }
}

/// A number of the ledger, with its event if that is still there.
struct PublishedSlot: Sendable {
    let index: Int64
    let row: LogRow?
}

/// Ten columns in the order of `relay_read.sql`, from `project` to `grant_id`.
private func storedEvent(
    _ row: borrowing ResultRow,
    from first: Int,
    payload: Int
) throws(PostgresError) -> StoredEvent {
    guard let project = ProjectNumber(try row.int2(first)) else {
        throw .unexpectedRow(column: first)
    }
    return StoredEvent(
        project: project,
        stream: StreamID(halves: try row.uuid(first + 1)),
        version: try row.int4(first + 2),
        type: try row.int2(first + 3),
        command: CommandID(StreamID(halves: try row.uuid(first + 5))),
        actor: try row.optionalUUID(first + 6).map { StreamID(halves: $0) },
        columns: StoredColumns(
            occurredAt: Instant(microseconds: try row.timestamp(first + 4)),
            subject: try row.optionalUUID(first + 7).map { SubjectID(StreamID(halves: $0)) },
            session: try row.optionalUUID(first + 9).map { SessionID(StreamID(halves: $0)) },
            client: try row.optionalUUID(first + 8).map { StreamID(halves: $0) }
        ),
        payload: try row.bytes(payload),
        metadata: try row.bytes(payload + 1)
    )
}

private func eventHash(
    _ row: borrowing ResultRow,
    _ column: Int
) throws(PostgresError) -> EventHash {
    guard let digest = TokenDigest(bytes: try row.bytes(column)) else {
        throw .unexpectedRow(column: column)
    }
    return EventHash(digest: digest)
}
