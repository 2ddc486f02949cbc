import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// Seed 2, use case 2: a browser that an app let in goes on as the app's user (WireContract 4.3,
/// 8.1).
@Suite("Continuing an app's session") struct ContinuationTests {
    /// A browser that was let in, and the app's own tokens.
    struct Side {
        let web: WebSide
        let app: Answer
        var cookie: String
        /// The access token that the web client's server got.
        let opened: String

        init(scope: String? = nil) async throws { try await self.init(WebSide(), scope: scope) }

        init(_ web: WebSide, scope: String? = nil) async throws {
            self.web = web
            app = try await PreAuthenticatedURLTests.session(web)
            (cookie, opened) = try await Self.cookies(web, app, scope: scope)
        }

        /// The value of the host-only cookie.
        static func open(_ web: WebSide, _ app: Answer, scope: String? = nil)
            async throws -> String
        {
            try await cookies(web, app, scope: scope).own
        }

        /// As above, and the value of the web client's.
        private static func cookies(_ web: WebSide, _ app: Answer, scope: String?)
            async throws -> (own: String, web: String)
        {
            let exchanged = try await PreAuthenticatedURLTests.exchange(web, app, scope: scope)
            let parameters = try PreAuthenticatedURLTests.parameters(exchanged)
            let opened = try await web.send(.get, PreAuthenticatedURLTests.target(parameters))
            let value = { (name: String) throws in
                let cookie = opened.field("Set-Cookie").first { $0.hasPrefix("\(name)=") }
                return String(
                    try #require(cookie).drop { $0 != "=" }.dropFirst().prefix { $0 != ";" }
                )
            }
            return (try value("__Host-chancery_app_session"), try value("app_access_token"))
        }

        func send(
            _ method: WebAPI.Method,
            _ target: String,
            fields: [(String, String)] = [],
            transaction: String = "",
            body: String = ""
        ) async throws -> Answer {
            var all = fields
            all.append(("cookie", "__Host-chancery_app_session=\(cookie)\(transaction)"))
            if method == .post { all.append(("content-type", WebSide.form)) }
            return try await web.send(method, target, fields: all, body: Array(body.utf8))
        }

        /// What the authorization endpoint answers this browser.
        func authorize(
            _ more: [(String, String)] = [],
            client: String = "offers",
            scope: String = "openid offline_access"
        ) async throws -> Answer {
            let challenge = Base64URL.encode(
                web.side.digester.sha256(Array(TokenSide.verifier.utf8)).bytes
            )
            let parameters =
                [
                    ("client_id", client), ("response_type", "code"), ("state", "s"),
                    ("scope", scope), ("redirect_uri", TokenSide.redirectURI),
                    ("code_challenge", String(decoding: challenge, as: UTF8.self)),
                    ("code_challenge_method", "S256"),
                ] + more
            return try await send(.get, PreAuthenticatedURLTests.target(parameters))
        }

        /// Presses a button of the continue screen that `start` led to.
        func press(_ action: String, after start: Answer, fields: [(String, String)]? = nil)
            async throws -> Answer
        {
            let page = try await page(after: start)
            #expect(page.status == 200)
            return try await press(action, on: page, after: start, fields: fields)
        }

        /// As above, on a page that was drawn before.
        func press(
            _ action: String,
            on page: Answer,
            after start: Answer,
            fields: [(String, String)]? = nil
        ) async throws -> Answer {
            let transaction = try #require(start.field("Set-Cookie").first).prefix { $0 != ";" }
            return try await send(
                .post,
                "/continue",
                fields: fields ?? [("origin", "https://auth.example.com")],
                transaction: "; \(transaction)",
                body: page.fields + "&action=\(action)"
            )
        }

        /// The continue screen that `start` led to.
        func page(after start: Answer) async throws -> Answer {
            let location = try #require(start.field("Location").first)
            let transaction = try #require(start.field("Set-Cookie").first).prefix { $0 != ";" }
            return try await send(.get, location, transaction: "; \(transaction)")
        }

        /// A code of the continue screen.
        func code() async throws -> String {
            try await press("continue", after: try await authorize()).code()
        }

        func redeem(_ code: String) async throws -> Answer {
            try await DeviceKeyTests.redeem(web, code: code, jwt: nil, client: "offers")
        }

        func isAppAlive() async throws -> Bool {
            try await NativeSSOTests.refresh(
                web,
                app["refresh_token"]?.string,
                client: "app"
            ).status == 200
        }
    }

    static func goesTo(_ path: String, _ answer: Answer) -> Bool {
        answer.status == 303 && answer.field("Location").first?.hasPrefix("\(path)?tx=") == true
    }

    @Test("the user is asked, then the client joins the app's session: same sid, own tokens")
    func continues() async throws {
        let side = try await Side()
        let web = side.web
        web.side.clock.advance(seconds: 100)
        let start = try await side.authorize()
        #expect(Self.goesTo("/continue", start))
        let answer = try await side.redeem(try await side.code())
        #expect(answer.status == 200)
        #expect(answer["device_secret"] == nil)
        let (own, app) = (web.identity(of: answer), web.identity(of: side.app))
        #expect(own != nil && own?.session == app?.session)
        #expect(own?.audience.text == "offers")
        #expect(web.logins(of: answer) == web.logins(of: side.app))
        let refresh = answer["refresh_token"]?.string
        let refreshed = try await NativeSSOTests.refresh(side.web, refresh, client: "offers")
        #expect(refreshed.status == 200)
        // Its logout is its own (WireContract 9.7); the app's is everybody's.
        let token = try #require(refreshed["refresh_token"]?.string)
        _ = try await side.web.post("/oauth2/revoke", "token=\(token)")
        #expect(
            try await NativeSSOTests.refresh(side.web, token, client: "offers").error
                == "invalid_grant"
        )
        #expect(try await side.isAppAlive())
    }

    @Test("the end of the app's session ends what the browser came by") func ends() async throws {
        let side = try await Side()
        let answer = try await side.redeem(try await side.code())
        let token = try #require(side.app["refresh_token"]?.string)
        _ = try await side.web.post("/oauth2/revoke", "token=\(token)")
        let refresh = answer["refresh_token"]?.string
        let after = try await NativeSSOTests.refresh(side.web, refresh, client: "offers")
        #expect(after.error == "invalid_grant")
        #expect(Self.goesTo("/login", try await side.authorize()))
    }

    @Test("prompt=none: the app has vouched") func silent() async throws {
        let side = try await Side()
        let answer = try await side.authorize([("prompt", "none")])
        #expect(answer.field("Location").first?.contains("?code=ac_") == true)
    }

    @Test("another account is a login") func other() async throws {
        let side = try await Side()
        let answer = try await side.press("other", after: try await side.authorize())
        #expect(Self.goesTo("/login", answer))
    }

    @Test(
        "what the app's login does not answer is a login",
        arguments: [
            ("prompt", "login"), ("max_age", "0"), ("scope", "openid payments.read"),
        ]
    )
    func asksAgain(_ name: String, _ value: String) async throws {
        let side = try await Side()
        let start =
            name == "scope"
            ? try await side.authorize(client: "other", scope: value)
            : try await side.authorize([(name, value)])
        #expect(Self.goesTo("/login", start))
    }

    @Test("attack: the cookie outlives the access token it came with") func outlived() async throws
    {
        let side = try await Side()
        side.web.side.clock.advance(seconds: 901)
        #expect(Self.goesTo("/login", try await side.authorize()))
    }

    @Test(
        "attack: a cookie that was altered, or is there twice, counts for nothing",
        arguments: ["altered", "twice", "shortened", "the access token's"]
    )
    func altered(_ how: String) async throws {
        var side = try await Side()
        let good = side.cookie
        switch how {
        case "altered": side.cookie = String(good.dropLast()) + (good.last == "A" ? "B" : "A")
        case "twice": side.cookie = "\(good); __Host-chancery_app_session=\(good)"
        case "shortened": side.cookie = String(good.prefix(60))
        default: side.cookie = try #require(side.app["access_token"]?.string)
        }
        #expect(Self.goesTo("/login", try await side.authorize()))
    }

    @Test("attack: a page of another site presses the button") func crossSite() async throws {
        let side = try await Side()
        let start = try await side.authorize()
        let commits = side.web.commits
        for fields in [
            [("origin", "https://evil.example")], [("sec-fetch-site", "cross-site")],
            [("sec-fetch-site", "same-site")], [],
        ] {
            let answer = try await side.press("continue", after: start, fields: fields)
            #expect(answer.status == 403)
        }
        #expect(side.web.commits == commits)
    }

    @Test("attack: the button is pressed after the app has logged out") func pressedLate()
        async throws
    {
        let side = try await Side()
        let start = try await side.authorize()
        let token = try #require(side.app["refresh_token"]?.string)
        let page = try await side.page(after: start)
        _ = try await side.web.post("/oauth2/revoke", "token=\(token)")
        let answer = try await side.press("continue", on: page, after: start)
        #expect(Self.goesTo("/login", answer))
    }

    @Test("attack: the code is redeemed after the app has logged out") func redeemedLate()
        async throws
    {
        let side = try await Side()
        let code = try await side.code()
        let token = try #require(side.app["refresh_token"]?.string)
        _ = try await side.web.post("/oauth2/revoke", "token=\(token)")
        #expect(try await side.redeem(code).error == "invalid_grant")
    }

    @Test("attack: a replayed code ends what it gave, not the app's session") func replayed()
        async throws
    {
        let side = try await Side()
        let code = try await side.code()
        let first = try await side.redeem(code)
        // The app's own life is no use of the code: inside the grace nothing happens.
        #expect(try await side.isAppAlive())
        #expect(try await side.redeem(code).error == "invalid_grant")
        var refresh = first["refresh_token"]?.string
        let refreshed = try await NativeSSOTests.refresh(side.web, refresh, client: "offers")
        #expect(refreshed.status == 200)
        refresh = refreshed["refresh_token"]?.string
        #expect(try await side.redeem(code).error == "invalid_grant")
        let dead = try await NativeSSOTests.refresh(side.web, refresh, client: "offers")
        #expect(dead.error == "invalid_grant")
        #expect(try await side.isAppAlive())
    }
}
