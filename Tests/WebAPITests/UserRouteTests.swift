import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// The head that all routes for a user's own things share (WireContract 9.1 and 9.5): whoever
/// they let in, they let in alike, and a refused request changes nothing.
@Suite("Routes for a user's own things") struct UserRouteTests {
    struct Target: Sendable, CustomTestStringConvertible {
        var method: WebAPI.Method
        var path: String

        init(_ method: WebAPI.Method, _ path: String) {
            self.method = method
            self.path = path
        }

        var testDescription: String { "\(method.rawValue) \(path)" }
    }

    static let targets = [
        Target(.get, "/api/v1/sessions"),
        Target(.get, "/api/v1/sessions/\(Sample.session(1))"),
        Target(.delete, "/api/v1/sessions/\(Sample.session(1))"),
        Target(.post, "/api/v1/sessions/revoke_others"),
        Target(.get, "/api/v1/biometric_keys"),
        Target(.delete, "/api/v1/biometric_keys/kid-0001"),
    ]

    private func send(_ target: Target, _ token: String?, _ web: WebSide) async throws -> Answer {
        let fields = token.map { [("authorization", $0)] } ?? []
        return try await web.send(target.method, target.path, fields: fields)
    }

    private func expect(_ answer: Answer, _ status: Int, _ reason: String, _ web: WebSide) {
        #expect(answer.status == status, "\(answer.body)")
        #expect(answer["error"]?["reason"]?.string == reason)
        #expect(answer.field("Cache-Control") == ["no-store"])
    }

    @Test("a token that would do opens it", arguments: targets) func opens(_ target: Target)
        async throws
    {
        let web = try await WebSide()
        let mine = try await SessionAPITests.session(web)
        let token = try #require(mine["access_token"]?.string)
        let answer = try await send(target, "Bearer \(token)", web)
        // What is named in the path is not there.
        #expect([200, 404].contains(answer.status), "\(answer.body)")
    }

    @Test("none, no bearer, a bad one: log in", arguments: targets) func bad(_ target: Target)
        async throws
    {
        let web = try await WebSide()
        let session = try await SessionAPITests.session(web)
        let refresh = try #require(session["refresh_token"]?.string)
        let before = web.commits
        for token in [nil, "Bearer x", "Basic YTpi", "Bearer \(refresh)"] as [String?] {
            let answer = try await send(target, token, web)
            expect(answer, 401, "Unauthenticated", web)
            #expect(answer.field("WWW-Authenticate").count == 1)
        }
        #expect(web.commits == before)
    }

    @Test("attack: made-up tokens, one after the other, until their sender is refused unheard")
    func flood() async throws {
        let web = try await WebSide(limits: [.failedRequest: .init(perMinute: 3)])
        let session = try await SessionAPITests.session(web)
        let token = try #require(session["access_token"]?.string)
        for _ in 0..<3 {
            expect(
                try await send(Self.targets[0], "Bearer a.b.c", web),
                401,
                "Unauthenticated",
                web
            )
        }
        let late = try await send(Self.targets[4], "Bearer \(token)", web)
        #expect(late.status == 429)
        #expect(late["error"]?["reason"]?.string == "RateLimited")
    }

    @Test("one without full access: not allowed", arguments: targets)
    func narrow(_ target: Target) async throws {
        let web = try await WebSide()
        let session = try await SessionAPITests.session(web, scope: "openid offline_access")
        let token = try #require(session["access_token"]?.string)
        let before = web.commits
        expect(try await send(target, "Bearer \(token)", web), 403, "AccessDenied", web)
        #expect(web.commits == before)
    }

    @Test("one of an ended session, or of a disabled user: erase yours", arguments: targets)
    func ended(_ target: Target) async throws {
        let web = try await WebSide()
        let session = try await SessionAPITests.session(web)
        let other = try await SessionAPITests.session(web)
        let id = try SessionAPITests.sid(of: session, web)
        try await web.side.run(OfflineGrant.self, id.stream) { .revoke(.logout) }
        let token = try #require(session["access_token"]?.string)
        expect(try await send(target, "Bearer \(token)", web), 403, "InvalidGrant", web)
        try await web.side.run(Subject.self, web.side.subject.stream) { .disable(.operator) }
        let alive = try #require(other["access_token"]?.string)
        let before = web.commits
        expect(try await send(target, "Bearer \(alive)", web), 403, "InvalidGrant", web)
        #expect(web.commits == before)
    }

    @Test("one of a guest that was logged out: erase yours", arguments: targets)
    func guest(_ target: Target) async throws {
        let web = try await WebSide()
        let host = try await NativeSSOTests.session(web)
        let guest = try await NativeSSOTests.send(web, NativeSSOTests.form(host))
        let refresh = try #require(guest["refresh_token"]?.string)
        let form = "client_id=invest&token=\(refresh)"
        #expect(try await web.post("/oauth2/revoke", form).status == 200)
        let token = try #require(guest["access_token"]?.string)
        expect(try await send(target, "Bearer \(token)", web), 403, "InvalidGrant", web)
    }

    @Test("one of a disabled client: the session is alive, so none is erased", arguments: targets)
    func disabledClient(_ target: Target) async throws {
        let web = try await WebSide()
        let session = try await SessionAPITests.session(web)
        let token = try #require(session["access_token"]?.string)
        var settings = web.side.project.settings
        settings.clients[0].enabled = false
        try await web.side.apply(settings)
        let before = web.commits
        expect(try await send(target, "Bearer \(token)", web), 401, "Unauthenticated", web)
        #expect(web.commits == before)
    }

    @Test("a script of a client's origin may ask, of another not", arguments: targets)
    func crossOrigin(_ target: Target) async throws {
        let web = try await WebSide()
        for (origin, allowed) in [
            ("https://app.example.com", ["https://app.example.com"]),
            ("https://evil.example.com", []),
        ] {
            let answer = try await web.send(
                target.method,
                target.path,
                fields: [("origin", origin)]
            )
            #expect(answer.field("Access-Control-Allow-Origin") == allowed)
            let credentials = allowed.map { _ in "true" }
            #expect(answer.field("Access-Control-Allow-Credentials") == credentials)
        }
    }

    @Test("without a database nothing has ended, and nobody is told so", arguments: [2, 3])
    func unavailable(_ number: Int) async throws {
        let target = Self.targets[number]
        let web = try await WebSide()
        let mine = try await SessionAPITests.session(web)
        let other = try await SessionAPITests.session(web)
        let token = try #require(mine["access_token"]?.string)
        let id = try SessionAPITests.sid(of: other, web)
        let path = target.method == .delete ? "/api/v1/sessions/\(id)" : target.path
        web.side.store.fail(.unavailable)
        let answer = try await send(Target(target.method, path), "Bearer \(token)", web)
        expect(answer, 503, "ServiceUnavailable", web)
        #expect(try await NativeSSOTests.isActive(web, other))
    }

    @Test("the log has the id of what went wrong, as where answers have form A") func named() {
        let error = EnvelopeError(OAuthError(StoreError.unavailable))
        #expect(WebAPI.Response.envelope(error).refusal?.id == "ST-001")
        let nonce = OAuthError(.useDPoPNonce, "use the nonce", nonce: "n")
        #expect(EnvelopeError(nonce).nonce == "n")
    }
}
