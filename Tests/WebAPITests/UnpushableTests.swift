import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// Pre-authenticated URLs and app-session tokens cannot be pushed (wire.md 4.4, 4.6 and 9.6).
@Suite("What cannot be pushed") struct UnpushableTests {
    typealias URLs = PreAuthenticatedURLTests
    typealias Tokens = AppSessionTokenTests

    @Test("a client that must push gets no token that nothing redeems") func noToken() async throws
    {
        let web = try await WebSide()
        let refresh = try await Tokens.tokens(web).refresh
        let session = try await URLs.session(web)
        let id = web.side.project.settings.id
        var settings = try #require(web.side.projects.project(id: id)).settings
        for index in settings.clients.indices {
            settings.clients[index].requiresPushedRequests = true
        }
        try await web.side.apply(settings)
        try await web.expectNothingRecorded {
            let asked = try await Tokens.ask(web, refresh)
            #expect(asked.status == 403)
            #expect(asked["error"]?["reason"] == "AccessDenied")
            let exchanged = try await URLs.exchange(web, session)
            #expect(exchanged.status == 400)
            #expect(exchanged.error == "unauthorized_client")
        }
    }
}
