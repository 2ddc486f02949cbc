import Foundation
import TestSupport
import Testing

/// That one app leaves a shared session, as a service hears it (wire contract, 9.7 and 12.1).
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
        let token = try #require(WireAnswer(decoding: session.member("access_token") ?? ""))
        let claims = try #require(token.object("claims"))
        let sid = try #require(claims["sid"] as? String)
        let item = try await Self.item(of: sid, after: begin, reader)
        #expect(item["key"] as? String == "\(sid)/c:invest")
        #expect(item["client"] as? String == "invest")
        #expect(item["reason"] as? String == "token_revocation")
        // The first app refreshes as before.
        let refresh = GrantForm.refresh(session.member("refresh_token"))
        #expect(try await site.token(refresh).status == 200)
    }

    /// The first item about a session; others' come in between.
    private static func item(of sid: String, after begin: String, _ reader: FeedReader)
        async throws -> [String: Any]
    {
        var cursor = begin
        let limit = ContinuousClock.now + .seconds(60)
        while true {
            try #require(ContinuousClock.now < limit)
            let answer = try await reader.get("after=\(cursor)&wait=5")
            let object = try JSONSerialization.jsonObject(with: answer.body) as? [String: Any]
            let items = object?["items"] as? [[String: Any]] ?? []
            if let item = items.first(where: { $0["sid"] as? String == sid }) { return item }
            cursor = try #require(answer.member("next"))
        }
    }
}
