import Foundation
import Postgres
import Runtime
import TestSupport
import Testing

/// What PostgreSQL does with our statements on a table of some size, under the role's settings.
@Suite("Plans", .timeLimit(.minutes(3)), .keepsClusterOnFailure) struct PlanTests {
    struct Case: Sendable {
        var file: String
        var types = "int"
        var arguments = "1"
        var role = "token_issuer"
        /// Endings of the names of the indexes it may use.
        var indexes: [String]
        var scans = 1
        /// An index of which no scan may be without a condition.
        var sought: String?
        /// Part of a condition that ends the scan of every index, and filters no row.
        var condition: String?
    }

    /// One of the streams, put in where a statement wants one.
    static let stream = "$stream"
    /// As many ids as one query has.
    static let many = (0..<64).map { "00000000-0000-7000-8000-\(100_000_000_000 + $0)" }
        .joined(separator: ",")

    static let cases = others + endings + erasure + mails + verification

    private static let others = [
        Case(
            file: "load_streams",
            types: "uuid[], int[], int[]",
            arguments: "'{\(stream)}', '{0}', '{0}'",
            indexes: ["_pkey"]
        ),
        Case(
            file: "load_streams",
            types: "uuid[], int[], int[]",
            arguments: "'{\(stream)}', '{0}', '{1}'",
            indexes: ["_pkey"],
            // The snapshot, and the events from the one it names on.
            scans: 2
        ),
        Case(file: "stream_heads", types: "uuid[]", arguments: "'{\(stream)}'", indexes: ["_pkey"]),
        Case(
            file: "commands_at",
            types: "uuid[], int[]",
            arguments: "'{\(stream)}', '{1}'",
            indexes: ["_pkey"]
        ),
        Case(
            file: "stream_history",
            types: "uuid, int",
            arguments: "'\(stream)', 1",
            indexes: ["_pkey"]
        ),
        Case(
            file: "stream_changes",
            types: "uuid, int, int",
            arguments: "'\(stream)', 2147483647, 10",
            indexes: ["_pkey"]
        ),
        Case(
            file: "stream_position",
            types: "uuid, uuid",
            arguments: "'\(stream)', '\(stream)'",
            indexes: ["_pkey"]
        ),
        Case(
            file: "subject_streams",
            types: "uuid, smallint[], bigint, bigint",
            arguments: "'\(stream)', '{701}', 9223372036854775807, 10",
            indexes: ["_subject_id_position_idx", "_pkey"]
        ),
        Case(
            file: "first_configurations",
            types: "smallint",
            indexes: ["_project_type_version_idx"]
        ),
        Case(
            file: "find_sealing_keys",
            types: "uuid[]",
            arguments: "'{\(stream)}'",
            indexes: ["sealing_keys_pkey"]
        ),
        Case(
            file: "find_sealing_keys",
            types: "uuid[]",
            arguments: "'{\(many)}'",
            indexes: ["sealing_keys_pkey"]
        ),
        Case(
            file: "drop_old_contexts",
            types: "timestamptz",
            arguments: "now()",
            indexes: ["contexts_at", "contexts_pkey"]
        ),
        Case(
            file: "drop_old_windows",
            types: "timestamptz",
            arguments: "now()",
            indexes: ["windows_start", "windows_pkey"]
        ),
        Case(
            file: "drop_old_snapshots",
            types: "timestamptz",
            arguments: "now()",
            indexes: ["snapshots_pkey"]
        ),
        Case(
            file: "destroy_passing_keys",
            types: "timestamptz",
            arguments: "now()",
            indexes: ["sealing_keys_alive"]
        ),
        Case(
            file: "drop_old_keys",
            types: "timestamptz",
            arguments: "now()",
            indexes: ["sealing_keys_pkey"]
        ),
    ]

    /// Old rows and young ones, living keys among destroyed ones, and a topic that takes nothing.
    private static func fillOthers(_ connection: Connection) async throws {
        let script = """
            INSERT INTO es.contexts (command_id, project, at)
            SELECT gen_random_uuid(), 1, now() - n * interval '10 minutes'
              FROM generate_series(1, 20000) AS n;
            INSERT INTO limits.windows (key, window_seconds, window_starts_at, count)
            SELECT sha256(n::text::bytea), 60, now() - n * interval '1 minute', 1
              FROM generate_series(1, 20000) AS n;
            INSERT INTO es.sealing_keys (key_id, project, kek_version, wrapped, commitment,
                                         destroyed_at)
            SELECT gen_random_uuid(), 1, 1, CASE WHEN n % 100 = 0 THEN '\\x00'::bytea END,
                   sha256('x'), CASE WHEN n % 100 > 0 THEN now() END
              FROM generate_series(1, 20000) AS n;
            INSERT INTO revocation.revocations (key, project, sid, revoked_at, expires_at, reason,
                                                log_id, log_index)
            SELECT n, 1, gen_random_uuid(), now(), now() - interval '1 hour', 'logout',
                   gen_random_uuid(), n
              FROM generate_series(1, 20000) AS n;
            INSERT INTO revocation.outbox SELECT log_index, key FROM revocation.revocations
             WHERE log_index > 500;
            INSERT INTO es.mail_queue (login_link, generation, project)
            SELECT gen_random_uuid(), 1, 1 FROM generate_series(1, 20000);
            INSERT INTO es.snapshots (stream_id, version, hash, format, state, mac)
            SELECT gen_random_uuid(), 15, sha256('x'), 1, '{}', sha256('y')
              FROM generate_series(1, 200000);
            ANALYZE es.contexts, limits.windows, es.sealing_keys, revocation.revocations,
                    revocation.outbox, es.snapshots, es.mail_queue
            """
        try await connection.run(script: Array(script.utf8), deadline: .soon)
    }

    @Test("a statement reads by its index and looks into one partition") func plan() async throws {
        // One database for all: what one statement deletes, a thousand rows, no other one misses.
        try await TestDatabase.with { database in
            let connection = try await database.connect()
            defer { connection.close() }
            try await Self.fill(connection)
            try await Self.fillOthers(connection)
            let first = "SELECT min(stream_id::text) FROM es.events"
            let stream = try await connection.text(first)
            for test in Self.cases + Self.ofProjector {
                try await Self.check(test, on: database, stream)
            }
        }
    }

    private static func check(
        _ test: Case,
        on database: TestDatabase,
        _ stream: String
    ) async throws {
        let login = try await database.connect(as: test.role)
        defer { login.close() }
        let text = try String(contentsOf: url(of: test.file), encoding: .utf8)
        let script = """
            PREPARE statement (\(test.types)) AS \(text)
            """
        try await login.run(script: Array(script.utf8), deadline: .soon)
        let explain = """
            EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF)
            EXECUTE statement (\(test.arguments.replacing(Self.stream, with: stream)))
            """
        let lines = try await login.query(.texts(explain), deadline: .soon)
        let plan = "\(test.file):\n" + lines.joined(separator: "\n")
        let scans = lines.filter { $0.contains("Scan") && !$0.contains("never executed") }
            .filter { !$0.contains("Function Scan") && !$0.contains("Subquery Scan") }
            .filter { !$0.contains("CTE Scan") && !$0.contains("Scan Direction") }
        let isOwn = scans.allSatisfy { scan in
            test.indexes.contains { scan.contains($0) } && scan.contains("Index")
        }
        #expect(!scans.isEmpty && isOwn, "\(plan)")
        if let index = test.sought { #expect(Self.isSought(index, in: lines), "\(plan)") }
        if let condition = test.condition {
            let conditions = lines.filter { $0.contains(condition) }
            let areOfIndex = conditions.allSatisfy { $0.contains("Index Cond") }
            #expect(!conditions.isEmpty && areOfIndex, "\(plan)")
        }
        if test.indexes == ["_pkey"] { #expect(scans.count == test.scans, "\(plan)") }
    }

    /// Whether each scan of `index` looks for something instead of walking through all of it.
    private static func isSought(_ index: String, in lines: [String]) -> Bool {
        let scans = lines.indices.filter { lines[$0].contains("Scan using \(index)") }
        return !scans.isEmpty
            && scans.allSatisfy { scan in
                lines[(scan + 1)...].prefix { !$0.contains("->") }
                    .contains { $0.contains("Index Cond") }
            }
    }

    @Test("a page of the feed reads by the indexes of its two orders") func feed() async throws {
        try await TestDatabase.with { database in
            let connection = try await database.connect()
            defer { connection.close() }
            try await Self.fillOthers(connection)
            let living = """
                UPDATE revocation.revocations
                   SET expires_at = now() + interval '1 hour',
                       late_number = CASE WHEN log_index % 100 = 0 THEN log_index END;
                VACUUM ANALYZE revocation.revocations
                """
            for part in living.split(separator: ";") {
                try await connection.run(script: Array(part.utf8), deadline: .soon)
            }
            let login = try await database.connect(as: "projector")
            defer { login.close() }
            let text = try String(contentsOf: Self.url(of: "revocation_feed"), encoding: .utf8)
            let script = """
                PREPARE statement (text, smallint, bigint, bigint, bigint, timestamptz) AS \(text)
                """
            try await login.run(script: Array(script.utf8), deadline: .soon)
            let call = "statement ('revocation', 1::smallint, 5, 0, 9, now())"
            let explain = "EXPLAIN (COSTS OFF) EXECUTE \(call)"
            let lines = try await login.query(.texts(explain), deadline: .soon)
            let scans = lines.filter { $0.contains("Scan") && $0.contains(" on revocations") }
            #expect(scans.count == 3, "\(lines.joined(separator: "\n"))")
            for index in ["revocations_feed", "revocations_late", "revocations_moved"] {
                #expect(scans.contains { $0.contains("Index Scan using \(index)") }, "\(scans)")
            }
        }
    }

    @Test("the relay's read walks one index, in order, and sorts nothing")
    func relay() async throws {
        try await TestDatabase.with { database in
            let connection = try await database.connect()
            try await Self.fill(connection)
            let text = String(decoding: FencedRead.sql, as: UTF8.self)
            let script = """
                PREPARE statement (smallint, xid8, bigint) AS \(text)
                """
            let login = try await database.connect(as: "event_relay")
            try await login.run(script: Array(script.utf8), deadline: .soon)
            let explain = "EXPLAIN (COSTS OFF) EXECUTE statement (1::smallint, '0', 0)"
            let lines = try await login.query(.texts(explain), deadline: .soon)
            let plan = lines.joined(separator: "\n")
            #expect(plan.contains("Merge Append"), "\(plan)")
            #expect(!plan.contains("->  Sort"), "\(plan)")
            let scans = lines.filter { $0.contains("Scan") }
            let areIndexed = scans.allSatisfy { $0.contains("log_epoch_xid_position_idx") }
            #expect(areIndexed, "\(plan)")
        }
    }

    /// Twenty thousand events of a thousand streams of this month.
    private static func fill(_ connection: Connection) async throws {
        let script = """
            INSERT INTO es.events (stream_id, version, type, project, occurred_at, command_id,
                                   subject_id, hash, payload, metadata)
            SELECT stream, version, CASE version WHEN 1 THEN 701 ELSE 704 END, 1, now(), stream,
                   stream, sha256('x'), '{}', '{}'
              FROM (SELECT (left(es.class_floor(0, now())::text, 13) || '-7000-8000-'
                            || lpad(to_hex(n), 12, '0'))::uuid AS stream
                      FROM generate_series(1, 1000) AS n) AS streams,
                   generate_series(1, 20) AS version;
            ANALYZE es.events;
            INSERT INTO es.snapshots (stream_id, version, hash, format, state, mac)
            SELECT stream_id, version, hash, 1, '{}', sha256('y')
              FROM es.events WHERE version = 15;
            ANALYZE es.snapshots
            """
        try await connection.run(script: Array(script.utf8), deadline: .soon)
    }

    static func url(of file: String) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Sources/Adapters/Persistence/SQL/\(file).sql")
    }
}
