import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// A browser that an app let in to a client's pages and to ours (WireContract 4.4, 8.1 and 9.6).
@Suite("A browser that an app opened in both ways") struct OpenedBothWaysTests {
    private static let urlName = "__Host-chancery_app_session"
    private static let settingsName = "__Host-chancery_settings"

    /// The browser of an app's user; the app has full access.
    private struct Side {
        let web: WebSide
        let app: Answer
        var browser: WebBrowser

        /// `life`: of the web client's access tokens.
        init(life: Int64 = 900) async throws {
            web = try await WebSide()
            try await BiometricTests.User.allowFullAccess(web)
            let id = web.side.project.settings.id
            var settings = try #require(web.side.projects.project(id: id)).settings
            let offers = settings.clients.firstIndex { $0.id == Sample.client("offers") }
            let index = try #require(offers)
            settings.clients[index].accessTokenLifetimeSeconds = life
            try await web.side.apply(settings)
            browser = WebBrowser(web)
            app = try await Self.session(web)
        }

        static func session(_ web: WebSide) async throws -> Answer {
            let scope = "\(PreAuthenticatedURLTests.scope) \(UserAccess.scope)"
            return try await NativeSSOTests.session(web, scope: scope)
        }

        mutating func openURL() async throws {
            let exchanged = try await PreAuthenticatedURLTests.exchange(web, app)
            let parameters = try PreAuthenticatedURLTests.parameters(exchanged)
            let opened = try await browser.get(PreAuthenticatedURLTests.target(parameters))
            try #require(opened.word == "303", "\(opened.body)")
        }

        mutating func openSettings(of session: Answer? = nil) async throws {
            let refresh = try #require((session ?? app)["refresh_token"]?.string)
            let asked = try await AppSessionTokenTests.ask(web, refresh)
            let token = try #require(asked["result"]?["app_session_token"]?.string)
            let opened = try await browser.get(AppSessionTokenTests.target(token))
            try #require(opened.word == "303", "\(opened.body)")
        }

        /// What the web client hears that asks whether somebody is logged in.
        mutating func silent() async throws -> String {
            let answer = try await browser.get(
                PreAuthenticatedURLTests.target([
                    ("client_id", "offers"), ("response_type", "code"), ("state", "s"),
                    ("scope", "openid offline_access"), ("prompt", "none"),
                    ("redirect_uri", TokenSide.redirectURI),
                    ("code_challenge", DeviceKeyTests.challenge),
                    ("code_challenge_method", "S256"),
                ])
            )
            return answer.location?.contains("?code=ac_") == true ? "a code" : answer.word
        }

        /// The status of the settings.
        mutating func settings() async throws -> Int { try await browser.get("/settings").status }
    }

    @Test("is let in to each, whichever came first", arguments: [true, false])
    func both(_ beginsWithURL: Bool) async throws {
        var side = try await Side()
        if beginsWithURL { try await side.openURL() }
        try await side.openSettings()
        if !beginsWithURL { try await side.openURL() }
        let (settings, silent) = (try await side.settings(), try await side.silent())
        #expect(settings == 200)
        #expect(silent == "a code")
    }

    @Test("the buttons of a page that is open do what they say once a URL is opened beside it")
    func buttons() async throws {
        var side = try await Side()
        try await side.openSettings()
        let forms = SettingsSide.forms(try await side.browser.get("/settings"))
        try await side.openURL()
        let sid = try SettingsSide(side.web).sid(side.app)
        let done = try await side.browser.post("/settings", try #require(forms[sid]))
        #expect(done.status == 303, "\(done.body)")
        #expect(try await NativeSSOTests.isActive(side.web, side.app) == false)
    }

    @Test("attack: a link to the logout, once the settings are over and the client's pages are not")
    func logoutByLink() async throws {
        var side = try await Side(life: 3600)
        try await side.openURL()
        try await side.openSettings()
        side.web.side.clock.advance(seconds: OpenAppSession.lifetimeSeconds)
        let asked = try await side.browser.get("/oauth2/end_session?client_id=offers")
        #expect(asked.field("Set-Cookie") == [])
        let page = try #require(asked.location)
        #expect(page.hasPrefix("/logout?reference="))
        let silent = try await side.silent()
        #expect(silent == "a code")
        let fields = try await side.browser.get(page).fields
        let done = try await side.browser.post("/logout", fields)
        #expect(done.status == 303)
        for name in [Self.urlName, Self.settingsName, "app_access_token"] {
            #expect(side.browser.cookies[name] == nil, "\(name)")
        }
    }

    @Test("a logout names the application of each way in that is live") func named() async throws {
        var side = try await Side(life: 3600)
        let id = side.web.side.project.settings.id
        var settings = try #require(side.web.side.projects.project(id: id)).settings
        let offers = settings.clients.firstIndex { $0.id == Sample.client("offers") }
        settings.clients[try #require(offers)].name = "Offers & more"
        try await side.web.side.apply(settings)
        try await side.openURL()
        let alone = "The application <strong>Offers &amp; more</strong> stays signed in."
        var page = try await side.browser.get("/logout").body
        #expect(page.contains(alone), "\(page)")
        try await side.openSettings()
        page = try await side.browser.get("/logout").body
        for name in ["App", "Offers &amp; more"] {
            #expect(page.contains("<strong>\(name)</strong>"), "\(page)")
        }
        #expect(page.contains("</strong> stay signed in."), "\(page)")
        // The settings are over, the client's pages are not.
        side.web.side.clock.advance(seconds: OpenAppSession.lifetimeSeconds)
        page = try await side.browser.get("/logout").body
        #expect(page.contains(alone), "\(page)")
    }

    @Test("the button of a logout counts although one of both is over meanwhile") func lateLogout()
        async throws
    {
        var side = try await Side(life: 3600)
        let other = try await Side.session(side.web)
        try await side.openURL()
        try await side.openSettings(of: other)
        let asked = try await side.browser.get("/oauth2/end_session")
        let fields = try await side.browser.get(try #require(asked.location)).fields
        side.web.side.clock.advance(seconds: OpenAppSession.lifetimeSeconds)
        let done = try await side.browser.post("/logout", fields)
        #expect(done.status == 303 && done.location == "/logout", "\(done.body)")
        let silent = try await side.silent()
        #expect(silent == "303 login_required")
    }

    @Test("a cookie of before, when both had one name, opens what it was made for") func before()
        async throws
    {
        var side = try await Side()
        try await side.openSettings()
        let value = side.browser.cookies.removeValue(forKey: Self.settingsName)
        #expect(value != nil)
        side.browser.cookies[Self.urlName] = value
        var (settings, silent) = (try await side.settings(), try await side.silent())
        #expect(settings == 200)
        #expect(silent == "303 login_required")
        // A URL takes its place, as it did; the app opens the settings again.
        try await side.openURL()
        (settings, silent) = (try await side.settings(), try await side.silent())
        #expect(settings == 403)
        #expect(silent == "a code")
        try await side.openSettings()
        (settings, silent) = (try await side.settings(), try await side.silent())
        #expect(settings == 200)
        #expect(silent == "a code")
    }

    @Test("attack: a URL's cookie under the name of the settings'") func renamed() async throws {
        var side = try await Side()
        try await side.openURL()
        let value = side.browser.cookies.removeValue(forKey: Self.urlName)
        #expect(value != nil)
        side.browser.cookies[Self.settingsName] = value
        let (settings, silent) = (try await side.settings(), try await side.silent())
        #expect(settings == 403)
        #expect(silent == "303 login_required")
    }

    @Test("attack: somebody else's app opens the settings, whatever else has opened the browser")
    func somebodyElses() async throws {
        var side = try await Side()
        try await side.openURL()
        let theirs = try await SettingsSide.stranger(side.web)
        let refresh = try #require(theirs["refresh_token"]?.string)
        var openings: [String] = []
        for _ in 0..<2 {
            let asked = try await AppSessionTokenTests.ask(side.web, refresh)
            let token = try #require(asked["result"]?["app_session_token"]?.string)
            openings.append(AppSessionTokenTests.target(token))
        }
        // Their own way in, which is looked at first, does not hide the user's.
        let opened = try await side.web.send(.get, openings[0])
        let cookie = try #require(opened.field("Set-Cookie").first).prefix { $0 != ";" }
        side.browser.cookies[Self.settingsName] = String(cookie.drop { $0 != "=" }.dropFirst())
        let refused = try await side.browser.get(openings[1])
        #expect(refused.word == "303 interaction_required")
    }
}
