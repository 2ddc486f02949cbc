import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// What a browser that an app let in does not get (Security 4.8; decision 0053).
@Suite("Attacks by an app's browser") struct ContinuationAttackTests {
    private typealias Side = ContinuationTests.Side

    @Test("a browser let in for little asks for more than its URL was made for")
    func scopeGrows() async throws {
        let side = try await Side(scope: "openid")
        let login = try await side.authorize(scope: "openid offline_access")
        #expect(ContinuationTests.goesTo("/login", login))
        let silent = try await side.authorize([("prompt", "none")], scope: "openid offline_access")
        #expect(silent.field("Location").first?.contains("error=login_required") == true)
        // The control: what it was made for it has.
        let start = try await side.authorize(scope: "openid")
        #expect(ContinuationTests.goesTo("/continue", start))
    }

    @Test("an app takes the browser's view for a login of its own", arguments: ["app", "other"])
    func native(_ client: String) async throws {
        let side = try await Side()
        let start = try await side.authorize(client: client, scope: "openid")
        #expect(ContinuationTests.goesTo("/login", start))
        let silent = try await side.authorize([("prompt", "none")], client: client, scope: "openid")
        #expect(silent.field("Location").first?.contains("error=login_required") == true)
        #expect(try await side.isAppAlive())
    }

    @Test("the client that opened the session comes by its browser: it has tokens of its own")
    func opener() async throws {
        let side = try await Side()
        let id = side.web.side.project.settings.id
        var settings = try #require(side.web.side.projects.project(id: id)).settings
        // Not because it is native: as a page it would be let in, too.
        settings.clients[0].applicationType = .spa
        try await side.web.side.apply(settings)
        let start = try await side.authorize(client: "app", scope: "openid")
        #expect(ContinuationTests.goesTo("/login", start))
        let guest = try await side.authorize(scope: "openid")
        #expect(ContinuationTests.goesTo("/continue", guest))
    }

    @Test("a client renews a session of its own: its user logs in, whatever the app's browser says")
    func renewal() async throws {
        let side = try await Side()
        let own = try await NativeSSOTests.session(
            side.web,
            client: "offers",
            scope: "openid offline_access"
        )
        let hint = [("id_token_hint", try #require(own["id_token"]?.string))]
        let renewal = try await side.authorize(hint + [("max_age", "3600")], scope: "openid")
        #expect(ContinuationTests.goesTo("/login", renewal))
        // The control: without the wish to renew, the hint is only whose session it is.
        let plain = try await side.authorize(hint, scope: "openid")
        #expect(ContinuationTests.goesTo("/continue", plain))
    }

    @Test("a browser of an earlier stay of its client comes back with a later one")
    func earlierStay() async throws {
        var side = try await Side()
        let secret = try #require(side.app["device_secret"]?.string)
        // The secret that the exchange rotated is still good for a minute; its end ends all guests.
        _ = try await side.web.post("/oauth2/revoke", "token=\(secret)")
        #expect(ContinuationTests.goesTo("/login", try await side.authorize()))
        side.web.side.clock.advance(seconds: 1)
        let refreshed = try await NativeSSOTests.refresh(
            side.web,
            side.app["refresh_token"]?.string,
            client: "app"
        )
        #expect(refreshed.status == 200, "\(refreshed.body)")
        let later = try await Side.open(side.web, refreshed)
        #expect(ContinuationTests.goesTo("/login", try await side.authorize()))
        side.cookie = later
        #expect(ContinuationTests.goesTo("/continue", try await side.authorize()))
    }

    @Test("an app that is only disabled is not told that its session ended") func disabled()
        async throws
    {
        let web = try await WebSide()
        let (refresh, _) = try await AppSessionTokenTests.tokens(web)
        let id = web.side.project.settings.id
        var settings = try #require(web.side.projects.project(id: id)).settings
        settings.clients[0].enabled = false
        try await web.side.apply(settings)
        let answer = try await AppSessionTokenTests.ask(web, refresh)
        #expect(answer.status == 401)
        settings.clients[0].enabled = true
        settings.clients[0].allowedScopes = try Fixture.some(Scope("openid offline_access"))
        try await web.side.apply(settings)
        let cut = try await AppSessionTokenTests.ask(web, refresh)
        #expect(cut.status == 403)
        #expect(cut.reason == "AccessDenied")
    }

    @Test("attack: a URL of one account, in a browser that another's app has opened")
    func otherApp() async throws {
        let side = try await Side()
        let mallory = try await side.web.somebodyElse()
        let code = try await side.web.side.code(
            scope: PreAuthenticatedURLTests.scope,
            of: mallory
        )
        let theirs = try await DeviceKeyTests.redeem(side.web, code: code, jwt: nil, client: "app")
        let exchanged = try await PreAuthenticatedURLTests.exchange(side.web, theirs)
        let parameters = try PreAuthenticatedURLTests.parameters(exchanged)
        let commits = side.web.commits
        let answer = try await side.send(.get, PreAuthenticatedURLTests.target(parameters))
        #expect(answer.field("Location").first?.contains("error=interaction_required&") == true)
        #expect(answer.field("Set-Cookie") == [])
        #expect(side.web.commits == commits)
    }
}
