import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

@Suite("Who wakes the relay", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct CommitNotifierTests {
    /// In the way of PostgreSQL's own: counts, then waits for a lock that the test has.
    private static let slow = """
        CREATE SCHEMA slow;
        CREATE SEQUENCE slow.calls;
        CREATE FUNCTION slow.pg_notify(text, text) RETURNS void LANGUAGE plpgsql
          SET lock_timeout = 0 AS $$
        BEGIN
          PERFORM nextval('slow.calls');
          PERFORM pg_advisory_xact_lock_shared(4711);
        END $$;
        GRANT USAGE ON SCHEMA slow TO token_issuer;
        GRANT USAGE ON SEQUENCE slow.calls TO token_issuer;
        ALTER ROLE token_issuer IN DATABASE current SET statement_timeout = 0;
        """

    @Test("calls once at a time: what is committed meanwhile is one more call")
    func oneAtATime() async throws {
        try await TestDatabase.with { database in
            let owner = try await database.connect()
            defer { owner.close() }
            let script = Self.slow.replacing("DATABASE current", with: "DATABASE \(database.name)")
            try await owner.run(script: Array(script.utf8), deadline: .soon)
            let node = try StoreHarness(database, searching: "slow, pg_catalog")
            defer { node.stop() }
            try await node.untilReady()
            let calls = "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM slow.calls"
            // Until nothing is under way.
            try await Self.until(database) {
                let before = try await owner.count(calls)
                try await database.loop.sleep(until: .after(.milliseconds(100)))
                let after = try await owner.count(calls)
                return after > 0 && after == before
            }
            let before = try await owner.count(calls)
            _ = try await owner.count("SELECT 1::int8 FROM pg_advisory_lock(4711)")
            _ = try await node.register()
            try await Self.until(database) { try await owner.count(calls) == before + 1 }
            // Each in an append call of its own, and all within the time of that one.
            for _ in 0..<20 { _ = try await node.register() }
            _ = try await owner.count("SELECT 1::int8 FROM pg_advisory_unlock(4711)")
            try await Self.until(database) { try await owner.count(calls) >= before + 2 }
            try await database.loop.sleep(until: .after(.milliseconds(50)))
            #expect(try await owner.count(calls) == before + 2)
        }
    }

    private static func until(
        _ database: TestDatabase,
        _ isTrue: () async throws -> Bool
    ) async throws {
        let limit = MonotonicInstant.soon
        while try await !isTrue() {
            try #require(MonotonicInstant.now() < limit)
            try await database.loop.sleep(until: .after(.milliseconds(5)))
        }
    }
}
