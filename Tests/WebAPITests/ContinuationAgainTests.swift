import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// A page that asks silently each time it is loaded, and stays that are over (decision 0074).
@Suite("Coming into an app's session again") struct ContinuationAgainTests {
    private typealias Side = ContinuationTests.Side

    /// A code without a question; fails the test when there is none.
    private static func silentCode(_ side: Side) async throws -> String {
        let answer = try await side.authorize([("prompt", "none")])
        let location = try #require(answer.field("Location").first)
        let query = try #require(location.split(separator: "?").last)
        let form = try Form(parsing: Array(query.utf8))
        return String(decoding: try #require(form.single("code"), "\(location)"), as: UTF8.self)
    }

    @Test("a page may load again and again; nothing it held before ends") func loads()
        async throws
    {
        let side = try await Side()
        var tabs: [String] = []
        for _ in 0..<4 {
            let answer = try await side.redeem(try await Self.silentCode(side))
            #expect(answer.status == 200)
            tabs.append(try #require(answer["refresh_token"]?.string))
            side.web.side.clock.advance(seconds: 2)
        }
        let web = Array(side.opened.utf8)
        #expect(try await side.web.side.isActive(web, asked: "web-api"))
        for tab in tabs {
            #expect(try await NativeSSOTests.refresh(side.web, tab, client: "offers").status == 200)
        }
        #expect(try await side.isAppAlive())
    }

    @Test("attack: a code is kept until its host has left and come again") func laterStay()
        async throws
    {
        let side = try await Side()
        let code = try await Self.silentCode(side)
        let token = try #require(side.app["device_secret"]?.string)
        _ = try await side.web.post("/oauth2/revoke", "token=\(token)")
        side.web.side.clock.advance(seconds: 1)
        let refreshed = try await NativeSSOTests.refresh(
            side.web,
            side.app["refresh_token"]?.string,
            client: "app"
        )
        _ = try await Side.open(side.web, refreshed)
        #expect(try await side.redeem(code).error == "invalid_grant")
    }

    @Test("attack: a code of an earlier stay is replayed to end the later one")
    func replayedLater() async throws {
        var side = try await Side()
        let code = try await Self.silentCode(side)
        #expect(try await side.redeem(code).status == 200)
        let secret = try #require(side.app["device_secret"]?.string)
        _ = try await side.web.post("/oauth2/revoke", "token=\(secret)")
        side.web.side.clock.advance(seconds: 20)
        let refreshed = try await NativeSSOTests.refresh(
            side.web,
            side.app["refresh_token"]?.string,
            client: "app"
        )
        side.cookie = try await Side.open(side.web, refreshed)
        let later = try await side.redeem(try await Self.silentCode(side))
        #expect(later.status == 200)
        #expect(try await side.redeem(code).error == "invalid_grant")
        let alive = try await NativeSSOTests.refresh(
            side.web,
            later["refresh_token"]?.string,
            client: "offers"
        )
        #expect(alive.status == 200)
    }

    @Test("a code that comes again is judged by its own tokens", arguments: [true, false])
    func replayed(ownIsUsed: Bool) async throws {
        let side = try await Side()
        side.web.side.clock.advance(seconds: 1)
        let code = try await Self.silentCode(side)
        let own = try await side.redeem(code)["refresh_token"]?.string
        side.web.side.clock.advance(seconds: 1)
        let other = try await side.redeem(try await Self.silentCode(side))["refresh_token"]?.string
        let (used, unused) = ownIsUsed ? (own, other) : (other, own)
        side.web.side.clock.advance(seconds: 1)
        let refreshed = try await NativeSSOTests.refresh(side.web, used, client: "offers")
        #expect(refreshed.status == 200)
        #expect(try await side.redeem(code).error == "invalid_grant")
        for token in [refreshed["refresh_token"]?.string, unused] {
            let answer = try await NativeSSOTests.refresh(side.web, token, client: "offers")
            #expect((answer.error == "invalid_grant") == ownIsUsed)
        }
        #expect(try await side.isAppAlive())
    }

    @Test("attack: a link to the logout, in a browser that an app let in, ends nothing unasked")
    func logoutByLink() async throws {
        let side = try await Side()
        let start = try await side.send(.get, "/oauth2/end_session?client_id=offers")
        #expect(start.field("Set-Cookie") == [])
        #expect(start.field("Location").first?.hasPrefix("/logout?reference=") == true)
        // Nothing that lets in is left to ask about.
        side.web.side.clock.advance(seconds: 901)
        let later = try await side.send(.get, "/oauth2/end_session?client_id=offers")
        #expect(later.status == 200)
    }

    @Test("a logout leaves nothing in the browser that lets the next person in") func logout()
        async throws
    {
        let side = try await Side()
        let start = try await side.send(.get, "/oauth2/end_session?client_id=offers")
        let page = try await side.send(.get, try #require(start.field("Location").first))
        let answer = try await side.send(
            .post,
            "/logout",
            fields: [("origin", "https://auth.example.com")],
            body: page.fields
        )
        let ended = Set(answer.field("Set-Cookie"))
        let domain = "Max-Age=0; Domain=example.com; Secure; HttpOnly; SameSite=Lax"
        #expect(ended.contains("app_access_token=; Path=/; \(domain)"))
        let host = "Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax"
        #expect(ended.contains("__Host-chancery_app_session=; \(host)"))
        #expect(ended.contains("__Host-chancery_settings=; \(host)"))
        #expect(try await side.isAppAlive())
    }

    @Test(
        "a logout takes the token of web clients away where it is, and not unseen",
        arguments: ["app_access_token=a", "app_access_token=a; app_access_token=b", "a=b"]
    )
    func unseenToken(_ cookie: String) async throws {
        let web = try await WebSide()
        let answer = try await web.send(
            .get,
            "/oauth2/end_session?client_id=offers",
            fields: [("cookie", cookie)]
        )
        let isGone = answer.field("Set-Cookie").contains { $0.hasPrefix("app_access_token=;") }
        // What the browser has not brought here is not at this domain.
        #expect(answer.status == 200 && isGone == (cookie != "a=b"))
    }
}
