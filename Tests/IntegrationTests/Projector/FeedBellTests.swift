import Persistence
import Postgres
import Publishing
import Runtime
import TestSupport
import Testing

/// Who waits at the feed, and who finds no room to.
@Suite("The bell of the feed", .timeLimit(.minutes(1))) struct FeedBellTests {
    /// How long one waits where so many are woken, while nothing comes.
    private static func wait(_ time: Duration, beside waitersMax: Int) async throws -> Duration {
        let loop = try Loop.running()
        defer { loop.end() }
        return try await loop.answer {
            // Nobody asks it: where somebody rings, nobody looks.
            let nowhere = ConnectionSettings(host: "", database: "", user: "", applicationName: "")
            let bell = FeedBell(on: loop, waitersMax: waitersMax)
            bell.isRung = true
            let feed = PostgresRevocationFeed(
                Database(nowhere, loops: [loop], isReadOnly: true),
                bell: bell
            )
            let begin = MonotonicInstant.now()
            await feed.news(since: feed.mark, within: time)
            return MonotonicInstant.now().since(begin)
        }
    }

    @Test("who finds no room waits all the same: back at once they would ask without end")
    func full() async throws {
        let brief = Duration.milliseconds(300)
        #expect(try await Self.wait(brief, beside: 1) >= brief)
        #expect(try await Self.wait(brief, beside: 0) >= brief)
        // Nobody wakes them, so they look in between.
        let long = try await Self.wait(.seconds(25), beside: 0)
        #expect(long >= .seconds(1) && long < .seconds(20))
    }
}
