import Domain
import OAuth
import Runtime
import TestSupport
import Testing

/// Which cursors of the feed are taken (WireContract 12.1, decision 0215).
@Suite("Cursors of the feed") struct FeedCursorTests {
    @Test("altered anywhere is refused") func altered() async throws {
        let web = try await FeedSide()
        web.feed.add(5)
        let cursor = try #require(try await web.get()["next"]?.string)
        for place in cursor.indices {
            var altered = cursor
            altered.replaceSubrange(place...place, with: cursor[place] == "A" ? "B" : "A")
            let answer = try await web.get("after=\(altered)")
            #expect(answer.status == 400, "\(altered)")
        }
        for altered in [String(cursor.dropLast()), cursor + "A", cursor + "=", "+" + cursor] {
            #expect(try await web.get("after=\(altered)").status == 400, "'\(altered)'")
        }
    }

    @Test("one of another log is refused with 409: start again") func otherLog()
        async throws
    {
        let web = try await FeedSide()
        web.feed.add(5)
        let cursor = try #require(try await web.get()["next"]?.string)
        web.feed.contents.withLock { $0.model = Sample.stream(8) }
        let answer = try await web.get("after=\(cursor)&wait=25")
        #expect(answer.status == 409)
        #expect(answer.error == "conflict")
        #expect(try await web.get().status == 200)
    }

    @Test("so is one whose read model is made anew while it waits") func madeAnew() async throws {
        let web = try await FeedSide()
        web.feed.add(5)
        let cursor = try #require(try await web.get()["next"]?.string)
        web.feed.contents.withLock { contents in
            contents.whileWaiting = { feed in
                feed.contents.withLock { $0.model = Sample.stream(8) }
                feed.add(6)
            }
        }
        #expect(try await web.get("after=\(cursor)&wait=25").status == 409)
    }

    @Test("so is one that knows of more late ones than there are: their numbers come again")
    func countedAgain() async throws {
        let web = try await FeedSide()
        web.feed.add(5, lateNumber: 3)
        let cursor = try #require(try await web.get()["next"]?.string)
        #expect(try await web.get("after=\(cursor)").status == 200)
        web.feed.contents.withLock { $0.late = 2 }
        #expect(try await web.get("after=\(cursor)").status == 409)
    }
}
