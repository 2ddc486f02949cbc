import Migrations
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

@Suite("The first migration of a server", .timeLimit(.minutes(3))) struct FirstMigrationTests {
    @Test("needs no superuser: a role that may create roles and owns the database will do")
    func byCreator() async throws {
        let server = try PrivateStandby()
        try server.promote()
        let loop = try Loop(name: "first")
        loop.start()
        defer {
            loop.stop()
            loop.join()
        }
        try await loop.answer {
            var settings = ConnectionSettings(
                host: server.socketDirectory,
                database: "postgres",
                user: "postgres",
                applicationName: "tests"
            )
            let owner = try await Connection.connect(settings, on: loop, deadline: .soon)
            defer { owner.close() }
            for text in [
                "CREATE ROLE ops LOGIN CREATEROLE", "CREATE DATABASE first OWNER ops",
            ] { try await owner.run(script: Array(text.utf8), deadline: .soon) }
            settings.database = "first"
            settings.user = "ops"
            let migrator = Migrator(Migrations.steps, on: settings, loop: loop)
            try await migrator.apply()
            // It acts as the owner of the log no more.
            let login = try await Connection.connect(settings, on: loop, deadline: .soon)
            defer { login.close() }
            await #expect(throws: PostgresError.self) {
                let text = "SET ROLE chancery_owner"
                try await login.run(script: Array(text.utf8), deadline: .soon)
            }
            await #expect(throws: PostgresError.self) {
                let text = "DELETE FROM es.events"
                try await login.run(script: Array(text.utf8), deadline: .soon)
            }
            // The login that later steps are taken by.
            settings.user = "migrator"
            let later = Migrator(Migrations.steps, on: settings, loop: loop)
            try await later.apply()
            try await later.check()
        }
    }
}
