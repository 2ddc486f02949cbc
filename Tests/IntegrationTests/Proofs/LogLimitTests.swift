import Persistence
import Postgres
import TestSupport
import Testing

/// The CHECK constraints of `es.events` (Events 2.3): what the encoder forgot, or a
/// migrator wrote by hand, stays out.
@Suite("The limits of a row", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct LogLimitTests {
    struct Row: Sendable {
        var column: String
        var value: String
        var type = 101
        /// Nil: it is taken.
        var brokenCheck: String?
    }

    /// At each bound, and above it.
    static let rows = [
        Row(column: "payload", value: bytes(16 * 1024)),
        Row(column: "payload", value: bytes(16 * 1024 + 1), brokenCheck: "events_payload"),
        Row(column: "payload", value: bytes(256 * 1024), type: 1301),
        Row(column: "payload", value: bytes(256 * 1024), type: 1399),
        Row(
            column: "payload",
            value: bytes(256 * 1024 + 1),
            type: 1301,
            brokenCheck: "events_payload"
        ),
        Row(
            column: "payload",
            value: bytes(16 * 1024 + 1),
            type: 1300,
            brokenCheck: "events_payload"
        ),
        Row(
            column: "payload",
            value: bytes(16 * 1024 + 1),
            type: 1400,
            brokenCheck: "events_payload"
        ),
        Row(column: "metadata", value: bytes(2 * 1024)),
        Row(column: "metadata", value: bytes(2 * 1024 + 1), brokenCheck: "events_metadata"),
        Row(column: "hash", value: bytes(32)),
        Row(column: "hash", value: bytes(31), brokenCheck: "events_hash"),
        Row(column: "hash", value: bytes(33), brokenCheck: "events_hash"),
        Row(column: "version", value: "1"),
        Row(column: "version", value: "0", brokenCheck: "events_version"),
        Row(column: "project", value: "1"),
        Row(column: "project", value: "0", brokenCheck: "events_project"),
    ]

    private static func bytes(_ count: Int) -> String {
        "convert_to(repeat(' ', \(count)), 'UTF8')"
    }

    @Test("are the table's own, and it names which one was broken") func limits() async throws {
        try await TestDatabase.with { database in
            let connection = try await database.connect()
            defer { connection.close() }
            for row in Self.rows {
                var values = [
                    "version": "1", "project": "1", "hash": Self.bytes(32),
                    "payload": "'{}'", "metadata": "'{}'",
                ]
                values[row.column] = row.value
                let columns = values.keys.sorted()
                let script = """
                    INSERT INTO es.events (occurred_at, type, command_id, stream_id,
                                           \(columns.joined(separator: ", ")))
                    SELECT now(), \(row.type), gen_random_uuid(),
                           ('8' || substr(gen_random_uuid()::text, 2))::uuid,
                           \(columns.compactMap { values[$0] }.joined(separator: ", "))
                    """
                let broken = await Self.brokenCheck(by: script, on: connection)
                #expect(broken == row.brokenCheck, "\(row)")
            }
        }
    }

    /// Nil when the row was taken.
    private static func brokenCheck(by script: String, on connection: Connection) async -> String? {
        do throws(PostgresError) {
            try await connection.run(script: Array(script.utf8), deadline: .soon)
            return nil
        } catch {
            guard case .server(let refusal) = error else { return "\(error)" }
            // … of relation "…" violates check constraint "…"
            return refusal.message.split(separator: "\"").last.map { String($0) }
        }
    }
}
