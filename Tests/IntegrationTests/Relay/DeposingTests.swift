import Postgres
import Publishing
import Runtime
import TestSupport
import Testing

@testable import Persistence

/// Who may be ended by a relay that stands by.
@Suite("Deposing a relay", .timeLimit(.minutes(3)), .keepsClusterOnFailure) struct DeposingTests {
    @Test("not one that just took the lead, whatever the heartbeat of the one before says")
    func justTaken() async throws {
        try await TestDatabase.with { database in
            let (first, second) = (database.relayLog(), database.relayLog())
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

    @Test(
        "one that has not moved since the server's clock was set back, but for less than a minute",
        arguments: [("1 hour", true), ("30 seconds", false)]
    )
    func clockBack(_ step: String, isEnded: Bool) async throws {
        try await TestDatabase.with { database in
            let (relay, model) = (database.relayLog(), ReadModelTests.model(of: database))
            _ = try #require(try await relay.lead())
            #expect(try await model.lead())
            let owner = try await database.connect()
            defer { owner.close() }
            let texts = [
                (PackageResources.relay_depose_sql, LeadLock.relay),
                (PackageResources.end_silent_lead_sql, LeadLock.projector),
            ]
            for (text, lead) in texts {
                // As the server would find it by that clock.
                let sql = String(decoding: text, as: UTF8.self)
                    .replacing("clock_timestamp()", with: "(now() - interval '\(step)')")
                let statement = Statement<Bool>(
                    once: sql,
                    [.int8(Int64(LeadLock.space)), .int8(Int64(lead.rawValue)), .float8(10)]
                ) { row throws(PostgresError) in try row.bool(0) }
                let ended = try await owner.execute(statement, deadline: .soon)
                #expect(ended == (isEnded ? [true] : []))
            }
            await relay.resign()
            await model.resign()
        }
    }

    @Test("not needed where a statement takes too long: its session ends, and the lead with it")
    func slowStatement() async throws {
        let patience = ConnectionSettings(host: "", database: "", user: "", applicationName: "")
        #expect(PostgresRelayLog.serverMax < PostgresRelayLog.statementMax)
        #expect(PostgresRelayLog.statementMax < patience.silenceMax)
        try await TestDatabase.with { database in
            let relay = database.relayLog()
            let term = try #require(try await relay.lead())
            let owner = try await database.connect()
            defer { owner.close() }
            let slow = """
                CREATE FUNCTION es.slow() RETURNS trigger LANGUAGE plpgsql
                  AS 'BEGIN PERFORM pg_sleep(30); RETURN NEW; END';
                CREATE TRIGGER slow BEFORE UPDATE ON es.relay_cursor
                  FOR EACH ROW EXECUTE FUNCTION es.slow();
                """
            try await owner.run(script: Array(slow.utf8), deadline: .soon)
            await #expect(throws: EventLogError.unavailable) {
                try await relay.showLife(of: term.relayEpoch)
            }
            let held = """
                SELECT count(*) FROM pg_locks AS l JOIN pg_database AS d ON d.oid = l.database
                 WHERE l.locktype = 'advisory' AND d.datname = current_database()
                """
            let limit = MonotonicInstant.after(.seconds(5))
            while try await owner.query(.number(held), deadline: .soon) != [0] {
                try #require(MonotonicInstant.now() < limit, "the lead is still held")
                try await database.loop.sleep(until: .after(.milliseconds(20)))
            }
        }
    }
}
