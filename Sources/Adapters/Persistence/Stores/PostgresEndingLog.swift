package import Domain
internal import EventFormat
package import Issuing
internal import Postgres
internal import Publishing

/// The ends of `es.events`, and in `es.endings_cursor` how far the issuers are in them.
///
/// They come in the order of the relay and behind its fence, so none is passed over (Events 9.4).
package struct PostgresEndingLog: EndingLog {
    private let database: Database

    /// Works on the connections of `database`.
    package init(_ database: Database) { self.database = database }

    private struct Cursor: Sendable {
        var place: LogPosition
        var currentEpoch: Int16
        /// Whether no node goes through ends now.
        var isFree: Bool
        /// One more than the highest transaction that has ended.
        var nextXID: UInt64
        /// When the server was started that this is of.
        var serverStart: Int64
    }

    private struct Row: Sendable {
        var place: LogPosition
        var isDue: Bool
        var ending: RecordedEnding
    }

    package func nextDue(
        by deadline: Deadline,
        _ body: ([RecordedEnding]) async -> Int
    ) async throws(StoreError) -> Int {
        guard let cursor = try await database.query(Self.cursor, by: deadline).first,
            cursor.isFree
        else { return 0 }
        let isCurrent = cursor.place.epoch >= cursor.currentEpoch
        let rows = try await database.query(
            Self.rows(after: cursor.place, belowFence: isCurrent),
            by: deadline
        )
        // A younger one may stand before an older: what is behind it waits, too.
        let due = rows.prefix { $0.isDue }
        guard !due.isEmpty else {
            if rows.isEmpty, !isCurrent {
                let next = LogPosition.start(of: cursor.place.epoch + 1)
                try await pass(from: cursor, to: next, by: deadline)
            }
            return 0
        }
        guard try await hold(cursor.place, by: deadline) else { return 0 }
        let count = await body(due.map(\.ending))
        let last = due.prefix(count).last?.place ?? cursor.place
        try await pass(from: cursor, to: last, by: deadline)
        return count
    }

    /// How old the first end is, in the order of the log, that may have to be followed yet, in
    /// seconds; 0: there is none.
    ///
    /// One behind it may be older by as long as a transaction was open.
    package func lag(by deadline: Deadline) async throws(StoreError) -> Int64 {
        guard let cursor = try await database.query(Self.cursor, by: deadline).first else {
            return 0
        }
        var place = cursor.place
        while true {
            let age = try await database.query(Self.age(after: place), by: deadline).first
            if let age { return age }
            // The end of a former history is passed by a pass of its own.
            guard place.epoch < cursor.currentEpoch else { return 0 }
            place = .start(of: place.epoch + 1)
        }
    }

    /// Whether transaction numbers began again below the cursor, as in a cluster that a dump was
    /// restored into: no end that is written there is found (Events 12).
    package func haveNumbersBegunAgain(by deadline: Deadline) async throws(StoreError) -> Bool {
        guard let cursor = try await database.query(Self.cursor, by: deadline).first else {
            return false
        }
        return cursor.place.epoch >= cursor.currentEpoch && cursor.nextXID <= cursor.place.xid
    }

    private func hold(_ place: LogPosition, by deadline: Deadline)
        async throws(StoreError) -> Bool
    {
        let statement = Statement<Bool>(PackageResources.hold_endings_sql, place.parameters) {
            row throws(PostgresError) in try row.bool(0)
        }
        return try await database.execute(statement, by: deadline).first ?? false
    }

    /// At the server that the cursor was read at: the statement may have to wait for a connection,
    /// and that may come to another one.
    private func pass(from cursor: Cursor, to: LogPosition, by deadline: Deadline)
        async throws(StoreError)
    {
        let statement = Statement<Void>(
            PackageResources.pass_endings_sql,
            cursor.place.parameters + to.parameters + [.int8(cursor.serverStart)]
        )
        try await database.execute(statement, by: deadline)
    }

    private static var cursor: Statement<Cursor> {
        Statement(PackageResources.endings_cursor_sql) { row throws(PostgresError) in
            Cursor(
                place: LogPosition(
                    epoch: try row.int2(0),
                    xid: try row.xid8(1),
                    position: try row.int8(2)
                ),
                currentEpoch: try row.int2(3),
                isFree: try row.bool(4),
                nextXID: try row.xid8(5),
                serverStart: try row.int8(6)
            )
        }
    }

    private static func age(after place: LogPosition) -> Statement<Int64> {
        Statement(PackageResources.endings_lag_sql, place.parameters) {
            row throws(PostgresError) in try row.int8(0)
        }
    }

    private static func rows(after place: LogPosition, belowFence: Bool) -> Statement<Row> {
        let sql =
            belowFence
            ? PackageResources.endings_read_sql : PackageResources.endings_read_old_epoch_sql
        return Statement(sql, place.parameters) { row throws(PostgresError) in
            // The statement names the types.
            guard let type = StoredType(rawValue: try row.int2(2)) else {
                throw .unexpectedRow(column: 2)
            }
            guard let project = ProjectNumber(try row.int2(4)) else {
                throw .unexpectedRow(column: 4)
            }
            let stream = StreamID(halves: try row.uuid(3))
            return Row(
                place: LogPosition(
                    epoch: place.epoch,
                    xid: try row.xid8(0),
                    position: try row.int8(1)
                ),
                isDue: try row.bool(5),
                ending: RecordedEnding(
                    stream,
                    type.kind,
                    in: project,
                    isErasure: type == .subjectErased
                )
            )
        }
    }
}

extension LogPosition {
    fileprivate var parameters: [Parameter] { [.int2(epoch), .xid8(xid), .int8(position)] }
}
