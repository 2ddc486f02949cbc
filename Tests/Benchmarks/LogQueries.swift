import Postgres
import Runtime

/// Questions about the log and what follows it, as the superuser.
final class LogQueries {
    private let loop: Loop
    private let keeper: ConnectionKeeper

    /// Returns once it is connected: seeding would keep the loop from connecting.
    init(_ stack: Stack, on loop: Loop) async throws {
        self.loop = loop
        keeper = ConnectionKeeper(stack.connection(as: "postgres"), on: loop)
        keeper.start()
        let end = MonotonicInstant.now().advanced(by: .seconds(20))
        while !keeper.isConnected, MonotonicInstant.now() < end {
            try await loop.sleep(until: MonotonicInstant.now().advanced(by: .milliseconds(20)))
        }
    }

    func stop() { keeper.stop() }

    /// Events published.
    func publishedCount() async throws -> Int64 {
        try await number("SELECT next_index FROM es.relay_cursor")
    }

    /// Whether every event is published.
    func isPublished() async throws -> Bool {
        try await number(
            """
            SELECT count(*) FROM (
              SELECT FROM es.events AS e
               WHERE (e.log_epoch, e.xid, e.position) >
                     (SELECT log_epoch, xid, position FROM es.relay_cursor) LIMIT 1) AS rest
            """
        ) == 0
    }

    /// Events that the read model has.
    func projectedCount() async throws -> Int64 {
        try await number("SELECT coalesce(max(frontier), -1) + 1 FROM revocation.progress")
    }

    /// When the transactions of these events were committed, in microseconds since 1970.
    ///
    /// PostgreSQL takes the time before it waits for the disk.
    func commitTimes(of range: ClosedRange<Int64>) async throws -> [Int64: Int64] {
        let rows = try await keeper.query(
            Statement<(Int64, Int64)>(
                once: """
                    SELECT log_index,
                           (extract(epoch FROM pg_xact_commit_timestamp(xid::xid)) * 1e6)::bigint
                      FROM es.ledger WHERE log_index BETWEEN $1 AND $2
                    """,
                [.int8(range.lowerBound), .int8(range.upperBound)]
            ) { row throws(PostgresError) in (try row.int8(0), try row.int8(1)) },
            deadline: .now().advanced(by: .seconds(60))
        )
        return Dictionary(rows) { first, _ in first }
    }

    private func number(_ sql: String) async throws -> Int64 {
        let rows = try await keeper.query(
            Statement<Int64>(once: sql) { row throws(PostgresError) in try row.int8(0) },
            deadline: .now().advanced(by: .seconds(60))
        )
        guard let number = rows.first else {
            throw Subprocess.Failed(description: "no row: \(sql)")
        }
        return number
    }
}
