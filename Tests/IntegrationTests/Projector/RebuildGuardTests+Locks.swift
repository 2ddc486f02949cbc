import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

/// A switch locks the model in service against everybody: it waits briefly, and lets others pass.
extension RebuildGuardTests {
    @Test("a dump that reads the model in service is named, and nobody is kept waiting behind it")
    func blocked() async throws {
        try await Self.with { database, owner in
            var patience = LockPatience()
            patience.attemptsMax = 2
            patience.rest = .milliseconds(10)
            let rebuild = try await Self.heldUp(patience, in: database, by: owner)
            defer { rebuild.close() }
            let error = await #expect(throws: PostgresError.self) {
                try await rebuild.finish(on: "c", offsets: [0: 1])
            }
            #expect(error?.state == .lockNotAvailable)
            #expect(rebuild.lockHolders.map(\.process) == [owner.serverProcess])
            // It is gone from the queue, and has changed nothing.
            let feed = try await database.connect()
            defer { feed.close() }
            let read = "SET lock_timeout = '1s'; SELECT FROM revocation.outbox"
            try await Self.run(read, on: feed)
            let served = "SELECT generation::bigint FROM revocation.progress"
            #expect(try await feed.query(.number(served), deadline: .soon) == [1])
            try await Self.run("ROLLBACK", on: owner)
            #expect(try await rebuild.finish(on: "c", offsets: [0: 1]) != nil)
        }
    }

    @Test("a switch that gets its locks at a later attempt goes on by itself") func unblocked()
        async throws
    {
        try await Self.with { database, owner in
            var patience = LockPatience()
            patience.lockMilliseconds = 100
            patience.attemptsMax = 600
            patience.rest = .milliseconds(10)
            let rebuild = try await Self.heldUp(patience, in: database, by: owner)
            defer { rebuild.close() }
            async let switched = rebuild.finish(on: "c", offsets: [0: 1])
            try await database.untilOneWaits()
            // Longer than one attempt waits.
            try await database.loop.sleep(until: .after(.milliseconds(300)))
            try await Self.run("ROLLBACK", on: owner)
            #expect(try await switched != nil)
        }
    }

    /// A rebuild that is ready for its switch, while `owner` reads the model in service.
    private static func heldUp(
        _ patience: LockPatience,
        in database: TestDatabase,
        by owner: Connection
    ) async throws -> PostgresRebuild {
        try await LogFiller(database: database).addProject()
        try await run(recorded, on: owner)
        let rebuild = rebuild(of: database, patience)
        _ = try await rebuild.begin(restart: false)
        while try await rebuild.step() {}
        try await run("BEGIN; SELECT FROM revocation.outbox", on: owner)
        return rebuild
    }
}
