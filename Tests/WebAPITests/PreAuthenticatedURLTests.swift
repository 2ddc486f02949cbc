import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// Pre-authenticated URLs from the exchange to the cookie (WireContract 4.4, 5.7; Security 4.8).
@Suite("Pre-authenticated URL") struct PreAuthenticatedURLTests {
    static let scope =
        "openid offline_access email device_sso https://authgear.com/scopes/pre-authenticated-url"
    static let type = "urn:authgear:params:oauth:response-type:pre-authenticated-url token"

    static func session(_ web: WebSide, scope: String = scope) async throws -> Answer {
        try await NativeSSOTests.session(web, scope: scope)
    }

    static func exchange(
        _ web: WebSide,
        _ session: Answer,
        client: String = "offers",
        scope: String? = nil
    ) async throws -> Answer {
        var form = try NativeSSOTests.form(session, client: client)
        if let scope { form.append(("scope", scope)) }
        form.append(
            (
                "requested_token_type",
                "urn:authgear:params:oauth:token-type:pre-authenticated-url-token"
            )
        )
        return try await NativeSSOTests.send(web, form)
    }

    static func parameters(_ exchanged: Answer) throws -> [(String, String)] {
        [
            ("client_id", "offers"), ("response_type", type), ("response_mode", "cookie"),
            ("prompt", "none"), ("state", "s 1"),
            ("id_token_hint", try #require(exchanged["id_token"]?.string)),
            ("x_pre_authenticated_url_token", try #require(exchanged["access_token"]?.string)),
            ("redirect_uri", "https://www.example.com/deals?a=b#top"),
        ]
    }

    static func target(_ parameters: [(String, String)]) -> String {
        "/oauth2/authorize?"
            + parameters.map { name, value in
                "\(name)=\(String(decoding: PercentEncoding.encode(value.utf8), as: UTF8.self))"
            }.joined(separator: "&")
    }

    /// A browser opens the URL, perhaps with another hint.
    static func open(_ web: WebSide, _ exchanged: Answer, hint: String? = nil)
        async throws -> Answer
    {
        var parameters = try parameters(exchanged)
        if let hint {
            parameters = parameters.filter { $0.0 != "id_token_hint" } + [("id_token_hint", hint)]
        }
        return try await web.send(.get, target(parameters))
    }

    @Test("attack: an app names itself as the client of the web whose pages it opens") func itself()
        async throws
    {
        let web = try await WebSide()
        let session = try await Self.session(web)
        let answer = try await web.expectNothingRecorded {
            try await Self.exchange(web, session, client: "app")
        }
        #expect(answer.word == "400 unauthorized_client")
    }

    @Test("the app's session opens in the browser: one cookie, one redirect, once") func opens()
        async throws
    {
        let web = try await WebSide()
        let session = try await Self.session(web)
        let login = Authentication(methods: [.otp], at: web.side.clock.now)
        web.side.clock.advance(seconds: 100)
        let exchanged = try await Self.exchange(web, session)
        #expect(exchanged.status == 200)
        #expect(web.identity(of: exchanged)?.authentication == login)
        #expect(exchanged["token_type"] == "Bearer")
        #expect(exchanged["expires_in"]?.integer == 60)
        #expect(exchanged["scope"] == nil)
        #expect(exchanged["device_secret"] != session["device_secret"])
        let target = Self.target(try Self.parameters(exchanged))
        let opened = try await web.send(.get, target)
        #expect(opened.status == 303)
        #expect(opened.field("Location") == ["https://www.example.com/deals?a=b&state=s%201#top"])
        #expect(opened.field("Referrer-Policy").contains("no-referrer"))
        #expect(opened.field("Cache-Control") == ["no-store"])
        let cookie = try #require(opened.field("Set-Cookie").first)
        #expect(cookie.hasPrefix("app_access_token="))
        #expect(cookie.hasSuffix("; Path=/; Domain=example.com; Secure; HttpOnly; SameSite=Lax"))
        // A second one for this server, which no other host may see (WireContract 8.1).
        let own = try #require(opened.field("Set-Cookie").last)
        #expect(own.hasPrefix("__Host-chancery_app_session="))
        #expect(own.hasSuffix("; Path=/; Secure; HttpOnly; SameSite=Lax"))
        let token = cookie.dropFirst("app_access_token=".count).prefix { $0 != ";" }
        let claims = try #require(web.claims(of: token))
        #expect(claims.audience == ["offers"])
        #expect(claims.authentication == login)
        #expect(try await web.side.isActive(Array(token.utf8), asked: "web-api"))
        let again = try await web.send(.get, target)
        #expect(again.field("Location").first?.contains("error=invalid_request") == true)
        #expect(again.field("Set-Cookie") == [])
        // Its end is the session's end.
        let refresh = try #require(session["refresh_token"]?.string)
        _ = try await web.post("/oauth2/revoke", "token=\(refresh)")
        #expect(try await web.side.isActive(Array(token.utf8), asked: "web-api") == false)
    }

    @Test("the new pair is the next one's, and lets another app in, too") func chain() async throws
    {
        let web = try await WebSide()
        let session = try await Self.session(web)
        let first = try await Self.exchange(web, session)
        let second = try await Self.exchange(web, first)
        #expect(second.status == 200)
        // A lost answer: the old pair gives the same successor, until that one comes back.
        let lost = try await Self.exchange(web, first)
        #expect(lost["device_secret"] == second["device_secret"])
        #expect(lost["access_token"] != second["access_token"])
        #expect(try await NativeSSOTests.send(web, try NativeSSOTests.form(second)).status == 200)
        #expect(try await Self.exchange(web, first).error == "invalid_grant")
    }

    @Test("what is wrong sets no cookie and uses nothing up", arguments: rows)
    func refused(_ row: Row) async throws {
        let web = try await WebSide()
        let exchanged = try await Self.exchange(web, try await Self.session(web))
        var parameters = try Self.parameters(exchanged).filter { $0.0 != row.change.0 }
        if let value = row.change.1 { parameters.append((row.change.0, value)) }
        let commits = web.commits
        let target = Self.target(parameters)
        let answer = try await web.send(.get, target, fields: row.headers)
        #expect(answer.status == row.status)
        #expect(answer.field("Set-Cookie") == [])
        #expect(web.commits == commits)
        if let error = row.error {
            #expect(answer.field("Location").first?.contains("error=\(error)&") == true)
            #expect(answer.field("Location").first?.hasSuffix("#top") == true)
        }
        let good = Self.target(try Self.parameters(exchanged))
        let site = [("sec-fetch-site", "none")]
        #expect(try await web.send(.get, good, fields: site).field("Set-Cookie").count == 2)
    }

    @Test("attack: a URL that leaked is dead after a minute") func expired() async throws {
        let web = try await WebSide()
        let exchanged = try await Self.exchange(web, try await Self.session(web))
        web.side.clock.advance(seconds: 61)
        let answer = try await web.expectNothingRecorded { try await Self.open(web, exchanged) }
        #expect(answer.field("Location").first?.contains("error=invalid_request") == true)
    }

    @Test("attack: the device secret was revoked, or the session, after the URL was made")
    func revoked() async throws {
        for member in ["device_secret", "refresh_token"] {
            let web = try await WebSide()
            let session = try await Self.session(web)
            let exchanged = try await Self.exchange(web, session)
            let holder = member == "device_secret" ? exchanged : session
            let token = try #require(holder[member]?.string)
            _ = try await web.post("/oauth2/revoke", "token=\(token)")
            let answer = try await web.expectNothingRecorded {
                try await Self.open(web, exchanged)
            }
            #expect(answer.field("Location").first?.contains("error=invalid_request") == true)
            #expect(answer.field("Set-Cookie") == [])
        }
    }

    @Test("attack: a victim's browser, signed in as itself, is put into another account")
    func otherAccount() async throws {
        let web = try await WebSide()
        let exchanged = try await Self.exchange(web, try await Self.session(web))
        let cookie = try await Self.signIn(web, SubjectID(Sample.stream(0x51)))
        let commits = web.commits
        let target = Self.target(try Self.parameters(exchanged))
        let fields = [("cookie", "__Host-chancery_session=\(cookie)")]
        let answer = try await web.send(.get, target, fields: fields)
        #expect(answer.field("Location").first?.contains("error=interaction_required&") == true)
        #expect(answer.field("Set-Cookie") == [])
        #expect(web.commits == commits)
        // The app's own user may be signed in there.
        let own = try await Self.signIn(web, web.side.subject, isNew: false)
        let mine = [("cookie", "__Host-chancery_session=\(own)")]
        #expect(try await web.send(.get, target, fields: mine).field("Set-Cookie").count == 2)
    }

    /// A browser-session of somebody; the cookie's value.
    static func signIn(_ web: WebSide, _ subject: SubjectID, isNew: Bool = true)
        async throws -> String
    {
        let side = web.side
        if isNew {
            let email = Sealed(bytes: Array("b@example.com".utf8))
            try await side.run(Subject.self, subject.stream) {
                .register(source: .loginLink, email: email, emailVerified: true, at: side.clock.now)
            }
        }
        let token = OpaqueToken(
            .browserSession,
            stream: .timeOrdered(at: side.clock.now, from: side.entropy),
            secret: side.entropy.bytes(32),
            digester: side.digester
        )
        let session = BrowserSession.Session(
            subject: subject,
            authentication: Authentication(methods: [.otp], at: side.clock.now),
            cookie: token.digest,
            parent: Parent(kind: .loginLink, stream: subject.stream),
            openedAt: side.clock.now,
            expiresAt: side.clock.now.adding(seconds: 3600).wholeMilliseconds,
            idleMilliseconds: 604_800_000
        )
        try await side.run(BrowserSession.self, token.stream) { .open(session) }
        return String(decoding: token.text, as: UTF8.self)
    }

    @Test("HEAD changes nothing") func head() async throws {
        let web = try await WebSide()
        let exchanged = try await Self.exchange(web, try await Self.session(web))
        let commits = web.commits
        let answer = try await web.send(.head, Self.target(try Self.parameters(exchanged)))
        #expect(answer.status == 204)
        #expect(web.commits == commits)
    }

    @Test("who has not opted in gets no URL") func closed() async throws {
        let web = try await WebSide()
        let session = try await Self.session(web)
        let closed = try await web.expectNothingRecorded {
            try await Self.exchange(web, session, client: "other")
        }
        #expect(closed.error == "unauthorized_client")
        let plain = try await Self.session(web, scope: NativeSSOTests.scope)
        let poor = try await web.expectNothingRecorded { try await Self.exchange(web, plain) }
        #expect(poor.error == "insufficient_scope")
    }

    @Test("the id-token grant: same session, same secret, nothing recorded") func identity()
        async throws
    {
        let web = try await WebSide()
        let session = try await Self.session(web)
        let secret = try #require(session["device_secret"]?.string)
        let token = try #require(session["access_token"]?.string)
        let grant = "urn:authgear:params:oauth:grant-type:id-token"
        web.side.clock.advance(seconds: 100)
        let commits = web.commits
        let answer = try await web.post(
            "/oauth2/token",
            "grant_type=\(grant)&client_id=app&device_secret=\(secret)",
            ["authorization": "Bearer \(token)"]
        )
        #expect(answer.status == 200)
        #expect(answer["device_secret"]?.string == secret)
        #expect(answer["access_token"] == nil)
        #expect(web.commits == commits)
        let login = web.claims(of: session)?.authentication
        #expect(login != nil && web.identity(of: answer)?.authentication == login)
        var form = try NativeSSOTests.form(session)
        form[3].1 = try #require(answer["id_token"]?.string)
        #expect(try await NativeSSOTests.send(web, form).status == 200)
        let bare = try await web.post("/oauth2/token", "grant_type=\(grant)&client_id=app")
        #expect(bare.status == 401)
        #expect(bare.field("WWW-Authenticate") == ["Bearer"])
    }

    @Test("without a key to sign by the URL is not used up") func keyless() async throws {
        let signer = StandInSigner()
        let web = try await WebSide(signer: signer)
        let exchanged = try await Self.exchange(web, try await Self.session(web))
        let target = Self.target(try Self.parameters(exchanged))
        let commits = web.commits
        signer.loseKey(true)
        let failed = try await web.send(.get, target)
        #expect(failed.word == "500 server_error")
        #expect(web.commits == commits)
        signer.loseKey(false)
        #expect(try await web.send(.get, target).field("Set-Cookie").count == 2)
    }

    @Test("where a URL was opened is noted, once, and only when it was") func place() async throws {
        let web = try await WebSide()
        let exchanged = try await Self.exchange(web, try await Self.session(web))
        let target = Self.target(try Self.parameters(exchanged))
        let agent = [("user-agent", "Firefox/1")]
        _ = try await web.send(.get, target, fields: agent)
        _ = try await web.send(.get, target, fields: agent)
        #expect(web.contexts.recorded.map(\.userAgent) == ["Firefox/1"])
        #expect(web.contexts.recorded.first?.command == web.side.store.commits.last?.command)
    }
}
