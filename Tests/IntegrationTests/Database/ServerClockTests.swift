import Domain
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

/// Whether a process sees that its clock is not the database's.
@Suite("The database's clock", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct ServerClockTests {
    @Test(
        "a node whose clock differs by more than two seconds is not ready",
        arguments: [(0, true), (1500, true), (-1500, true), (10_000, false), (-3_600_000, false)]
    )
    func skew(_ milliseconds: Int64, _ isReady: Bool) async throws {
        try await TestDatabase.with { test in
            let database = Database(test.settings(as: "token_issuer"), loops: [test.loop])
            let clock = ServerClock(database, on: test.loop, log: .discarding) {
                Instant(microseconds: WallTime.nowMicroseconds() - milliseconds * 1000)
            }
            // Who does not know the time must not decide by it.
            await clock.look()
            #expect(clock.problem != nil)
            database.start()
            defer { database.stop() }
            let limit = MonotonicInstant.soon
            while clock.skewMilliseconds == nil, MonotonicInstant.now() < limit {
                await clock.look()
                try await test.loop.sleep(until: .after(.milliseconds(20)))
            }
            let skew = try #require(clock.skewMilliseconds)
            #expect((clock.problem == nil) == isReady, "\(skew) ms")
        }
    }
}
