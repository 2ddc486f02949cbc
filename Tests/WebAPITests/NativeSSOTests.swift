import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// OpenID Native SSO at the token endpoint (WireContract 5.1, 5.6 and 9.7; Security 4.9).
@Suite("Native SSO") struct NativeSSOTests {
    static let scope = "openid offline_access email device_sso"
    private static let exchange = "urn:ietf:params:oauth:grant-type:token-exchange"

    /// A session with everything.
    static func session(_ web: WebSide, client: String = "app", scope: String = scope)
        async throws -> Answer
    {
        let code = try await web.side.code(for: client, scope: scope)
        return try await DeviceKeyTests.redeem(web, code: code, jwt: nil, client: client)
    }

    static func form(_ session: Answer, client: String = "invest") throws -> [(String, String)] {
        [
            ("grant_type", exchange), ("client_id", client),
            ("audience", "https://auth.example.com"),
            ("subject_token", try #require(session["id_token"]?.string)),
            ("subject_token_type", "urn:ietf:params:oauth:token-type:id_token"),
            ("actor_token", try #require(session["device_secret"]?.string)),
            ("actor_token_type", "urn:x-oath:params:oauth:token-type:device-secret"),
        ]
    }

    static func send(_ web: WebSide, _ form: [(String, String)]) async throws -> Answer {
        let text = form.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
        return try await web.post("/oauth2/token", text)
    }

    static func refresh(
        _ web: WebSide,
        _ token: String?,
        client: String,
        secret: String? = nil
    ) async throws -> Answer {
        try await send(
            web,
            [
                ("grant_type", "refresh_token"), ("client_id", client),
                ("refresh_token", try #require(token)), ("device_secret", secret ?? ""),
            ]
        )
    }

    static func isActive(_ web: WebSide, _ answer: Answer) async throws -> Bool {
        let token = try #require(answer["access_token"]?.string)
        return try await web.side.isActive(Array(token.utf8))
    }

    @Test("attack: one session's secret, exchanged more often than a session may be refreshed")
    func tooOften() async throws {
        let web = try await WebSide(limits: [.refresh: .init(perMinute: 60, burst: 2)])
        let (mine, other) = (try await Self.session(web), try await Self.session(web))
        for _ in 0..<2 { #expect(try await Self.send(web, Self.form(mine)).status == 200) }
        let late = try await web.expectNothingRecorded {
            try await Self.send(web, Self.form(mine))
        }
        #expect(late.status == 429 && late.error == "x_rate_limited")
        #expect(try await Self.send(web, Self.form(other)).status == 200)
        web.side.clock.advance(seconds: 1)
        #expect(try await Self.send(web, Self.form(mine)).status == 200)
    }

    @Test("a session with device_sso hands out a secret, and says which in its id token")
    func opens() async throws {
        let web = try await WebSide()
        let session = try await Self.session(web)
        #expect(session.status == 200)
        #expect(session["device_secret"]?.string?.hasPrefix("ds_") == true)
        let identity = try #require(session["id_token"]?.string)
        let claims = web.side.signer.verifyIDToken(Array(identity.utf8), of: web.side.project)
        #expect(claims?.deviceSecretHash != nil)
        let plain = try await Self.session(web, scope: "openid offline_access")
        #expect(plain["device_secret"] == nil)
        let passing = try await Self.session(web, scope: "openid device_sso")
        #expect(passing["device_secret"] == nil)
    }

    @Test("an app of the group joins the session: same sid, its own tokens, the same secret")
    func joins() async throws {
        let web = try await WebSide()
        let session = try await Self.session(web)
        let login = Authentication(methods: [.otp], at: web.side.clock.now)
        web.side.clock.advance(seconds: 100)
        let joined = try await Self.send(web, try Self.form(session))
        #expect(joined.status == 200)
        #expect(web.logins(of: joined) == [login])
        #expect(joined["issued_token_type"] == "urn:ietf:params:oauth:token-type:access_token")
        #expect(joined["device_secret"] == session["device_secret"])
        let claims = try #require(web.identity(of: joined))
        #expect(claims.audience.text == "invest")
        let token = try #require(session["refresh_token"]?.string)
        let refresh = try #require(
            RefreshToken(reading: Array(token.utf8), digester: web.side.digester)
        )
        #expect(claims.session == refresh.session)
        web.side.clock.advance(seconds: 100)
        let again = try await Self.refresh(web, joined["refresh_token"]?.string, client: "invest")
        #expect(again.status == 200)
        #expect(again["device_secret"] != nil)
        #expect(web.logins(of: again) == [login])
        // The id token of the app that joined lets in, too: one step further away.
        var form = try Self.form(session)
        form[3].1 = try #require(joined["id_token"]?.string)
        #expect(try await Self.send(web, form).status == 200)
    }

    @Test("whichever it asks for, an app gets both its tokens", arguments: ["access", "refresh"])
    func requested(_ type: String) async throws {
        let web = try await WebSide()
        let wanted = "urn:ietf:params:oauth:token-type:\(type)_token"
        let form = try Self.form(try await Self.session(web))
        let joined = try await Self.send(web, form + [("requested_token_type", wanted)])
        #expect(joined.status == 200, "\(joined.body)")
        #expect(joined["issued_token_type"] == "urn:ietf:params:oauth:token-type:access_token")
        #expect(joined["access_token"] != nil && joined["refresh_token"] != nil)
    }

    /// One parameter changed in a request that is otherwise right.
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var name: String
        var value: String?
        var error: String
    }

    static let rows = [
        Row(testDescription: "no audience", name: "audience", error: "invalid_request"),
        Row(
            testDescription: "another server's audience",
            name: "audience",
            value: "https://auth.example.org",
            error: "invalid_target"
        ),
        Row(testDescription: "no subject token", name: "subject_token", error: "invalid_request"),
        Row(
            testDescription: "no type of it",
            name: "subject_token_type",
            error: "invalid_request"
        ),
        Row(
            testDescription: "an access token type",
            name: "subject_token_type",
            value: "urn:ietf:params:oauth:token-type:access_token",
            error: "invalid_request"
        ),
        Row(testDescription: "no actor token", name: "actor_token", error: "invalid_request"),
        Row(
            testDescription: "no type of the actor",
            name: "actor_token_type",
            error: "invalid_request"
        ),
        Row(
            testDescription: "an unknown requested type",
            name: "requested_token_type",
            value: "urn:ietf:params:oauth:token-type:saml2",
            error: "invalid_request"
        ),
        Row(
            testDescription: "a subject token that is none",
            name: "subject_token",
            value: "e30.e30.AA",
            error: "invalid_request"
        ),
        Row(
            testDescription: "a secret that never was one",
            name: "actor_token",
            value: "ds_" + String(repeating: "A", count: 64),
            error: "invalid_grant"
        ),
        Row(
            testDescription: "a secret of another form",
            name: "actor_token",
            value: "secret",
            error: "invalid_grant"
        ),
        Row(
            testDescription: "a client outside the group",
            name: "client_id",
            value: "other",
            error: "unauthorized_client"
        ),
        Row(
            testDescription: "more scope than the session's",
            name: "scope",
            value: "openid payments.read",
            error: "invalid_scope"
        ),
    ]

    @Test("a wrong request changes nothing", arguments: rows) func refused(_ row: Row) async throws
    {
        let web = try await WebSide()
        let session = try await Self.session(web)
        var form = try Self.form(session).filter { $0.0 != row.name }
        if let value = row.value { form.append((row.name, value)) }
        let commits = web.commits
        let answer = try await Self.send(web, form)
        #expect(answer.error == row.error)
        #expect(web.commits == commits)
        #expect(try await Self.send(web, try Self.form(session)).status == 200)
    }

    @Test("attack: an access token as subject token") func confusedType()
        async throws
    {
        let web = try await WebSide()
        let session = try await Self.session(web)
        var form = try Self.form(session)
        form[3].1 = try #require(session["access_token"]?.string)
        let answer = try await web.expectNothingRecorded { try await Self.send(web, form) }
        #expect(answer.error == "invalid_request")
    }

    @Test("attack: the id token of one session with the secret of another") func mixed()
        async throws
    {
        let web = try await WebSide()
        let first = try await Self.session(web)
        let second = try await Self.session(web)
        var form = try Self.form(first)
        form[5].1 = try #require(second["device_secret"]?.string)
        let commits = web.commits
        #expect(try await Self.send(web, form).error == "invalid_grant")
        #expect(web.commits == commits)
    }

    @Test("attack: an old id token with the secret of today") func staleBinding() async throws {
        let web = try await WebSide()
        let session = try await Self.session(web)
        let newer = try await Self.refresh(web, session["refresh_token"]?.string, client: "app")
        #expect(newer["device_secret"] != session["device_secret"])
        var form = try Self.form(newer)
        form[3].1 = try #require(session["id_token"]?.string)
        #expect(try await Self.send(web, form).error == "invalid_grant")
        #expect(try await Self.send(web, try Self.form(newer)).status == 200)
    }

    @Test("an id token that has expired still names its session") func expired() async throws {
        let web = try await WebSide()
        let session = try await Self.session(web)
        web.side.clock.advance(seconds: 4000)
        #expect(try await Self.send(web, try Self.form(session)).status == 200)
    }

    @Test("a secret that was replaced is good for a minute, and the same successor comes again")
    func handedOver() async throws {
        let web = try await WebSide()
        let session = try await Self.session(web)
        let first = try await Self.refresh(web, session["refresh_token"]?.string, client: "app")
        let token = first["refresh_token"]?.string
        let second = try await Self.refresh(web, token, client: "app")
        #expect(first["device_secret"] != session["device_secret"])
        #expect(second["device_secret"] == first["device_secret"])
        #expect(try await Self.send(web, try Self.form(session)).status == 200)
        web.side.clock.advance(seconds: 61)
        #expect(try await Self.send(web, try Self.form(session)).error == "invalid_grant")
    }

    @Test("a secret that comes back ends its predecessor, and is echoed") func echoed() async throws
    {
        let web = try await WebSide()
        let session = try await Self.session(web)
        let first = try await Self.refresh(web, session["refresh_token"]?.string, client: "app")
        let secret = try #require(first["device_secret"]?.string)
        let second = try await Self.refresh(
            web,
            first["refresh_token"]?.string,
            client: "app",
            secret: secret
        )
        #expect(second["device_secret"]?.string == secret)
        #expect(try await Self.send(web, try Self.form(session)).error == "invalid_grant")
    }
}
