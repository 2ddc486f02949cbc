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
