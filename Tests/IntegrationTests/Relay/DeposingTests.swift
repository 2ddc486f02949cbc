import Persistence
import Postgres
import Publishing
import Runtime
import TestSupport
import Testing

/// Who may be ended by a relay that stands by.
@Suite("Deposing a relay", .timeLimit(.minutes(3)), .keepsClusterOnFailure) struct DeposingTests {
    @Test("not one that just took the lead, whatever the heartbeat of the one before says")
    func justTaken() async throws {
        try await TestDatabase.with { database in
            func session() -> PostgresRelayLog {
                PostgresRelayLog(
                    database.settings(as: "event_relay"),
                    on: database.loop,
                    log: .discarding
                )
            }
            let (first, second) = (session(), session())
            _ = try #require(try await first.lead())
            let owner = try await database.connect()
            defer { owner.close() }
            // As between taking the lock and beginning the term.
            let script = "UPDATE es.relay_cursor SET heartbeat = now() - interval '1 hour'"
            try await owner.run(script: Array(script.utf8), deadline: .soon)
            #expect(try await second.lead() == nil)
            #expect(try await !second.deposeHolder(silentFor: .seconds(600)))
            #expect(first.isConnected)
            // One whose session has been silent as long is ended.
            #expect(try await second.deposeHolder(silentFor: .zero))
            await first.resign()
            await second.resign()
        }
    }
}
