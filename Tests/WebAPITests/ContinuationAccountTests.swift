import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// Whose login it is in a browser that an app opened and its user chose otherwise (decision 0053).
@Suite("Another account than the app's") struct ContinuationAccountTests {
    private typealias Side = ContinuationTests.Side
    private static let other = SubjectID(Sample.stream(0x51))

    private static func isSilentLogin(_ answer: Answer) -> Bool {
        answer.field("Location").first?.contains("error=login_required&") == true
    }

    @Test("a request without SSO never gets the app's account, asked or silent")
    func withoutSSO() async throws {
        let side = try await Side()
        let apart = [("x_sso_enabled", "false")]
        #expect(ContinuationTests.goesTo("/login", try await side.authorize(apart)))
        let silent = try await side.authorize(apart + [("prompt", "none")])
        #expect(Self.isSilentLogin(silent))
    }

    @Test("whoever is signed in here is not passed over for the app's user")
    func signedIn() async throws {
        let web = try await WebSide()
        let theirs = try await PreAuthenticatedURLTests.signIn(web, Self.other)
        web.side.clock.advance(seconds: 20)
        var side = try await Side(web)
        side.cookie += "; __Host-chancery_session=\(theirs)"
        // Their login is older than the client wants it, the app's is not.
        let old = [("max_age", "10")]
        #expect(Self.isSilentLogin(try await side.authorize(old + [("prompt", "none")])))
        #expect(ContinuationTests.goesTo("/login", try await side.authorize(old)))
        // The control: without the wish it is their login that counts.
        let silent = try await side.authorize([("prompt", "none")])
        #expect(silent.field("Location").first?.contains("?code=ac_") == true)
    }

    @Test("attack: the account changes between the page and its button (I14)")
    func changedUnderneath() async throws {
        let web = try await WebSide()
        let theirs = try await PreAuthenticatedURLTests.signIn(web, Self.other)
        var side = try await Side(web)
        side.cookie += "; __Host-chancery_session=\(theirs)"
        let start = try await side.authorize([("prompt", "select_account")])
        let page = try await side.page(after: start)
        #expect(page.status == 200)
        // A key held down in a popup presses no button.
        #expect(page.body.contains(">Continue</button>") && !page.body.contains("autofocus"))
        try await web.side.run(Subject.self, Self.other.stream) { .disable(.operator) }
        let commits = web.commits
        let answer = try await side.press("continue", on: page, after: start)
        #expect(ContinuationTests.goesTo("/continue", answer))
        #expect(web.commits == commits)
        // Who has seen whose account it is now may go on.
        let seen = try await side.press("continue", after: start)
        #expect(seen.field("Location").first?.contains("?code=ac_") == true)
    }

    @Test("the page of a browser whose stay is over shows nobody") func deadPage() async throws {
        let side = try await Side()
        let start = try await side.authorize()
        #expect(try await side.page(after: start).body.contains("signed in as"))
        let secret = try #require(side.app["device_secret"]?.string)
        _ = try await side.web.post("/oauth2/revoke", "token=\(secret)")
        side.web.side.clock.advance(seconds: 1)
        let refreshed = try await NativeSSOTests.refresh(
            side.web,
            side.app["refresh_token"]?.string,
            client: "app"
        )
        _ = try await Side.open(side.web, refreshed)
        let page = try await side.page(after: start)
        #expect(ContinuationTests.goesTo("/login", page))
        #expect(!page.body.contains("signed in as"))
    }

    @Test("a login in this browser ends what the app let it in by") func loginEndsCookie()
        async throws
    {
        var side = try await PageSide()
        side.side.reconfigure { $0.cookieDomain = "example.com" }
        let names = ["__Host-chancery_app_session", "__Host-chancery_settings"]
        for (name, kind) in zip(names, [AppSession.Origin.url, .token]) {
            let view = AppSession(
                session: SessionID(Sample.stream(0x52)),
                client: try Fixture.some(ClientID("web")),
                origin: kind,
                scope: .empty,
                issuedAt: side.side.clock.now,
                expiresAt: side.side.clock.now.adding(seconds: 900)
            )
            let sealed = side.side.context.appSessions.seal(view, in: side.side.project)
            side.cookies[name] = String(decoding: sealed, as: UTF8.self)
        }
        side.cookies["app_access_token"] = "of the app's user"
        let (page, link) = try await side.askForMail("web", ["x_sso_enabled": "false"])
        let waiting = page.fields
        let fallback = await side.get(link)
        _ = await side.post("/login/complete", waiting)
        for name in names { #expect(side.cookies[name] != nil, "\(name)") }
        let approval = await side.get(try #require(fallback.location))
        let answer = "\(approval.fields)&action=approve"
        #expect(await side.post("/flows/verify_login_link", answer).status == 303)
        let done = await side.post("/login/complete", waiting)
        #expect(done.location?.contains("code=ac_") == true)
        for name in names { #expect(side.cookies[name] == nil, "\(name)") }
        #expect(side.cookies["app_access_token"] == nil)
    }

    @Test("attack: a mailed URL lets no other client in before its user has been asked")
    func otherClient() async throws {
        var side = try await Side()
        let silent = { (side: Side, client: String) in
            try await side.authorize([("prompt", "none")], client: client)
        }
        #expect(Self.isSilentLogin(try await silent(side, "offers2")))
        // The app chose this one.
        let own = try await silent(side, "offers")
        #expect(own.field("Location").first?.contains("?code=ac_") == true)
        let start = try await side.authorize(client: "offers2")
        #expect(ContinuationTests.goesTo("/continue", start))
        #expect(Self.isSilentLogin(try await silent(side, "offers2")))
        let pressed = try await side.press("continue", after: start)
        #expect(pressed.field("Location").first?.contains("?code=ac_") == true)
        let cookie = try #require(pressed.field("Set-Cookie").first)
        #expect(cookie.hasSuffix("; Path=/; Secure; HttpOnly; SameSite=Lax"))
        let before = side.cookie
        side.cookie = String(cookie.drop { $0 != "=" }.dropFirst().prefix { $0 != ";" })
        let after = try await silent(side, "offers2")
        #expect(after.field("Location").first?.contains("?code=ac_") == true)
        // The word is in the cookie, and only there; another URL begins anew.
        var late = side
        late.cookie = before
        #expect(Self.isSilentLogin(try await silent(late, "offers2")))
        side.web.side.clock.advance(seconds: 901)
        #expect(Self.isSilentLogin(try await silent(side, "offers2")))
    }

    @Test("attack: the user's word is forged into the cookie") func forgedWord() async throws {
        var side = try await Side()
        var bytes = try #require(Base64URL.decode(Array(side.cookie.utf8)))
        bytes[32] |= 0x80
        side.cookie = String(decoding: Base64URL.encode(bytes), as: UTF8.self)
        let silent = try await side.authorize([("prompt", "none")], client: "offers2")
        #expect(Self.isSilentLogin(silent))
        #expect(ContinuationTests.goesTo("/login", try await side.authorize()))
    }
}
