import Migrations
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

@Suite("The migrator", .timeLimit(.minutes(3)), .keepsClusterOnFailure) struct MigratorTests {
    @Test("takes an empty database all the way, and again does nothing")
    func repeats() async throws {
        try await TestDatabase.with(migrated: false) { database in
            let migrator = database.migrator(Migrations.steps)
            #expect(try await migrator.pending() == Migrations.steps)
            await #expect(throws: MigrationError.pending(Migrations.steps)) {
                try await migrator.check()
            }
            var taken: [Migration] = []
            try await migrator.apply { taken.append($0) }
            #expect(taken == Migrations.steps)
            try await migrator.check()
            taken = []
            try await migrator.apply { taken.append($0) }
            #expect(taken == [])
        }
    }

    @Test("says which partitions it made") func partitions() async throws {
        try await TestDatabase.with { database in
            let migrator = database.migrator(Migrations.steps)
            #expect(try await migrator.apply() == [])
            let owner = try await database.connect()
            defer { owner.close() }
            let script = "DROP TABLE es.events_keyed"
            try await owner.run(script: Array(script.utf8), deadline: .soon)
            #expect(try await migrator.missingPartitions() == ["events_keyed"])
            #expect(try await migrator.apply() == ["events_keyed"])
            #expect(try await migrator.apply() == [])
            #expect(try await migrator.missingPartitions() == [])
        }
    }

    @Test("says before which partitions it would make, and makes none then") func dryPartitions()
        async throws
    {
        try await TestDatabase.with { database in
            let migrator = database.migrator(Migrations.steps)
            let owner = try await database.connect()
            defer { owner.close() }
            let script = """
                DO $$ DECLARE part regclass; BEGIN
                  FOR part IN SELECT inhrelid::regclass FROM pg_inherits
                               WHERE inhparent = 'es.events'::regclass LOOP
                    EXECUTE format('DROP TABLE %s', part);
                  END LOOP;
                END $$
                """
            try await owner.run(script: Array(script.utf8), deadline: .soon)
            let missing = try await migrator.missingPartitions()
            // Three without end, five months, seven weeks.
            #expect(missing.count == 15)
            #expect(try await migrator.missingPartitions() == missing)
            #expect(try await Set(migrator.apply()) == Set(missing))
            #expect(try await migrator.missingPartitions() == [])
        }
    }

    @Test("asks the server to see that somebody waits for a step: nothing goes on without")
    func waitedFor() async throws {
        try await TestDatabase.with { database in
            let check = """
                DO $$ BEGIN
                  ASSERT current_setting('client_connection_check_interval') = '1s';
                END $$
                """
            let step = try #require(
                Migration(version: 9_999, name: "waited_for", sql: Array(check.utf8))
            )
            try await database.migrator(Migrations.steps + [step]).apply()
        }
    }

    @Test("two at once take turns") func together() async throws {
        try await TestDatabase.with(migrated: false) { database in
            let migrator = database.migrator(Migrations.steps)
            async let first = migrator.apply()
            async let second = migrator.apply()
            _ = try await (first, second)
            try await migrator.check()
        }
    }

    @Test("the login `migrator` may migrate further, as the owner") func asMigrator() async throws {
        try await TestDatabase.with { database in
            let next = try #require(
                Migration(version: 9_999, name: "more", sql: Array("CREATE TABLE es.more ();".utf8))
            )
            let migrator = database.migrator(Migrations.steps + [next], as: "migrator")
            try await migrator.apply()
            let connection = try await database.connect()
            let owner = try await connection.query(
                .texts("SELECT tableowner::text FROM pg_tables WHERE tablename = 'more'"),
                deadline: .soon
            )
            #expect(owner == ["chancery_owner"])
        }
    }

    @Test("a failing step leaves nothing, and is named with its line")
    func failure() async throws {
        try await TestDatabase.with { database in
            let sql = "CREATE TABLE es.more ();\n-- zwölf\nCREATE TABEL es.even_more ();\n"
            let broken = try #require(Migration(version: 9_999, name: "bad", sql: Array(sql.utf8)))
            let migrator = database.migrator(Migrations.steps + [broken])
            let error = await #expect(throws: MigrationError.self) { try await migrator.apply() }
            guard case .failed(broken, let refusal, line: 3) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(refusal.state == SQLState("42601"))
            #expect(try await migrator.pending() == [broken])
        }
    }

    /// A step that has to have a table for itself.
    private static let locking = Migration(
        version: 9_999,
        name: "locking",
        sql: Array("ALTER TABLE es.snapshots ADD COLUMN more integer;".utf8)
    )

    /// A session that reads the table in a transaction that stays open.
    private static func holder(in database: TestDatabase) async throws -> Connection {
        let holder = try await database.connect()
        let read = "BEGIN; SELECT FROM es.snapshots"
        try await holder.run(script: Array(read.utf8), deadline: .soon)
        return holder
    }

    @Test("a step that gets no lock names who holds it, and keeps nobody waiting behind it")
    func blocked() async throws {
        try await TestDatabase.with { database in
            let step = try #require(Self.locking)
            let holder = try await Self.holder(in: database)
            defer { holder.close() }
            var patience = LockPatience()
            patience.lockMilliseconds = 3000
            patience.attemptsMax = 3
            patience.rest = .milliseconds(10)
            let migrator = database.migrator(
                Migrations.steps + [step],
                as: "migrator",
                patience: patience
            )
            let error = await #expect(throws: MigrationError.self) { try await migrator.apply() }
            guard case .blocked("9999_locking.sql", let holders) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(holders.map(\.process) == [holder.serverProcess])
            let sentence = try #require(error?.description)
            #expect(sentence.contains("process \(holder.serverProcess) (tests, role "))
            // It is gone from the queue, and has changed nothing.
            let other = try await database.connect()
            defer { other.close() }
            let read = "SET lock_timeout = '1s'; SELECT FROM es.snapshots"
            try await other.run(script: Array(read.utf8), deadline: .soon)
            #expect(try await migrator.pending() == [step])
        }
    }

    @Test("a step that gets its lock at a later attempt goes on by itself")
    func unblocked() async throws {
        try await TestDatabase.with { database in
            let step = try #require(Self.locking)
            let holder = try await Self.holder(in: database)
            defer { holder.close() }
            var patience = LockPatience()
            patience.lockMilliseconds = 100
            patience.attemptsMax = 600
            patience.rest = .milliseconds(10)
            let migrator = database.migrator(Migrations.steps + [step], patience: patience)
            async let applied = migrator.apply()
            try await database.untilOneWaits()
            // Longer than one attempt waits.
            try await database.loop.sleep(until: .after(.milliseconds(300)))
            try await holder.run(script: Array("ROLLBACK".utf8), deadline: .soon)
            _ = try await applied
            #expect(try await migrator.pending() == [])
        }
    }

    @Test("an edited step is refused, and so is a database from the future")
    func disagreement() async throws {
        try await TestDatabase.with { database in
            var steps = Migrations.steps
            let third = steps[2]
            let edited = try #require(
                Migration(version: 3, name: third.name, sql: third.sql + [UInt8(ascii: "\n")])
            )
            steps[2] = edited
            await #expect(throws: MigrationError.changed(edited)) {
                try await database.migrator(steps).check()
            }
            let older = Array(Migrations.steps.dropLast())
            let last = try #require(Migrations.steps.last)
            await #expect(
                throws: MigrationError.unknown(version: last.version, name: last.name)
            ) {
                try await database.migrator(older).check()
            }
        }
    }

    @Test(
        "each login of a process may ask whether the schema fits",
        arguments: ["token_issuer", "event_relay", "projector"]
    )
    func checkAsLogin(_ login: String) async throws {
        try await TestDatabase.with { database in
            try await database.migrator(Migrations.steps, as: login).check()
        }
    }
}

extension TestDatabase {
    func migrator(
        _ steps: [Migration],
        as user: String? = nil,
        patience: LockPatience = LockPatience()
    ) -> Migrator {
        Migrator(steps, on: settings(as: user), loop: loop, patience: patience)
    }
}
