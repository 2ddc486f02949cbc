import Foundation
import TestSupport
import Testing

/// Fifty at once, half at each of two token-issuers on one database (security.md I1, 4.8, 4.9).
@Suite("Races for a shared session", .timeLimit(.minutes(3))) struct SharingRaceTests {
    private static let callers = 50
    private static let exchange = "urn:ietf:params:oauth:grant-type:token-exchange"
    private static let urlType =
        "urn:authgear:params:oauth:token-type:pre-authenticated-url-token"

    static func session(_ stack: RunningStack) async throws -> WireAnswer {
        var browser = Browser(stack.issuer)
        let signIn = SignIn(
            mailPage: stack.facts["MAIL_PAGE"] ?? "",
            client: "app",
            scope: "openid offline_access device_sso "
                + "https://authgear.com/scopes/pre-authenticated-url",
            email: "race-\(UUID().uuidString.prefix(8).lowercased())@example.com"
        )
        let code = try await signIn.code(&browser)
        let fields = [
            ("grant_type", "authorization_code"), ("client_id", "app"), ("code", code),
            ("redirect_uri", SignIn.redirectURIs["app"] ?? ""),
            ("code_verifier", SignIn.verifier),
        ]
        let answer = try await browser.send(
            "POST",
            "/oauth2/token",
            body: SignIn.form(fields)
        )
        #expect(answer.status == 200)
        return answer
    }

    static func exchange(
        _ session: WireAnswer,
        client: String,
        _ stack: RunningStack,
        for type: String = ""
    ) -> String {
        SignIn.form([
            ("grant_type", exchange), ("client_id", client), ("audience", stack.issuer),
            ("subject_token", session.member("id_token") ?? ""),
            ("subject_token_type", "urn:ietf:params:oauth:token-type:id_token"),
            ("actor_token", session.member("device_secret") ?? ""),
            ("actor_token_type", "urn:x-oath:params:oauth:token-type:device-secret"),
            ("requested_token_type", type),
        ])
    }

    /// The same request from all callers, of both issuers in turn.
    private static func atOnce(
        _ stack: RunningStack,
        _ method: String,
        _ target: String,
        _ body: String = "",
        headers: [(name: String, value: String)] = []
    ) async throws -> [WireAnswer] {
        let other = try await IssuerProcess(beside: stack, named: "racing")
        defer {
            // In order: one that is killed keeps the mails it has leased from everybody else.
            other.signal(SIGTERM)
            _ = other.end()
        }
        let host = stack.issuer.components(separatedBy: "://").last ?? ""
        return try await withThrowingTaskGroup(of: WireAnswer.self) { group in
            for number in 0..<callers {
                group.addTask {
                    var browser = Browser(number.isMultiple(of: 2) ? stack.issuer : other.origin)
                    return try await browser.send(
                        method,
                        target,
                        headers: headers + [(name: "Host", value: host)],
                        body: body
                    )
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test("attack: fifty browsers open one pre-authenticated URL: one gets the cookie")
    func urls() async throws {
        let stack = try RunningStack.running()
        let session = try await Self.session(stack)
        var app = Browser(stack.issuer)
        let exchanged = try await app.send(
            "POST",
            "/oauth2/token",
            body: Self.exchange(session, client: "offers", stack, for: Self.urlType)
        )
        let query = SignIn.form([
            ("client_id", "offers"), ("prompt", "none"), ("response_mode", "cookie"),
            (
                "response_type",
                "urn:authgear:params:oauth:response-type:pre-authenticated-url token"
            ),
            ("id_token_hint", exchanged.member("id_token") ?? ""),
            ("x_pre_authenticated_url_token", exchanged.member("access_token") ?? ""),
            ("redirect_uri", "https://offers.demo.example/deals"),
        ])
        let answers = try await Self.atOnce(stack, "GET", "/oauth2/authorize?\(query)")
        let opened = answers.filter { $0["set-cookie"] != nil }
        #expect(opened.count == 1)
        #expect(opened.first?["location"] == "https://offers.demo.example/deals")
        for answer in answers where answer["set-cookie"] == nil {
            // One that was told to come back again and again knows nothing.
            if answer.status == 503 { continue }
            #expect(answer.status == 303)
            #expect(answer["location"]?.contains("error=invalid_request&") == true)
        }
    }

    @Test("fifty exchanges of one device secret: the same successor for all") func successors()
        async throws
    {
        let stack = try RunningStack.running()
        let session = try await Self.session(stack)
        let body = Self.exchange(session, client: "offers", stack, for: Self.urlType)
        let answers = try await Self.atOnce(stack, "POST", "/oauth2/token", body)
        let good = answers.filter { $0.status == 200 }
        #expect(!good.isEmpty)
        // Streams so busy that twelve attempts lost answer 503, and nothing has changed.
        #expect(answers.allSatisfy { $0.status == 200 || $0.status == 503 })
        #expect(Set(good.compactMap { $0.member("device_secret") }).count == 1)
        #expect(Set(good.compactMap { $0.member("access_token") }).count == good.count)
    }

    @Test("fifty apps join with one device secret: one family of the client is left") func joins()
        async throws
    {
        let stack = try RunningStack.running()
        let session = try await Self.session(stack)
        let body = Self.exchange(session, client: "invest", stack)
        let answers = try await Self.atOnce(stack, "POST", "/oauth2/token", body)
        #expect(answers.allSatisfy { $0.status == 200 || $0.status == 503 })
        var alive = 0
        for token in answers.compactMap({ $0.member("refresh_token") }) {
            var app = Browser(stack.issuer)
            let fields = [
                ("grant_type", "refresh_token"), ("client_id", "invest"), ("refresh_token", token),
            ]
            let answer = try await app.send("POST", "/oauth2/token", body: SignIn.form(fields))
            if answer.status == 200 { alive += 1 }
        }
        #expect(alive == 1)
    }

    @Test("attack: fifty browsers bring one pushed request: one takes it") func pushed()
        async throws
    {
        let stack = try RunningStack.running()
        var app = Browser(stack.issuer)
        let fields = [
            ("client_id", "app"), ("response_type", "code"), ("scope", "openid"),
            ("redirect_uri", SignIn.redirectURIs["app"] ?? ""),
            ("code_challenge", SignIn.challenge), ("code_challenge_method", "S256"),
        ]
        let pushed = try await app.send("POST", "/oauth2/par", body: SignIn.form(fields))
        let query = SignIn.form([
            ("client_id", "app"), ("request_uri", pushed.member("request_uri") ?? ""),
        ])
        let answers = try await Self.atOnce(stack, "GET", "/oauth2/authorize?\(query)")
        #expect(answers.filter { $0.status == 303 }.count == 1)
        #expect(answers.allSatisfy { $0.status == 303 || $0.status == 400 || $0.status == 503 })
    }

    @Test("the id-token grant, fifty at once: one session, one secret; none after its end")
    func identities() async throws {
        let stack = try RunningStack.running()
        let session = try await Self.session(stack)
        let body = SignIn.form([
            ("grant_type", "urn:authgear:params:oauth:grant-type:id-token"),
            ("client_id", "app"), ("device_secret", session.member("device_secret") ?? ""),
        ])
        let bearer = (
            name: "Authorization", value: "Bearer \(session.member("access_token") ?? "")"
        )
        let answers = try await Self.atOnce(
            stack,
            "POST",
            "/oauth2/token",
            body,
            headers: [bearer]
        )
        #expect(answers.allSatisfy { $0.status == 200 })
        let secrets = Set(answers.compactMap { $0.member("device_secret") })
        #expect(secrets == [session.member("device_secret") ?? ""])
        let said = try answers.map { answer in
            let token = try #require(WireAnswer(decoding: answer.member("id_token") ?? ""))
            let object = try JSONSerialization.jsonObject(with: token.body) as? [String: Any]
            let claims = try #require(object?["claims"] as? [String: Any])
            return ["sid", "ds_hash", "auth_time", "sub"].map { "\(claims[$0] ?? "none")" }
        }
        #expect(Set(said).count == 1)
        #expect(said.first?.contains("none") == false)
        var app = Browser(stack.issuer)
        let ending = SignIn.form([("token", session.member("refresh_token") ?? "")])
        #expect(try await app.send("POST", "/oauth2/revoke", body: ending).status == 200)
        let after = try await app.send(
            "POST",
            "/oauth2/token",
            headers: [bearer],
            body: body
        )
        #expect(after.status == 401 && after.member("error") == "invalid_grant")
    }
}
