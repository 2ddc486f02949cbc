import Domain
import Migrations
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

/// When a rebuild may begin, and when it may take the place of the model in service.
@Suite("Guards of a rebuild", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct RebuildGuardTests {
    @Test("not behind a model in service that has stopped keys") func behind() async throws {
        try await Self.with { database, owner in
            let filler = LogFiller(database: database)
            try await filler.addProject()
            try await Self.run(Self.recorded, on: owner)
            let rebuild = Self.rebuild(of: database)
            defer { rebuild.close() }
            _ = try await rebuild.begin(restart: false)
            while try await rebuild.step() {}
            let stopped = """
                UPDATE revocation.progress SET frontier = 1;
                INSERT INTO revocation.blocked (projection, key, partition, record_offset,
                                                log_index, reason)
                VALUES ('revocation', 'k', 0, 0, 1, 'test')
                """
            try await Self.run(stopped, on: owner)
            #expect(try await rebuild.finish(on: "c", offsets: [0: 2]) == nil)
            // Event 1, which the one in service has stopped, is recorded: now it is not behind.
            let stream = LogFiller.newStream()
            try await filler.append(LogFiller.session(stream, versions: 1...1, ends: false))
            try await Self.run(Self.recorded, on: owner)
            while try await rebuild.step() {}
            #expect(try await rebuild.finish(on: "c", offsets: [0: 2]) != nil)
        }
    }

    @Test("not before it has what readers of the feed are to find late") func late() async throws {
        try await Self.with { database, owner in
            let filler = LogFiller(database: database)
            try await filler.addProject()
            try await Self.run(Self.recorded, on: owner)
            let rebuild = Self.rebuild(of: database)
            defer { rebuild.close() }
            _ = try await rebuild.begin(restart: false)
            while try await rebuild.step() {}
            // A key that was stopped until now goes on, behind what the new model has.
            let released = """
                UPDATE revocation.progress SET frontier = 1, late_number = 7;
                INSERT INTO revocation.revocations (key, project, sid, revoked_at, expires_at,
                                                    reason, log_id, log_index, late_number)
                SELECT 'k', 1, gen_random_uuid(), now(), now() + interval '1 hour', 'logout',
                       log_id, 1, 7 FROM es.log
                """
            try await Self.run(released, on: owner)
            #expect(try await rebuild.finish(on: "c", offsets: [0: 2]) == nil)
            let stream = LogFiller.newStream()
            try await filler.append(LogFiller.session(stream, versions: 1...1, ends: false))
            try await Self.run(Self.recorded, on: owner)
            while try await rebuild.step() {}
            // The log has no such revocation.
            let difference = try await rebuild.finish(
                on: "c",
                offsets: [0: 2],
                losesRevocations: true
            )
            #expect(difference != nil)
        }
    }

    @Test("one at a time, and none of tables that a migration has changed since")
    func begins() async throws {
        try await Self.with { database, owner in
            let first = Self.rebuild(of: database)
            let made = try await first.begin(restart: false)
            let second = Self.rebuild(of: database)
            let refused = await #expect(throws: PostgresError.self) {
                try await second.begin(restart: false)
            }
            #expect(refused?.state == PostgresRebuild.isOther)
            first.close()
            let begun = try await Self.begin(second)
            #expect(begun.generation == made.generation)
            try await Self.run("UPDATE chancery.rebuilds SET schema_version = 9", on: owner)
            second.close()
            let third = Self.rebuild(of: database)
            defer { third.close() }
            #expect(try await Self.begin(third).frontier == -1)
            let schemas = "SELECT count(*) FROM chancery.rebuilds WHERE schema_version > 9"
            #expect(try await owner.query(.number(schemas), deadline: .soon) == [1])
        }
    }

    @Test("not once a migration has changed the tables it copied") func migrated() async throws {
        try await Self.with { database, owner in
            let rebuild = Self.rebuild(of: database)
            defer { rebuild.close() }
            _ = try await rebuild.begin(restart: false)
            let next = "ALTER TABLE revocation.revocations ADD COLUMN more integer;"
            let step = try #require(
                Migration(version: 9_999, name: "more", sql: Array(next.utf8))
            )
            let migrator = database.migrator(Migrations.steps + [step])
            await #expect(throws: MigrationError.rebuilding) { try await migrator.apply() }
            try await database.migrator(Migrations.steps).apply()
            // By another way all the same.
            let record = """
                \(next)
                INSERT INTO chancery.migrations (version, name, checksum)
                VALUES (9999, 'more', '\(step.checksum)')
                """
            try await Self.run(record, on: owner)
            let error = await #expect(throws: PostgresError.self) {
                try await rebuild.finish(on: "c", offsets: [0: 1])
            }
            #expect(error?.state == SQLState("ES008"))
        }
    }

    @Test("nor while it lacks revocations of living tokens, unless that is wanted") func loses()
        async throws
    {
        try await Self.with { database, owner in
            try await LogFiller(database: database).addProject()
            try await Self.run(Self.recorded, on: owner)
            let rebuild = Self.rebuild(of: database)
            defer { rebuild.close() }
            _ = try await rebuild.begin(restart: false)
            while try await rebuild.step() {}
            let only = """
                INSERT INTO revocation.revocations (key, project, sid, revoked_at, expires_at,
                                                    reason, log_id, log_index)
                SELECT 'k', 1, gen_random_uuid(), now(), now() + interval '1 hour', 'logout',
                       log_id, 0 FROM es.log
                """
            try await Self.run(only, on: owner)
            let error = await #expect(throws: PostgresError.self) {
                try await rebuild.finish(on: "c", offsets: [0: 1])
            }
            #expect(error?.state == PostgresRebuild.loses)
            let served = "SELECT generation::bigint FROM revocation.progress"
            #expect(try await owner.query(.number(served), deadline: .soon) == [1])
            let difference = try await rebuild.finish(
                on: "c",
                offsets: [0: 1],
                losesRevocations: true
            )
            #expect(difference?.gone == 1)
        }
    }

    @Test("what has expired is told by the database's clock, and ours must agree") func clock()
        async throws
    {
        try await Self.with { database, owner in
            let filler = LogFiller(database: database)
            try await filler.addProject()
            let ended = LogFiller.session(LogFiller.newStream(), versions: 1...3, ends: true)
            try await filler.append(ended)
            try await Self.run(Self.recorded, on: owner)
            let rebuild = PostgresRebuild(
                database.settings(),
                topic: "chancery.events",
                on: database.loop,
                ourTime: { LogFiller.now.adding(seconds: 400 * 86_400) }
            )
            defer { rebuild.close() }
            #expect(try await rebuild.begin(restart: false).skewMilliseconds < -86_400_000)
            while try await rebuild.step() {}
            #expect(try await rebuild.look().skewMilliseconds < -86_400_000)
            let made = "SELECT count(*) FROM revocation_g2.revocations"
            #expect(try await owner.query(.number(made), deadline: .soon) == [1])
        }
    }

    @Test("what could not be written is told by the next step, and comes again") func unwritten()
        async throws
    {
        try await Self.with { database, owner in
            let filler = LogFiller(database: database)
            try await filler.addProject()
            try await Self.run(Self.recorded, on: owner)
            let first = Self.rebuild(of: database)
            let generation = try await first.begin(restart: false).generation
            let progress = "revocation_g\(generation).progress"
            let broken = "ALTER TABLE \(progress) ADD CONSTRAINT broken CHECK (frontier < 0)"
            try await Self.run(broken, on: owner)
            // Written while the next one is made, which then finds out.
            #expect(try await first.step())
            await #expect(throws: PostgresError.self) { try await first.step() }
            await #expect(throws: PostgresError.self) { try await first.look() }
            await #expect(throws: PostgresError.self) {
                try await first.finish(on: "c", offsets: [0: 1])
            }
            first.close()
            try await Self.run("ALTER TABLE \(progress) DROP CONSTRAINT broken", on: owner)
            let second = Self.rebuild(of: database)
            defer { second.close() }
            #expect(try await Self.begin(second).frontier == -1)
            while try await second.step() {}
            #expect(try await second.look().frontier == 0)
            #expect(try await second.finish(on: "c", offsets: [0: 1]) != nil)
        }
    }

    /// The numbers a relay would have given.
    static let recorded = """
        INSERT INTO es.ledger
        SELECT row_number() OVER (ORDER BY log_epoch, xid, position) - 1,
               log_epoch, xid, position, stream_id, version, hash FROM es.events
            ON CONFLICT DO NOTHING
        """

    static func with(
        _ body: @escaping @Sendable (TestDatabase, Connection) async throws -> Void
    ) async throws {
        try await TestDatabase.with { database in
            let owner = try await database.connect()
            defer { owner.close() }
            let script = """
                GRANT CREATE ON DATABASE \(database.name) TO chancery_owner;
                INSERT INTO revocation.progress (projection, log_id, frontier)
                SELECT 'revocation', log_id, -1 FROM es.log
                """
            try await run(script, on: owner)
            try await body(database, owner)
        }
    }

    /// The server may need a moment to see that the other one's session has ended.
    private static func begin(
        _ rebuild: PostgresRebuild
    ) async throws -> PostgresRebuild.Progress {
        let limit = MonotonicInstant.soon
        while true {
            do { return try await rebuild.begin(restart: false) } catch {
                guard MonotonicInstant.now() < limit else { throw error }
            }
        }
    }

    static func rebuild(
        of database: TestDatabase,
        _ patience: LockPatience = LockPatience()
    ) -> PostgresRebuild {
        PostgresRebuild(
            database.settings(),
            topic: "chancery.events",
            on: database.loop,
            patience: patience
        )
    }

    static func run(_ script: String, on connection: Connection) async throws {
        try await connection.run(script: Array(script.utf8), deadline: .soon)
    }
}
