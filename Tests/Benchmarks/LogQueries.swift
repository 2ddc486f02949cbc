import EventFormat
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

    /// Events in the log: a count of all of it, so not to be asked while something is measured.
    func eventCount() async throws -> Int64 {
        try await number("SELECT count(*) FROM es.events")
    }

    /// The numbers of the sessions' ends from `first` on that are committed and published.
    func revocations(from first: Int64) async throws -> [Int64] {
        try await keeper.query(
            Statement<Int64>(
                once: """
                    SELECT l.log_index FROM es.ledger AS l
                      JOIN es.events AS e USING (stream_id, version)
                     WHERE l.log_index >= $1 AND e.type = $2
                    """,
                [.int8(first), .int2(StoredType.offlineGrantRevoked.rawValue)]
            ) { row throws(PostgresError) in try row.int8(0) },
            deadline: .now().advanced(by: .seconds(60))
        )
    }

    /// Events that the read model has.
    func projectedCount() async throws -> Int64 {
        try await number("SELECT coalesce(max(frontier), -1) + 1 FROM revocation.progress")
    }

    /// When the transactions of these events were committed, in microseconds since 1970.
    ///
    /// PostgreSQL takes the time before it waits for the disk.
    func commitTimes(of arrivals: [Int64: Int64]) async throws -> [Int64: Int64] {
        guard let first = arrivals.keys.min(), let last = arrivals.keys.max() else {
            throw Subprocess.Failed(description: "nothing arrived")
        }
        let rows = try await keeper.query(
            Statement<(Int64, Int64)>(
                once: """
                    SELECT log_index,
                           (extract(epoch FROM pg_xact_commit_timestamp(xid::xid)) * 1e6)::bigint
                      FROM es.ledger WHERE log_index BETWEEN $1 AND $2
                    """,
                [.int8(first), .int8(last)]
            ) { row throws(PostgresError) in (try row.int8(0), try row.int8(1)) },
            deadline: .now().advanced(by: .seconds(60))
        )
        return Dictionary(rows) { first, _ in first }
    }

    /// Forgets the mails that wait: nobody takes them here, and trying again costs CPU.
    func dropMails() async throws {
        _ = try await keeper.execute(
            Statement<Int64>(once: "DELETE FROM es.mail_queue") { _ in 0 },
            deadline: .now().advanced(by: .seconds(60))
        )
    }

    private func number(_ sql: String) async throws -> Int64 {
        let rows = try await numbers(sql)
        guard let number = rows.first else {
            throw Subprocess.Failed(description: "no row: \(sql)")
        }
        return number
    }

    /// Asks again over a new connection: while a child is waited for, the loop stands still, and
    /// the connection counts as lost.
    private func numbers(_ sql: String) async throws -> [Int64] {
        let question = Statement<Int64>(once: sql) { row throws(PostgresError) in try row.int8(0) }
        do { return try await keeper.query(question, deadline: Self.deadline) } catch {
            switch error {
            case .connectionLost, .notConnected:
                return try await keeper.query(question, deadline: Self.deadline)
            default: throw error
            }
        }
    }

    private static var deadline: MonotonicInstant { .now().advanced(by: .seconds(60)) }
}
