import Domain
import Issuing
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

@Suite(
    "A server that lacks what was acknowledged",
    .timeLimit(.minutes(3)),
    .keepsClusterOnFailure
)
struct LostHistoryTests {
    @Test("a node that comes to another server reads again what it remembered")
    func otherServer() async throws {
        try await TestDatabase.with { database in
            let superuser = try await database.connect()
            defer { superuser.close() }
            // Who asks when the server was started is told what stands here.
            let other = """
                CREATE SCHEMA other;
                CREATE TABLE other.start AS SELECT now() AS at;
                CREATE FUNCTION other.pg_postmaster_start_time() RETURNS timestamptz
                  LANGUAGE sql AS 'SELECT at FROM other.start';
                GRANT USAGE ON SCHEMA other TO PUBLIC;
                GRANT SELECT ON other.start TO PUBLIC;
                """
            try await Self.run(other, on: superuser)
            let node = try StoreHarness(database, searching: "other, pg_catalog")
            defer { node.stop() }
            try await node.untilReady()
            var subject = try await node.register()
            let first = subject
            try await node.append([.disabled(.operator)], to: &subject)
            #expect(subject.version == 2)
            // The same server by another connection: what is remembered holds.
            try await Self.cut(database, superuser)
            try await Self.expect(node, first, at: 2)
            #expect(node.store.remembered(first.stream)?.version == 2)
            // What an asynchronous failover can do, and no login may.
            let loss = """
                SET session_replication_role = replica;
                ALTER TABLE es.events DISABLE TRIGGER ALL;
                DELETE FROM es.events WHERE stream_id = '\(first.stream)' AND version = 2;
                ALTER TABLE es.events ENABLE ALWAYS TRIGGER append_only;
                UPDATE other.start SET at = at + interval '1 hour';
                """
            try await Self.run(loss, on: superuser)
            try await Self.cut(database, superuser)
            try await Self.expect(node, first, at: 1)
            var again = try await node.store.loadCurrent(Subject.self, first.stream, by: .soon)
            try await node.append([.disabled(.operator)], to: &again)
            #expect(again.version == 2)
        }
    }

    private static func expect(_ node: StoreHarness, _ subject: Loaded<Subject>, at version: Int32)
        async throws
    {
        let found = try await node.patiently {
            try await node.store.loadCurrent(Subject.self, subject.stream, by: .soon)
        }
        #expect(found.version == version)
    }

    /// Ends the node's connections, and waits until they have ended.
    private static func cut(_ database: TestDatabase, _ superuser: Connection) async throws {
        let mine = "datname = current_database() AND usename = 'token_issuer'"
        try await run("CREATE TEMP TABLE IF NOT EXISTS old (pid int)", on: superuser)
        let end = """
            TRUNCATE old;
            INSERT INTO old SELECT pid FROM pg_stat_activity WHERE \(mine);
            SELECT pg_terminate_backend(pid) FROM old
            """
        try await run(end, on: superuser)
        let left = "SELECT count(*) FROM pg_stat_activity JOIN old USING (pid)"
        while try await superuser.query(.number(left), deadline: .soon) != [0] {
            try await database.loop.sleep(until: .after(.milliseconds(5)))
        }
    }

    private static func run(_ script: String, on connection: Connection) async throws {
        try await connection.run(script: Array(script.utf8), deadline: .soon)
    }
}
