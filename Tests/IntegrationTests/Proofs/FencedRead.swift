import Postgres
import Runtime

/// The relay's read: behind the fence, by (xid, position).
struct FencedRead: Sendable {
    struct Seen: Sendable {
        var xid: UInt64
        var position: Int64
        var stream: String
        var version: Int32
    }

    static let sql = Array(
        """
        SELECT xid, position, stream_id::text, version FROM es.events
         WHERE log_epoch = $1 AND (xid, position) > ($2, $3)
           AND xid < pg_snapshot_xmin(pg_current_snapshot())
         ORDER BY xid, position LIMIT 1000
        """.utf8
    )

    private(set) var xid: UInt64 = 0
    private(set) var position: Int64 = 0

    /// What has become final since the last call.
    mutating func next(on connection: Connection) async throws(PostgresError) -> [Seen] {
        let statement = Statement(Self.sql, [.int2(1), .xid8(xid), .int8(position)]) {
            row throws(PostgresError) in
            Seen(
                xid: try row.xid8(0),
                position: try row.int8(1),
                stream: try row.text(2),
                version: try row.int4(3)
            )
        }
        let seen = try await connection.query(statement, deadline: .soon)
        if let last = seen.last { (xid, position) = (last.xid, last.position) }
        return seen
    }

    /// Reads while others write, and then what is left.
    ///
    /// Any transaction of the cluster holds the fence, autovacuum's too: so it goes on until it has
    /// as many as there are, or for a minute.
    static func all(
        of database: TestDatabase,
        until isDone: Guarded<Bool>
    ) async throws -> [Seen] {
        let connection = try await database.connect(as: "event_relay")
        var read = FencedRead()
        var all: [Seen] = []
        var limit: MonotonicInstant?
        while true {
            if isDone.current, limit == nil { limit = .soon }
            let seen = try await read.next(on: connection)
            all += seen
            if let limit, seen.isEmpty {
                let written = try await connection.count("SELECT count(*) FROM es.events")
                if all.count >= written || MonotonicInstant.now() > limit { return all }
            }
            if seen.isEmpty { try await database.loop.sleep(until: .after(.milliseconds(2))) }
        }
    }
}
