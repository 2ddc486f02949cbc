import Foundation
import Migrations
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

/// How tables are kept, before and after a rebuild of the read model.
@Suite("Tables", .timeLimit(.minutes(3)), .keepsClusterOnFailure) struct TableTests {
    /// Tables with their storage parameters, and indexes with what they are, of a schema.
    private static func shape(of schema: String) -> String {
        """
        SELECT concat_ws(' ', c.relname, c.reloptions::text,
                         split_part(pg_get_indexdef(i.indexrelid), ' USING ', 2))
          FROM pg_class AS c LEFT JOIN pg_index AS i ON i.indexrelid = c.oid
         WHERE c.relnamespace = '\(schema)'::regnamespace AND c.relkind IN ('r', 'i')
         ORDER BY 1
        """
    }

    @Test("what was destroyed or erased is vacuumed away within minutes, however large the table")
    func vacuumed() async throws {
        try await Self.with { owner in
            let soon = """
                SELECT relname::text FROM pg_class
                 WHERE relnamespace = 'es'::regnamespace
                   AND reloptions @> '{autovacuum_vacuum_scale_factor=0,
                                       autovacuum_vacuum_threshold=0}'
                 ORDER BY 1
                """
            let found = try await owner.query(.texts(soon), deadline: .soon)
            #expect(found == ["contexts", "sealing_keys"])
        }
    }

    @Test("no index is ordered by a collation of the operating system") func collations()
        async throws
    {
        try await Self.with { owner in
            let foreign = """
                SELECT i.indexrelid::regclass::text
                  FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indrelid
                  JOIN pg_namespace AS n ON n.oid = c.relnamespace
                 WHERE n.nspname IN ('chancery', 'es', 'limits', 'revocation')
                   AND EXISTS (SELECT FROM unnest(i.indcollation) AS used (id)
                                WHERE used.id NOT IN (0, '"C"'::regcollation::oid))
                """
            let found = try await owner.query(.texts(foreign), deadline: .soon)
            #expect(found == [])
        }
    }

    @Test("a session's row changes in its own page, and in no index") func inPlace() async throws {
        try await Self.with { owner in
            let indexes = """
                SELECT indexname::text FROM pg_indexes
                 WHERE schemaname = 'revocation' AND tablename = 'sessions'
                """
            #expect(try await owner.query(.texts(indexes), deadline: .soon) == ["sessions_pkey"])
            // Each page is as full as its table lets it be; then one row of ten changes.
            let changes = """
                BEGIN;
                INSERT INTO revocation.sessions (sid, kind, version, project, client, status,
                                                 opened_at, seen_at)
                SELECT ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid,
                       'offline_grant', 1, 1, 'app', 'open', now(), now()
                  FROM generate_series(1, 1000) AS n;
                UPDATE revocation.sessions SET version = 2, seen_at = now()
                 WHERE right(sid::text, 1) = '0'
                """
            try await owner.run(script: Array(changes.utf8), deadline: .soon)
            let elsewhere = """
                SELECT pg_stat_get_xact_tuples_updated(c.oid)
                       - pg_stat_get_xact_tuples_hot_updated(c.oid)
                  FROM pg_class AS c WHERE c.oid = 'revocation.sessions'::regclass
                """
            #expect(try await owner.query(.number(elsewhere), deadline: .soon) == [0])
        }
    }

    @Test("a rebuilt model has the tables and indexes of the first one, by the same names")
    func rebuilt() async throws {
        try await Self.with { owner in
            let begin = "SELECT chancery.begin_rebuild(false)"
            try await owner.run(script: Array(begin.utf8), deadline: .soon)
            let live = try await owner.query(.texts(Self.shape(of: "revocation")), deadline: .soon)
            let copy = Self.shape(of: "revocation_g2")
            #expect(try await owner.query(.texts(copy), deadline: .soon) == live)
            #expect(live.contains { $0.hasPrefix("revocations_feed ") })
        }
    }

    @Test("so has one that was rebuilt before step 27") func rebuiltBefore() async throws {
        try await TestDatabase.with(migrated: false) { database in
            try await database.migrator(Array(Migrations.steps.prefix(26))).apply()
            let owner = try await database.connect()
            defer { owner.close() }
            let rebuild = """
                SELECT chancery.begin_rebuild(false);
                ALTER SCHEMA revocation RENAME TO revocation_g1;
                ALTER SCHEMA revocation_g2 RENAME TO revocation;
                UPDATE chancery.rebuilds SET finished_at = now();
                SELECT pg_advisory_unlock_all()
                """
            // As it is done: by the owner of the tables.
            try await owner.run(
                script: Array("SET ROLE chancery_owner; \(rebuild); RESET ROLE".utf8),
                deadline: .soon
            )
            try await database.migrator(Migrations.steps).apply()
            let shape = Self.shape(of: "revocation")
            let found = try await owner.query(.texts(shape), deadline: .soon)
            try await Self.with { fresh in
                let first = try await fresh.query(.texts(shape), deadline: .soon)
                #expect(found == first)
            }
        }
    }

    private static func with(
        _ body: @escaping @Sendable (Connection) async throws -> Void
    ) async throws {
        try await TestDatabase.with { database in
            let owner = try await database.connect()
            defer { owner.close() }
            try await body(owner)
        }
    }
}
