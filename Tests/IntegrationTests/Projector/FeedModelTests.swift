import Domain
import Persistence
import Postgres
import Publishing
import TestSupport
import Testing

/// Which read model a place in the feed is of.
@Suite("Feed models", .timeLimit(.minutes(3)), .keepsClusterOnFailure) struct FeedModelTests {
    private static func model(_ connection: Connection) async throws -> String {
        try await connection.text("SELECT model::text FROM revocation.progress")
    }

    /// A batch of nothing.
    private static func move(_ store: PostgresProjection) async throws {
        let progress = try await store.position().progress
        let batch = ProjectionBatch(after: progress, versions: [:])
        try await store.apply(batch, onCluster: "cluster")
    }

    @Test("a model that fills itself in the place of a lost one is another one") func lost()
        async throws
    {
        try await RebuildGuardTests.with { _, owner in
            let first = try await Self.model(owner)
            let anew = """
                TRUNCATE revocation.progress;
                INSERT INTO revocation.progress (projection, log_id, frontier)
                SELECT 'revocation', log_id, -1 FROM es.log
                """
            try await RebuildGuardTests.run(anew, on: owner)
            #expect(try await Self.model(owner) != first)
        }
    }

    @Test("so is one that goes on with another log, and not one that goes on") func moved()
        async throws
    {
        try await RebuildGuardTests.with { database, owner in
            let first = try await Self.model(owner)
            let store = ReadModelTests.model(of: database)
            #expect(try await store.lead())
            try await Self.move(store)
            #expect(try await Self.model(owner) == first)
            try await RebuildGuardTests.run(
                "UPDATE es.log SET log_id = gen_random_uuid()",
                on: owner
            )
            try await Self.move(store)
            #expect(try await Self.model(owner) != first)
            await store.resign()
        }
    }

    /// A failover since the last batch, as the row shows it.
    private static let failover = "UPDATE revocation.progress SET timeline = timeline - 1"

    @Test("so is one that goes on after a failover: its last numbers may have been lost")
    func failedOver() async throws {
        try await RebuildGuardTests.with { database, owner in
            let first = try await Self.model(owner)
            let store = ReadModelTests.model(of: database)
            #expect(try await store.lead())
            try await RebuildGuardTests.run(Self.failover, on: owner)
            try await Self.move(store)
            let second = try await Self.model(owner)
            #expect(second != first)
            try await Self.move(store)
            #expect(try await Self.model(owner) == second)
            await store.resign()
        }
    }

    @Test("a rebuild between a failover and the next batch keeps no cursor good")
    func rebuiltBehindFailover() async throws {
        try await RebuildGuardTests.with { database, owner in
            let first = try await Self.model(owner)
            try await LogFiller(database: database).addProject()
            try await RebuildGuardTests.run(RebuildGuardTests.recorded, on: owner)
            try await RebuildGuardTests.run(Self.failover, on: owner)
            let rebuild = RebuildGuardTests.rebuild(of: database)
            defer { rebuild.close() }
            _ = try await rebuild.begin(restart: false)
            while try await rebuild.step() {}
            #expect(try await rebuild.finish(on: "c", offsets: [0: 1]) != nil)
            let store = ReadModelTests.model(of: database)
            #expect(try await store.lead())
            try await Self.move(store)
            #expect(try await Self.model(owner) != first)
            await store.resign()
        }
    }

    @Test("a client that leaves again is told by the number of the log that says so")
    func leftInAnotherLog() async throws {
        try await RebuildGuardTests.with { _, owner in
            try await ReadModelTests.prepareLeaving(on: owner)
            try await ReadModelTests.leaves(at: 100, tokensBefore: "2026-01-01", on: owner)
            try await RebuildGuardTests.run(
                "UPDATE es.log SET log_id = gen_random_uuid()",
                on: owner
            )
            // The log was restored to an earlier moment: its numbers come again.
            try await ReadModelTests.leaves(at: 60, tokensBefore: "2026-01-02", on: owner)
            let row = """
                SELECT count(*) FROM revocation.revocations JOIN es.log USING (log_id)
                 WHERE log_index = 60 AND first_log_index IS NULL
                   AND issued_before_at = '2026-01-02'
                """
            #expect(try await owner.count(row) == 1)
            // Behind a number that the new log has, too: until it is reached nothing is complete.
            try await ReadModelTests.leaves(at: 90, tokensBefore: "2026-01-03", on: owner)
            let moved = "SELECT first_log_index FROM revocation.revocations WHERE log_index = 90"
            #expect(try await owner.count(moved) == 60)
        }
    }

    @Test("a rebuild goes on with the numbers of the one in service, where there is one")
    func rebuilt() async throws {
        for isLost in [false, true] {
            try await RebuildGuardTests.with { database, owner in
                let first = try await Self.model(owner)
                let filler = LogFiller(database: database)
                try await filler.addProject()
                try await RebuildGuardTests.run(RebuildGuardTests.recorded, on: owner)
                let rebuild = RebuildGuardTests.rebuild(of: database)
                defer { rebuild.close() }
                _ = try await rebuild.begin(restart: false)
                while try await rebuild.step() {}
                if isLost {
                    try await RebuildGuardTests.run("DELETE FROM revocation.progress", on: owner)
                }
                #expect(try await rebuild.finish(on: "c", offsets: [0: 2]) != nil)
                let model = try await Self.model(owner)
                #expect((model == first) == !isLost)
            }
        }
    }
}
