import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// A site that an app opened by a URL, once its user has signed out there (WireContract 5.7).
@Suite("A site that was left") struct LeftSiteTests {
    private static func leave(_ web: WebSide, _ session: Answer, _ client: String = "offers")
        async throws
    {
        let id = try CascadeTests.session(of: #require(session["refresh_token"]?.string), web)
        try await web.side.run(OfflineGrant.self, id.stream) {
            .share(.leave(Sample.client(client), .logout))
        }
    }

    @Test("is opened again by its app, and others go on from there") func opens() async throws {
        let web = try await SharingLimitTests.web(apps: 1)
        let session = try await PreAuthenticatedURLTests.session(web)
        let exchanged = try await PreAuthenticatedURLTests.exchange(web, session)
        try await Self.leave(web, session)
        let again = try await PreAuthenticatedURLTests.exchange(web, exchanged)
        #expect(again.status == 200, "\(again.body)")
        #expect(try await PreAuthenticatedURLTests.open(web, again).field("Set-Cookie").count == 2)
        let joined = try await SharingLimitTests.join(web, "app1", by: again, secret: again)
        #expect(joined.status == 200, "\(joined.body)")
    }

    @Test(
        "attack: a session is handed on five times, once through a site that was left",
        arguments: [true, false]
    )
    func depth(othersStay: Bool) async throws {
        let web = try await SharingLimitTests.web(apps: 5)
        let session = try await PreAuthenticatedURLTests.session(web)
        let host = try await SharingLimitTests.chain(web, of: session, to: 4)
        let exchanged = try await PreAuthenticatedURLTests.exchange(web, host)
        #expect(exchanged.status == 200, "\(exchanged.body)")
        try await Self.leave(web, session)
        // By whom it may have come in, from the far end.
        let others = othersStay ? [] : ["app4", "app3", "app2", "app1"]
        for client in others { try await Self.leave(web, session, client) }
        let again = try await PreAuthenticatedURLTests.exchange(web, exchanged)
        #expect(again.status == 200, "\(again.body)")
        let refused = try await web.expectNothingRecorded {
            try await SharingLimitTests.join(web, "app5", by: again, secret: again)
        }
        #expect(refused.word == "400 invalid_grant", "\(refused.body)")
        #expect(refused.refusal?.id == "NS-007")
    }
}
