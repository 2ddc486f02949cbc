import Domain
import InMemory
import Issuing
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

@Suite("A node's connections", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct ReadinessTests {
    @Test("are there when its lanes have theirs, too, and not before", arguments: [true, false])
    func lanes(_ haveConnections: Bool) async throws {
        try await TestDatabase.with { test in
            let settings = test.settings(as: "token_issuer")
            var ofLanes = settings
            if !haveConnections { ofLanes.database = "there-is-none" }
            let database = Database(settings, loops: [test.loop])
            let store = PostgresEventStore(
                EventStoreSettings(node: "test", lanes: 1),
                connection: ofLanes,
                database: database,
                loops: [test.loop],
                names: StreamNames(StandInDigester()),
                digester: StandInDigester(),
                metrics: PersistenceMetrics(Metrics()),
                log: .discarding
            )
            database.start()
            store.start()
            defer {
                store.stop()
                database.stop()
            }
            let reader = try database.keeper()
            while !reader.isConnected {
                try await test.loop.sleep(until: .after(.milliseconds(5)))
            }
            let limit = MonotonicInstant.after(haveConnections ? .seconds(60) : .seconds(1))
            while !database.isConnected, MonotonicInstant.now() < limit {
                try await test.loop.sleep(until: .after(.milliseconds(10)))
            }
            #expect(database.isConnected == haveConnections)
            #expect(reader.isConnected)
        }
    }
}
