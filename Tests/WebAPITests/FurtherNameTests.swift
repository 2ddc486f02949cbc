import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// A project that answers to more names than its issuer's (WireContract 1.1 and 3.1).
@Suite("A further name of a project") struct FurtherNameTests {
    private static let name = "links.example.com"

    private static func side() async throws -> WebSide {
        let web = try await WebSide()
        let id = web.side.project.settings.id
        var settings = try #require(web.side.projects.project(id: id)).settings
        settings.hosts = ["auth.example.com", name]
        try await web.side.apply(settings)
        return web
    }

    @Test(
        "leads whoever asks for a page to the same one at the issuer",
        arguments: [
            "/oauth2/authorize?client_id=web&state=a%20b&redirect_uri=https%3A%2F%2Fevil.example",
            "/oauth2/end_session?state=s", "/login?tx=1", "/login/wait?tx=1", "/continue?tx=1",
            "/consent?tx=1", "/logout", "/settings", "/settings/sessions?x_color_scheme=dark",
            "/flows/verify_login_link?client=app&token=ll_x",
            "/clients/app/flows/verify_login_link?token=ll_x",
            "/clients/app/flows/app2app?client_id=web",
        ]
    )
    func pages(_ target: String) async throws {
        let web = try await Self.side()
        let answer = try await web.expectNothingRecorded {
            try await web.send(.get, target, host: Self.name)
        }
        #expect(answer.status == 303)
        #expect(answer.location == "https://auth.example.com\(target)")
        #expect(answer.field("Set-Cookie") == [] && answer.body.isEmpty)
        #expect(answer.field("Cache-Control") == ["no-store"])
        let own = try await web.send(.get, target)
        #expect(own.location?.hasPrefix("https://auth.example.com") != true)
    }

    @Test("a login that was begun there goes on, and ends, at the issuer") func login()
        async throws
    {
        let web = try await Self.side()
        let target = "/oauth2/authorize?\(PushedRequestTests.form())".replacing(" ", with: "%20")
        let led = try #require(try await web.send(.get, target, host: Self.name).location)
        var browser = WebBrowser(web)
        let start = try await browser.get(String(led.dropFirst(PageSide.origin.count)))
        let done = try await browser.logIn(from: start, typing: "a%40example.com")
        #expect(done.location?.contains("code=ac_") == true, "\(done.body)")
    }

    @Test(
        "serves programs as the issuer's own does",
        arguments: [
            (.get, "/.well-known/openid-configuration"), (.get, "/oauth2/jwks"),
            (.get, "/.well-known/apple-app-site-association"),
            (.get, "/.well-known/assetlinks.json"), (.get, "/oauth2/userinfo"),
            (.post, "/oauth2/token"), (.post, "/oauth2/revoke"), (.get, "/login/status?tx=1"),
            (.post, "/clients/app/flows/verify_login_link?token=ll_x"),
        ] as [(WebAPI.Method, String)]
    )
    func programs(_ method: WebAPI.Method, _ target: String) async throws {
        let web = try await Self.side()
        let form = [("content-type", WebSide.form)]
        let here = try await web.send(method, target, fields: form)
        let there = try await web.send(method, target, host: Self.name, fields: form)
        #expect(there.status == here.status && there.body == here.body)
        #expect(there.field("Location").isEmpty)
    }

    @Test("takes no form of a page, and leads on who posts a request") func posts() async throws {
        let web = try await Self.side()
        let ours = [("origin", "https://\(Self.name)"), ("content-type", WebSide.form)]
        let form = Array("action=sign_out_others".utf8)
        let settings = try await web.send(
            .post,
            "/settings",
            host: Self.name,
            fields: ours,
            body: form
        )
        #expect(settings.status == 403)
        let posted = try await web.send(
            .post,
            "/oauth2/authorize",
            host: Self.name,
            fields: ours,
            body: Array(PageSide.query("app").utf8)
        )
        let next = try #require(posted.location)
        #expect(posted.status == 303 && next.hasPrefix("/oauth2/authorize?x_reference="))
        let led = try await web.send(.get, next, host: Self.name)
        #expect(led.location == "https://auth.example.com\(next)")
    }

    @Test("a look ahead records nothing there either") func ahead() async throws {
        let web = try await Self.side()
        let target = "/oauth2/authorize?\(PushedRequestTests.form())"
        let head = try await web.send(.head, target, host: Self.name)
        #expect(head.status == 204)
        let settings = try await web.send(.head, "/settings", host: Self.name)
        #expect(settings.status == 303)
        #expect(settings.location == "https://auth.example.com/settings")
    }
}
