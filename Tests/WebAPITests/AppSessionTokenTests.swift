import Crypto
import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// Tokens by which an app opens our own pages in a browser (WireContract 9.6, Security 4.8).
@Suite("App-session tokens") struct AppSessionTokenTests {
    static let path = "/oauth2/app_session_token"
    static let scope = "openid offline_access https://authgear.com/scopes/full-access"
    static let settings = "https://auth.example.com/settings/sessions?x_color_scheme=dark"

    static func ask(
        _ web: WebSide,
        _ refreshToken: String,
        _ headers: KeyValuePairs<String, String> = [:]
    ) async throws -> Answer {
        var fields: [(String, String)] = headers.map { ($0.key, $0.value) }
        fields.append(("content-type", "application/json"))
        let body = Array(#"{"refresh_token":"\#(refreshToken)"}"#.utf8)
        return try await web.send(.post, path, fields: fields, body: body)
    }

    /// The app's refresh token and a token for its browser.
    static func tokens(_ web: WebSide, client: String = "app")
        async throws -> (refresh: String, browser: String)
    {
        try await BiometricTests.User.allowFullAccess(web)
        let session = try await NativeSSOTests.session(web, client: client, scope: scope)
        let refresh = try #require(session["refresh_token"]?.string)
        let answer = try await ask(web, refresh)
        #expect(answer.status == 200)
        return (refresh, try #require(answer["result"]?["app_session_token"]?.string))
    }

    /// A refresh token that is bound to the phone's key.
    static func boundToken(_ web: WebSide, to phone: Phone) async throws -> String {
        try await BiometricTests.User.allowFullAccess(web)
        let proof = try DPoPTests.proof(phone, "born")
        let born = try await DPoPTests.redeem(web, proof: proof, scope: scope)
        return try #require(born["refresh_token"]?.string)
    }

    /// A proof for this route.
    static func proof(by phone: Phone, _ id: String) throws -> String {
        let target = "https://auth.example.com\(path)"
        return try phone.jwt(phone.header("dpop+jwt"), DPoPTests.payload(id, at: target))
    }

    static func open(
        _ web: WebSide,
        _ token: String,
        _ changes: [String: String] = [:],
        fields: [(String, String)] = []
    ) async throws -> Answer {
        try await web.send(.get, target(token, changes), fields: fields)
    }

    static func target(_ token: String, _ changes: [String: String] = [:]) -> String {
        let hint = "https://authgear.com/login_hint?type=app_session_token&app_session_token="
        var parameters = [
            "client_id": "app", "response_type": "none", "prompt": "none",
            "redirect_uri": settings, "login_hint": hint + token,
        ]
        parameters.merge(changes) { $1 }
        let pairs = parameters.filter { !$0.value.isEmpty }.map { ($0, $1) }
        return PreAuthenticatedURLTests.target(pairs)
    }

    @Test("attack: guessing refresh tokens here ends at the limit of failed requests")
    func guessing()
        async throws
    {
        let web = try await WebSide(limits: [.failedRequest: .init(perMinute: 60, burst: 2)])
        for _ in 0..<2 { #expect(try await Self.ask(web, "rt_unknown").status == 403) }
        let third = try await Self.ask(web, "rt_unknown")
        #expect(third.status == 429 && third["error"]?["reason"] == "RateLimited")
        #expect(third.field("retry-after") == ["1"])
    }

    @Test("opens the settings, once, and leaves the refresh token as it was") func opens()
        async throws
    {
        let web = try await WebSide()
        let (refresh, token) = try await Self.tokens(web)
        #expect(token.hasPrefix("as_") && token.utf8.count == 86)
        let opened = try await Self.open(web, token)
        #expect(opened.status == 303)
        #expect(opened.field("Location").first?.hasPrefix(Self.settings) == true)
        #expect(opened.field("Referrer-Policy") == ["no-referrer"])
        let cookie = try #require(opened.field("Set-Cookie").first)
        #expect(cookie.hasPrefix("__Host-chancery_settings="))
        let again = try await Self.open(web, token)
        #expect(again.field("Location").first?.contains("error=login_required") == true)
        #expect(again.field("Set-Cookie") == [])
        #expect(try await Self.ask(web, refresh).status == 200)
        // The cookie opens our pages; to other clients it is no login (decision 0053).
        let value = String(cookie.prefix { $0 != ";" })
        let start = try await web.send(
            .get,
            "/oauth2/authorize?\(PushedRequestTests.form())",
            fields: [("cookie", value)]
        )
        #expect(start.field("Location").first?.hasPrefix("/login?tx=") == true)
    }

    @Test("a registered redirect URI is fine, too") func registered() async throws {
        let web = try await WebSide()
        let token = try await Self.tokens(web).browser
        let answer = try await Self.open(
            web,
            token,
            ["redirect_uri": TokenSide.redirectURI, "state": "s"]
        )
        #expect(answer.field("Location").first?.hasPrefix(TokenSide.redirectURI) == true)
        #expect(answer.field("Location").first?.contains("state=s") == true)
        #expect(answer.field("Set-Cookie").count == 1)
    }

    @Test(
        "attack: an address of ours that is not the settings, or nobody's",
        arguments: [
            "https://auth.example.com/oauth2/authorize", "https://auth.example.com/settingsx",
            "https://auth.example.com/settings/../logout", "https://auth.example.com/",
            "https://auth.example.com/settings%2F..%2Flogout", "https://evil.example/settings",
            "https://auth.example.com@evil.example/settings",
            "http://auth.example.com/settings", "https://auth.example.com:444/settings",
            "https://AUTH.example.com/settings", "//auth.example.com/settings",
        ]
    )
    func elsewhere(_ uri: String) async throws {
        let web = try await WebSide()
        let token = try await Self.tokens(web).browser
        let commits = web.commits
        let answer = try await Self.open(web, token, ["redirect_uri": uri])
        #expect(answer.status == 400)
        #expect(answer.field("Set-Cookie") == [])
        #expect(web.commits == commits)
    }

    @Test(
        "attack: another site's page, another client, a prefetch, another prompt, an altered token",
        arguments: ["site", "client", "prefetch", "prompt", "altered", "late", "ended"]
    )
    func refused(_ how: String) async throws {
        let web = try await WebSide()
        var (refresh, token) = try await Self.tokens(web)
        var changes: [String: String] = [:]
        var fields: [(String, String)] = []
        var error = "error=login_required"
        switch how {
        case "site":
            fields = [("sec-fetch-site", "cross-site")]
            error = "error=interaction_required"
        case "client": changes = ["client_id": "other"]
        case "prefetch":
            fields = [("sec-purpose", "prefetch")]
            error = ""
        case "prompt":
            changes = ["prompt": "login"]
            error = "error=invalid_request"
        case "altered": token = String(token.dropLast()) + (token.last == "A" ? "B" : "A")
        case "late": web.side.clock.advance(seconds: 60)
        default: _ = try await web.post("/oauth2/revoke", "token=\(refresh)")
        }
        let commits = web.commits
        let answer = try await Self.open(web, token, changes, fields: fields)
        #expect(answer.status == (error.isEmpty ? 204 : 303))
        #expect(error.isEmpty || answer.field("Location").first?.contains(error) == true)
        #expect(answer.field("Set-Cookie") == [])
        #expect(web.commits == commits)
    }

    @Test(
        "attack: a browser that is somebody else's, who signed in or whose app let it in",
        arguments: [true, false]
    )
    func othersBrowser(_ isSignedIn: Bool) async throws {
        let web = try await WebSide()
        let token = try await Self.tokens(web).browser
        let somebody = try await web.somebodyElse()
        let cookie: String
        if isSignedIn {
            let value = try await PreAuthenticatedURLTests.signIn(web, somebody, isNew: false)
            cookie = "__Host-chancery_session=\(value)"
        } else {
            let code = try await web.side.code(scope: Self.scope, of: somebody)
            let theirs = try await DeviceKeyTests.redeem(web, code: code, jwt: nil)
            let asked = try await Self.ask(web, try #require(theirs["refresh_token"]?.string))
            let own = try #require(asked["result"]?["app_session_token"]?.string)
            let set = try await Self.open(web, own).field("Set-Cookie").first
            cookie = String(try #require(set).prefix { $0 != ";" })
        }
        let answer = try await web.expectNothingRecorded {
            try await Self.open(web, token, fields: [("cookie", cookie)])
        }
        #expect(answer.field("Location").first?.contains("error=interaction_required&") == true)
        #expect(answer.field("Set-Cookie") == [])
        #expect(try await Self.open(web, token).field("Set-Cookie").count == 1)
    }

    @Test("attack: fifty browsers at once, one is let in") func race() async throws {
        let web = try await WebSide()
        let token = try await Self.tokens(web).browser
        let before = web.commits
        let opened = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<50 {
                group.addTask { try await Self.open(web, token).field("Set-Cookie").count }
            }
            return try await group.reduce(0, +)
        }
        #expect(opened == 1)
        #expect(web.commits == before + 1)
    }

    @Test("who gets none: form B, and apps erase their session on InvalidGrant") func worthless()
        async throws
    {
        let web = try await WebSide()
        let plain = try await NativeSSOTests.session(web, scope: "openid offline_access")
        let narrow = try #require(plain["refresh_token"]?.string)
        let denied = try await web.expectNothingRecorded { try await Self.ask(web, narrow) }
        #expect(denied.status == 403)
        #expect(denied["error"]?["reason"] == "AccessDenied")
        for token in ["", "rt_x", "rt_" + String(repeating: "A", count: 72)] {
            let answer = try await web.expectNothingRecorded { try await Self.ask(web, token) }
            #expect(answer.status == 403)
            #expect(answer["error"]?["reason"] == "InvalidGrant")
        }
        let refresh = try await Self.tokens(web).refresh
        _ = try await web.post("/oauth2/revoke", "token=\(refresh)")
        #expect(try await Self.ask(web, refresh)["error"]?["reason"] == "InvalidGrant")
        let form = try await web.post(Self.path, "refresh_token=\(refresh)")
        #expect(form.status == 400)
        #expect(form["error"]?["name"] == "BadRequest")
    }

    @Test("attack: a token that was made before its client lost full access") func outlived()
        async throws
    {
        let web = try await WebSide()
        let token = try await Self.tokens(web).browser
        let id = web.side.project.settings.id
        var settings = try #require(web.side.projects.project(id: id)).settings
        settings.clients[0].allowedScopes = try Fixture.some(Scope("openid"))
        try await web.side.apply(settings)
        let commits = web.commits
        let answer = try await Self.open(web, token)
        #expect(answer.field("Location").first?.contains("error=login_required") == true)
        #expect(answer.field("Set-Cookie") == [])
        #expect(web.commits == commits)
    }

    @Test("attack: a token of a client that has left since, and come again") func laterStay()
        async throws
    {
        let web = try await WebSide()
        let project = web.side.project.settings.id
        var settings = try #require(web.side.projects.project(id: project)).settings
        for index in settings.clients.indices {
            settings.clients[index].allowedScopes = settings.clients[index].allowedScopes
                .union(Sample.scope(UserAccess.scope))
        }
        try await web.side.apply(settings)
        let scope = Self.scope + " device_sso"
        let app = try await NativeSSOTests.session(web, scope: scope)
        let guest = try await NativeSSOTests.send(web, try NativeSSOTests.form(app))
        let refresh = try #require(guest["refresh_token"]?.string)
        let token = try #require(
            try await Self.ask(web, refresh)["result"]?["app_session_token"]?.string
        )
        let id = try #require(
            RefreshToken(reading: Array(refresh.utf8), digester: web.side.digester)
        )
        let invest = try Fixture.some(ClientID("invest"))
        try await web.side.run(OfflineGrant.self, id.session.stream) {
            .share(.leave(invest, .tokenRevocation))
        }
        web.side.clock.advance(seconds: 1)
        let again = try await NativeSSOTests.send(web, try NativeSSOTests.form(app))
        #expect(again.status == 200, "\(again.body)")
        let answer = try await web.expectNothingRecorded {
            try await Self.open(web, token, ["client_id": "invest"])
        }
        #expect(answer.field("Location").first?.contains("error=login_required") == true)
        #expect(answer.field("Set-Cookie") == [])
    }
}
