import Migrations
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

@Suite("A standby", .timeLimit(.minutes(3))) struct StandbyTests {
    @Test("is not connected to, although it answers, and is once it was promoted")
    func promoted() async throws {
        let standby = try PrivateStandby()
        let loop = try Loop.running()
        defer { loop.end() }
        try await loop.answer {
            let settings = ConnectionSettings(
                host: standby.socketDirectory,
                database: "postgres",
                user: "postgres",
                applicationName: "tests"
            )
            let failure = await #expect(throws: PostgresError.self) {
                try await Connection.connect(settings, on: loop, deadline: .soon).close()
            }
            guard case .cannotConnect(let reason, _) = failure else {
                Issue.record("\(String(describing: failure))")
                return
            }
            #expect(reason.contains("read-only"))
            let database = Database(settings, loops: [loop])
            database.start()
            defer { database.stop() }
            // As long as some attempts take.
            try await loop.sleep(until: .after(.milliseconds(700)))
            #expect(!database.isConnected)
            try standby.promote()
            let limit = MonotonicInstant.soon
            while !database.isConnected {
                try #require(MonotonicInstant.now() < limit)
                try await loop.sleep(until: .after(.milliseconds(10)))
            }
            // By this a projector knows that others may have been shown more (decision 0249).
            var patient = settings
            patient.silenceMax = .seconds(60)
            try await Migrator(Migrations.steps, on: patient, loop: loop).apply()
            let connection = try await Connection.connect(patient, on: loop, deadline: .soon)
            defer { connection.close() }
            #expect(try await connection.count("SELECT chancery.timeline()::bigint") == 2)
        }
    }
}
