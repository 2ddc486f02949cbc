import Foundation
import Postgres
import Runtime
import TestSupport
import Testing

/// Two that lock several snapshots must never wait for each other.
@Suite("Locks on snapshots", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct SnapshotLockTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var file: String
        var types: String
        var arguments: String

        var testDescription: String { file }
    }

    private static let subject = "00000000-0000-7000-8000-000000000001"

    static let cases = [
        Case(
            file: "keep_snapshots",
            types: "uuid[], int[], bytea[], int[], bytea[], bytea[]",
            arguments: """
                '{$streams}', array_fill(3, '{12}'), array_fill(sha256('x'), '{12}'),
                array_fill(1, '{12}'), array_fill('{}'::bytea, '{12}'),
                array_fill(sha256('z'), '{12}')
                """
        ),
        Case(
            file: "delete_stream_snapshots",
            types: "uuid[]",
            arguments: "'{$streams}'"
        ),
    ]

    @Test("are taken in the order of the streams, first to last", arguments: cases)
    func order(_ test: Case) async throws {
        try await TestDatabase.with { database in
            let owner = try await database.connect()
            try await owner.run(script: Array(Self.filling.utf8), deadline: .soon)
            let hold = """
                BEGIN;
                SELECT FROM es.snapshots ORDER BY stream_id LIMIT 1 FOR UPDATE
                """
            try await owner.run(script: Array(hold.utf8), deadline: .soon)
            let ids = "SELECT stream_id::text FROM es.snapshots ORDER BY stream_id DESC"
            let streams = try await owner.query(.texts(ids), deadline: .soon)
            let arguments = test.arguments.replacing(
                "$streams",
                with: streams.joined(separator: ",")
            )
            let login = try await database.connect(as: "token_issuer")
            let text = try String(contentsOf: PlanTests.url(of: test.file), encoding: .utf8)
            // As long as this test takes, not a second.
            try await login.run(script: Array("SET lock_timeout = '60s'".utf8), deadline: .soon)
            let prepare = "PREPARE statement (\(test.types)) AS \(text)"
            try await login.run(script: Array(prepare.utf8), deadline: .soon)
            async let change: Void = login.run(
                script: Array("EXECUTE statement (\(arguments))".utf8),
                deadline: .soon
            )
            try await Self.untilBlocked(login.serverProcess, database)
            // Whoever waits for the first holds none of the others.
            let others = "SELECT stream_id FROM es.snapshots ORDER BY stream_id OFFSET 1"
            let look = "SELECT FROM es.snapshots WHERE stream_id IN (\(others)) FOR UPDATE NOWAIT"
            try await owner.run(script: Array(look.utf8), deadline: .soon)
            try await owner.run(script: Array("COMMIT".utf8), deadline: .soon)
            try await change
            let left = "SELECT count(*) FROM es.snapshots WHERE version < 3"
            #expect(try await owner.query(.number(left), deadline: .soon) == [0])
        }
    }

    /// Twelve streams of one subject, with a snapshot each.
    private static let filling = """
        INSERT INTO es.events (stream_id, version, type, project, occurred_at, command_id,
                               subject_id, hash, payload, metadata)
        SELECT (left(es.class_floor(0, now())::text, 13) || '-7000-8000-'
                || lpad(to_hex(n), 12, '0'))::uuid, 1, 701, 1, now(), gen_random_uuid(),
               '\(subject)', sha256('x'), '{}', '{}'
          FROM generate_series(1, 12) AS n;
        INSERT INTO es.snapshots (stream_id, version, hash, format, state, mac)
        SELECT stream_id, version, hash, 1, '{}', sha256('y') FROM es.events
         ORDER BY stream_id DESC
        """

    private static func untilBlocked(_ process: Int32, _ database: TestDatabase) async throws {
        let connection = try await database.connect()
        let sql = "SELECT cardinality(pg_blocking_pids(\(process)))::bigint"
        let limit = MonotonicInstant.soon
        while try await connection.query(.number(sql), deadline: .soon) == [0] {
            try #require(.now() < limit, "it did not wait")
            try await database.loop.sleep(until: .after(.milliseconds(5)))
        }
    }
}
