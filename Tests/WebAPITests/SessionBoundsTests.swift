import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import Runtime
import TestSupport
import Testing
import WebAPI

/// Whoever holds one session opens others by the hundred; that takes neither the list nor the end
/// of all others away (WireContract 9.5, Architecture 7).
@Suite("Bounds of a user's sessions") struct SessionBoundsTests {
    private static let path = SessionAPITests.path
    private static let others = "\(path)/revoke_others"

    /// `count` sessions that have expired, and that nothing has ended.
    private static func expired(_ count: Int, _ web: WebSide) async throws {
        for _ in 0..<count {
            _ = try await web.side.redeem(try await web.side.code(scope: "openid"))
        }
        web.side.clock.advance(seconds: 6000)
    }

    @Test("a page ends after so many looked at, and the next one goes on behind them")
    func pages() async throws {
        let web = try await WebSide()
        let old = try await SessionAPITests.sid(of: SessionAPITests.session(web), web)
        try await Self.expired(SessionList.lookedAtMax + 1, web)
        let mine = try await SessionAPITests.session(web)
        let first = try await SessionAPITests.send(web, .get, mine)
        let here = try SessionAPITests.sid(of: mine, web).description
        let shown = try SessionAPITests.list(first).compactMap { $0["sid"]?.string }
        #expect(shown == [here])
        let next = try #require(first["result"]?["next"]?.string)
        let second = try await SessionAPITests.send(
            web,
            .get,
            mine,
            "\(Self.path)?cursor=\(next)"
        )
        let rest = try SessionAPITests.list(second).compactMap { $0["sid"]?.string }
        #expect(rest == [old.description, web.side.browser.description])
        #expect(second["result"]?["next"] == .null)
        let page = try await SettingsSide(web).get("/settings?cursor=\(next)")
        #expect(SettingsSide.forms(page)[old.description] != nil)
    }

    @Test("what has expired is not ended, one by one, before what lives") func expiredOthers()
        async throws
    {
        let web = try await WebSide()
        let old = try await SessionAPITests.session(web)
        try await Self.expired(100, web)
        let mine = try await SessionAPITests.session(web)
        let before = web.commits
        let answer = try await SessionAPITests.send(web, .post, mine, Self.others)
        #expect(answer["result"]?["revoked"]?.integer == 2)
        #expect(web.commits == before + 2)
        #expect(try await !NativeSSOTests.isActive(web, old))
    }

    @Test("one that has just expired is ended: a code that it gave may be left") func justExpired()
        async throws
    {
        let web = try await WebSide()
        let short = try await web.side.redeem(try await web.side.code(scope: "openid"))
        web.side.clock.advance(seconds: short.accessToken?.expiresInSeconds ?? 0)
        let mine = try await SessionAPITests.session(web)
        let before = web.commits
        let answer = try await SessionAPITests.send(web, .post, mine, Self.others)
        // The browser's; an expired one is not counted.
        #expect(answer["result"]?["revoked"]?.integer == 1)
        #expect(web.commits == before + 2)
    }

    /// Whose access tokens live an hour, and refresh tokens five idle minutes.
    private static func soonIdle() async throws -> WebSide {
        let web = try await WebSide()
        var settings = web.side.project.settings
        settings.clients[0].accessTokenLifetimeSeconds = 3600
        settings.clients[0].refreshTokenIdleSeconds = 300
        try await web.side.apply(settings)
        return web
    }

    @Test("one without a refresh token lives as long as its access token, used or not")
    func withoutRefreshToken() async throws {
        let web = try await Self.soonIdle()
        let session = try await SessionAPITests.session(web, scope: "openid")
        #expect(session["expires_in"]?.integer == 3600 && session["refresh_token"] == nil)
        web.side.clock.advance(seconds: 3599)
        #expect(try await NativeSSOTests.isActive(web, session))
        let user = try await SessionAPITests.send(web, .get, session, "/oauth2/userinfo")
        #expect(user.status == 200)
        web.side.clock.advance(seconds: 1)
        #expect(try await !NativeSSOTests.isActive(web, session))
    }

    @Test("one that idled to its end is ended while its access token lives")
    func idle() async throws {
        let web = try await Self.soonIdle()
        let idle = try await SessionAPITests.session(web)
        let stream = try SessionAPITests.sid(of: idle, web).stream
        web.side.clock.advance(seconds: 400)
        let mine = try await SessionAPITests.session(web)
        #expect(try await SessionAPITests.send(web, .post, mine, Self.others).status == 200)
        #expect(web.side.store.events(of: stream).last == .offlineGrant(.revoked(.logout)))
    }

    @Test("a browser's session ends before all newer ones that came from it") func browsersFirst()
        async throws
    {
        let web = try await WebSide()
        let mine = try await SessionAPITests.session(web)
        let joined = try await SessionEndTests.joined(web)
        web.side.store.fail(.taken, .unavailable)
        #expect(try await SessionAPITests.send(web, .post, mine, Self.others).status == 503)
        #expect(try await SessionEndTests.openJoined(web) == 1)
        #expect(try await !NativeSSOTests.isActive(web, joined))
        let again = try await SessionAPITests.send(web, .post, mine, Self.others)
        // It was dead already: its end is recorded, not counted.
        #expect(again["result"]?["revoked"]?.integer == 0)
        #expect(try await SessionEndTests.openJoined(web) == 0)
    }

    @Test("a session that asks too often waits, and no other one with it") func limit()
        async throws
    {
        let web = try await WebSide(limits: [.account: .init(perMinute: 1, burst: 2)])
        let mine = try await SessionAPITests.session(web)
        let other = try await SessionAPITests.session(web)
        for _ in 0..<2 {
            #expect(try await SessionAPITests.send(web, .get, mine).status == 200)
        }
        for path in [Self.path, "/api/v1/biometric_keys"] {
            let refused = try await SessionAPITests.send(web, .get, mine, path)
            #expect(refused.status == 429)
            #expect(refused["error"]?["reason"] == "RateLimited")
            #expect(refused.field("Retry-After") == ["60"])
        }
        #expect(try await SessionAPITests.send(web, .get, other).status == 200)
        web.side.clock.advance(seconds: 60)
        #expect(try await SessionAPITests.send(web, .get, mine).status == 200)
    }

    private static let requests: [(method: WebAPI.Method, path: String, isPriority: Bool)] = [
        (.get, "/settings", false), (.post, "/settings", true),
        (.get, path, false), (.post, others, true),
        (.get, "\(path)/\(Sample.session(1))", false),
        (.delete, "\(path)/\(Sample.session(1))", true),
        (.get, "/api/v1/biometric_keys", false), (.delete, "/api/v1/biometric_keys/kid", true),
        (.get, "/logout", true), (.post, "/oauth2/revoke", true), (.post, "/oauth2/token", false),
    ]

    @Test("of the slots kept for ending sessions, only that takes one", arguments: requests)
    func priority(_ row: (method: WebAPI.Method, path: String, isPriority: Bool)) async throws {
        let web = try await WebSide()
        let head = RequestHead(row.method, row.path, host: "auth.example.com")
        let peer = Peer(SocketAddress.loopback(port: 1))
        guard case .accept(let terms) = web.api.admit(head, from: peer) else {
            Issue.record("refused")
            return
        }
        #expect((terms.slots == .ending) == row.isPriority)
    }
}
