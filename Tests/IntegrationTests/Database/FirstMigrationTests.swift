import Migrations
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

@Suite("The first migration of a server", .timeLimit(.minutes(3))) struct FirstMigrationTests {
    private let server: PrivateStandby
    private let loop: Loop

    init() throws {
        server = try PrivateStandby()
        try server.promote()
        loop = try Loop(name: "first")
    }

    /// Runs `body` on the loop, with a superuser's connection.
    private func with(
        _ body: @escaping @Sendable (Connection) async throws -> Void
    ) async throws {
        loop.start()
        defer { loop.end() }
        let (loop, settings) = (loop, settings("postgres", as: "postgres"))
        try await loop.answer {
            let owner = try await Connection.connect(settings, on: loop, deadline: .soon)
            defer { owner.close() }
            try await body(owner)
        }
    }

    private func settings(_ database: String, as user: String) -> ConnectionSettings {
        ConnectionSettings(
            host: server.socketDirectory,
            database: database,
            user: user,
            applicationName: "tests"
        )
    }

    private func migrator(of database: String, as user: String) -> Migrator {
        Migrator(Migrations.steps, on: settings(database, as: user), loop: loop)
    }

    private static func run(_ text: String, on connection: Connection) async throws {
        try await connection.run(script: Array(text.utf8), deadline: .soon)
    }

    /// It acts as the owner of the log no more.
    private func expectNoOwner(_ user: String, in database: String) async throws {
        let settings = settings(database, as: user)
        for text in ["SET ROLE chancery_owner", "DELETE FROM es.events"] {
            let login = try await Connection.connect(settings, on: loop, deadline: .soon)
            defer { login.close() }
            await #expect(throws: PostgresError.self) { try await Self.run(text, on: login) }
        }
    }

    @Test("needs no superuser: a role that may create roles and owns the database will do")
    func byCreator() async throws {
        try await with { owner in
            try await Self.run("CREATE ROLE ops LOGIN CREATEROLE", on: owner)
            // Of the second one it finds the owner there.
            for name in ["first", "second"] {
                try await Self.run("CREATE DATABASE \(name) OWNER ops", on: owner)
                try await migrator(of: name, as: "ops").apply()
                try await expectNoOwner("ops", in: name)
                // What `--topics` asks, by the same command.
                let isTold = try await migrator(of: name, as: "ops").isTold(topic: "t", on: "c")
                #expect(!isTold)
                try await expectNoOwner("ops", in: name)
                // The login that later steps are taken by.
                let later = migrator(of: name, as: "migrator")
                try await later.apply()
                try await later.check()
            }
        }
    }

    @Test("two at once by one such role take turns, and leave it no member of the owner")
    func together() async throws {
        try await with { owner in
            try await Self.run("CREATE ROLE ops LOGIN CREATEROLE", on: owner)
            try await Self.run("CREATE DATABASE first OWNER ops", on: owner)
            let taken = Guarded<[Int32]>([])
            let migrator = migrator(of: "first", as: "ops")
            @Sendable func apply() async throws {
                try await migrator.apply { step in taken.withLock { $0.append(step.version) } }
            }
            async let one: Void = apply()
            async let other: Void = apply()
            _ = try await (one, other)
            #expect(taken.current == Migrations.steps.map(\.version))
            try await expectNoOwner("ops", in: "first")
            // Again, it finds nothing to do.
            #expect(try await migrator.pending().isEmpty)
            try await apply()
            #expect(taken.current.count == Migrations.steps.count)
            try await expectNoOwner("ops", in: "first")
            // Who may neither read nor join changes nothing by asking.
            try await Self.run("CREATE ROLE guest LOGIN", on: owner)
            let guest = self.migrator(of: "first", as: "guest")
            await #expect(throws: MigrationError.self) { _ = try await guest.pending() }
            await #expect(throws: MigrationError.self) { try await guest.apply() }
        }
    }

    @Test("that broke off leaves nobody as the owner's member, and goes on by the same role")
    func brokenOff() async throws {
        try await with { owner in
            try await Self.run("CREATE ROLE ops LOGIN CREATEROLE", on: owner)
            try await Self.run("CREATE DATABASE first OWNER ops", on: owner)
            let settings = settings("first", as: "ops")
            var steps = Array(Migrations.steps.prefix(3))
            steps[2] = try #require(
                Migration(version: 3, name: steps[2].name, sql: Array("SELECT 1/0".utf8))
            )
            let broken = Migrator(steps, on: settings, loop: loop)
            await #expect(throws: MigrationError.self) { try await broken.apply() }
            try await expectNoOwner("ops", in: "first")
            // A run of a former version left it so.
            try await Self.run("SET ROLE ops; GRANT chancery_owner TO ops", on: owner)
            try await migrator(of: "first", as: "ops").apply()
            try await expectNoOwner("ops", in: "first")
        }
    }

    @Test("takes away no membership that somebody else gave") func prepared() async throws {
        try await with { owner in
            for text in [
                "CREATE ROLE chancery_owner NOLOGIN", "CREATE ROLE migrator LOGIN CREATEROLE",
                "CREATE ROLE dba LOGIN CREATEROLE", "GRANT chancery_owner TO dba",
            ] { try await Self.run(text, on: owner) }
            // `migrator` makes itself a member, and stays it: the next release needs it.
            for (name, user) in [("first", "migrator"), ("second", "dba")] {
                try await Self.run("CREATE DATABASE \(name) OWNER \(user)", on: owner)
                for _ in 1...2 { try await migrator(of: name, as: user).apply() }
                let settings = settings(name, as: user)
                let login = try await Connection.connect(settings, on: loop, deadline: .soon)
                defer { login.close() }
                try await Self.run("SET ROLE chancery_owner", on: login)
            }
        }
    }
}
