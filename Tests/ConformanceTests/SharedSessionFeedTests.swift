import Foundation
import TestSupport
import Testing

/// That one app leaves a shared session, as a service hears it (WireContract 9.7 and 12.1).
@Suite("A shared session in the feed", .timeLimit(.minutes(3))) struct SharedSessionFeedTests {
    @Test("a client that leaves has a record of its own; the session has none") func clientLeft()
        async throws
    {
        let stack = try RunningStack.running()
        let reader = try await FeedReader(stack)
        let site = Site(stack)
        var person = Person(at: site)
        let session = try await person.session(scope: Person.everything)
        let joined = try await site.token(
            GrantForm.exchange(
                session.member("id_token"),
                session.member("device_secret"),
                for: "invest",
                at: site
            )
        )
        #expect(joined.status == 200)
        let begin = try await reader.end()
        #expect(try await site.send(.revoke(joined.member("refresh_token"))).status == 200)
        let sid = try #require(session.claim("sid", of: "access_token"))
        // Of what comes until the end of another session, which is told later.
        var other = Person(at: site)
        let later = try await other.session()
        #expect(try await site.send(.revoke(later.member("refresh_token"))).status == 200)
        let last = try #require(later.claim("sid", of: "access_token"))
        let items = try await Self.items(until: last, after: begin, reader)
        let own = items.filter { $0["sid"] as? String == sid }
        #expect(own.map { $0["key"] as? String } == ["\(sid)/c:invest"])
        #expect(own.first?["client"] as? String == "invest")
        #expect(own.first?["reason"] as? String == "token_revocation")
        // The first app refreshes as before.
        let refresh = GrantForm.refresh(session.member("refresh_token"))
        #expect(try await site.token(refresh).status == 200)
    }

    /// All items up to the first one about a session.
    private static func items(until sid: String, after begin: String, _ reader: FeedReader)
        async throws -> [[String: Any]]
    {
        var cursor = begin
        var found: [[String: Any]] = []
        let limit = ContinuousClock.now + .seconds(60)
        while true {
            try #require(ContinuousClock.now < limit)
            let answer = try await reader.get("after=\(cursor)&wait=5")
            let object = try JSONSerialization.jsonObject(with: answer.body) as? [String: Any]
            let items = object?["items"] as? [[String: Any]] ?? []
            found += items
            if items.contains(where: { $0["sid"] as? String == sid }) { return found }
            cursor = try #require(answer.member("next"))
        }
    }
}
