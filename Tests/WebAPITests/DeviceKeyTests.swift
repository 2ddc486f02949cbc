import Crypto
import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// `x_app2app_device_key_jwt` at the redemption of a code (WireContract 5.2 and 6.2).
@Suite("Device keys at the token endpoint") struct DeviceKeyTests {
    /// One thing that is changed in a request that is otherwise right.
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var header: @Sendable (Members) -> Members = { $0 }
        var payload: @Sendable (Members) -> Members = { $0 }
        var isRefused = true
    }

    static let now: Int64 = 1_795_232_554

    /// Of the verifier that every redemption here brings.
    static let challenge = Base64URL.text(
        StandInDigester().sha256(Array(TokenSide.verifier.utf8)).bytes
    )

    static let rows = [
        Row(testDescription: "everything right", isRefused: false),
        Row(
            testDescription: "aud and client_id that match",
            payload: {
                $0.setting("aud", "https://auth.example.com").setting("client_id", "app")
            },
            isRefused: false
        ),
        Row(
            testDescription: "a clock 300 s behind",
            payload: { $0.setting("iat", .integer(now - 300)) },
            isRefused: false
        ),
        Row(
            testDescription: "a clock 300 s ahead",
            payload: {
                $0.setting("iat", .integer(now + 300)).setting("exp", .integer(now + 900))
            },
            isRefused: false
        ),
        Row(
            testDescription: "an expiry 300 s ago",
            payload: {
                $0.setting("iat", .integer(now - 300)).setting("exp", .integer(now - 300))
            },
            isRefused: false
        ),
        Row(testDescription: "alg none", header: { $0.setting("alg", "none") }),
        Row(testDescription: "alg HS256", header: { $0.setting("alg", "HS256") }),
        Row(testDescription: "crit", header: { $0.setting("crit", ["exp"]) }),
        Row(
            testDescription: "the typ of a biometric request",
            header: { $0.setting("typ", "vnd.authgear.biometric-request") }
        ),
        Row(testDescription: "no key at all", header: { $0.setting("jwk", nil) }),
        Row(testDescription: "no challenge", payload: { $0.setting("challenge", nil) }),
        Row(
            testDescription: "a challenge that was never issued",
            payload: { $0.setting("challenge", .string("ch_" + String(repeating: "A", count: 64))) }
        ),
        Row(testDescription: "no iat", payload: { $0.setting("iat", nil) }),
        Row(testDescription: "no exp", payload: { $0.setting("exp", nil) }),
        Row(testDescription: "iat as text", payload: { $0.setting("iat", "1795232554") }),
        Row(
            testDescription: "iat 301 s ago",
            payload: { $0.setting("iat", .integer(now - 301)) }
        ),
        Row(
            testDescription: "iat 301 s ahead",
            payload: {
                $0.setting("iat", .integer(now + 301)).setting("exp", .integer(now + 600))
            }
        ),
        Row(
            testDescription: "an expiry 301 s ago",
            payload: {
                $0.setting("iat", .integer(now - 300)).setting("exp", .integer(now - 301))
            }
        ),
        Row(
            testDescription: "a life of 601 s",
            payload: { $0.setting("exp", .integer(now + 601)) }
        ),
        Row(
            testDescription: "a number past 64 bits",
            payload: { $0.setting("exp", .decimal("99999999999999999999")) }
        ),
        Row(
            testDescription: "another audience",
            payload: { $0.setting("aud", "https://auth.example.org") }
        ),
        Row(
            testDescription: "a redirect_uri and a code_challenge that match",
            payload: {
                $0.setting("redirect_uri", .string(TokenSide.redirectURI))
                    .setting("code_challenge", .string(challenge))
            },
            isRefused: false
        ),
        Row(
            testDescription: "another redirect_uri",
            payload: { $0.setting("redirect_uri", "https://app.example.com/other") }
        ),
        Row(
            testDescription: "another code_challenge",
            payload: { $0.setting("code_challenge", .string(challenge + "A")) }
        ),
        Row(testDescription: "another client", payload: { $0.setting("client_id", "other") }),
        Row(testDescription: "device_info as text", payload: { $0.setting("device_info", "x") }),
    ]

    static func payload(_ web: WebSide, _ purpose: Challenges.Purpose = .app2app) -> Members {
        let challenge = web.side.challenges.issue(purpose, in: web.side.project)
        return [
            ("iat", .integer(now)), ("exp", .integer(now + 60)), ("action", "setup"),
            ("challenge", .string(String(decoding: challenge.text, as: UTF8.self))),
        ]
    }

    static func redeem(_ web: WebSide, code: String, jwt: String?, client: String = "app")
        async throws -> Answer
    {
        try await web.post(
            "/oauth2/token",
            "grant_type=authorization_code&client_id=\(client)&code=\(code)"
                + "&redirect_uri=\(TokenSide.redirectURI)&code_verifier=\(TokenSide.verifier)"
                + (jwt.map { "&x_app2app_device_key_jwt=\($0)" } ?? "")
        )
    }

    static func key(of answer: Answer, _ web: WebSide) async throws -> DeviceKey? {
        let token = try #require(answer["refresh_token"]?.string)
        let refresh = try #require(
            RefreshToken(reading: Array(token.utf8), digester: web.side.digester)
        )
        let grant = try await web.side.store.load(
            OfflineGrant.self,
            refresh.session.stream,
            by: Fixture.noDeadline
        )
        return grant.state.session?.deviceKey
    }

    @Test(arguments: rows) func follows(_ row: Row) async throws {
        let web = try await WebSide()
        let phone = try Phone()
        let code = try await web.side.code()
        let before = web.commits
        let good = Self.payload(web)
        let jwt = try phone.jwt(row.header(phone.header()), row.payload(good))
        let answer = try await Self.redeem(web, code: code, jwt: jwt)
        guard row.isRefused else {
            #expect(answer.status == 200, "\(answer.body)")
            #expect(try await Self.key(of: answer, web) != nil)
            return
        }
        #expect(answer.status == 400)
        #expect(answer.error == "invalid_request")
        #expect(web.commits == before)
        // Garbage burns neither the code nor the challenge.
        let retry = try phone.jwt(phone.header(), good)
        #expect(try await Self.redeem(web, code: code, jwt: retry).status == 200)
    }

    @Test("a signature by another key than the embedded one is refused") func foreignKey()
        async throws
    {
        let web = try await WebSide()
        let phone = try Phone()
        let jwt = try phone.jwt(phone.header(), Self.payload(web), by: Phone().key)
        let answer = try await Self.redeem(web, code: web.side.code(), jwt: jwt)
        #expect(answer.error == "invalid_request")
    }

    @Test("RS256 binds, too") func rsa() async throws {
        let web = try await WebSide()
        let phone = try Phone(.rs256)
        let jwt = try phone.jwt(phone.header(), Self.payload(web))
        let answer = try await Self.redeem(web, code: web.side.code(), jwt: jwt)
        #expect(try await Self.key(of: answer, web) != nil)
    }

    @Test("an RSA key with the sign octet of older Android apps is the same key without it")
    func signed() async throws {
        let web = try await WebSide()
        let phone = try Phone(.rs256)
        guard case .rsa(let modulus, let exponent) = phone.key.publicKey else {
            Issue.record("no RSA key")
            return
        }
        let jwk = Phone.jwk(.rsa(modulus: [0] + modulus, exponent: exponent))
        let jwt = try phone.jwt(phone.header().setting("jwk", jwk), Self.payload(web))
        let opened = try await Self.redeem(web, code: web.side.code(), jwt: jwt)
        let bound = try #require(try await Self.key(of: opened, web), "\(opened.body)")
        let token = try #require(opened["refresh_token"]?.string)
        let session = try CascadeTests.session(of: token, web)
        let plain = try phone.jwt(phone.header(), Self.payload(web))
        let code = try await web.side.code(scope: "openid", renewing: session)
        #expect(try await Self.redeem(web, code: code, jwt: plain).status == 200)
        #expect(try await Self.key(of: opened, web) == bound)
        // More than that one octet is no key.
        let padded = Phone.jwk(.rsa(modulus: [0, 0] + modulus, exponent: exponent))
        let other = try phone.jwt(phone.header().setting("jwk", padded), Self.payload(web))
        let refused = try await Self.redeem(web, code: web.side.code(), jwt: other)
        #expect(refused.error == "invalid_request")
    }

    @Test("a challenge is good once, and only for app2app") func challenges() async throws {
        let web = try await WebSide()
        let phone = try Phone()
        let jwt = try phone.jwt(phone.header(), Self.payload(web))
        #expect(try await Self.redeem(web, code: web.side.code(), jwt: jwt).status == 200)
        let before = web.commits
        let replay = try await Self.redeem(web, code: web.side.code(), jwt: jwt)
        #expect(replay.error == "invalid_request")
        let other = try phone.jwt(phone.header(), Self.payload(web, .biometric))
        let crossed = try await Self.redeem(web, code: web.side.code(), jwt: other)
        #expect(crossed.error == "invalid_request")
        // Two codes were issued for the two requests, and nothing else happened.
        #expect(web.commits == before + 2)
    }

    @Test("a client that may let nobody in binds nothing, whatever it sends") func ignored()
        async throws
    {
        let web = try await WebSide()
        let code = try await web.side.code(for: "other")
        let answer = try await Self.redeem(web, code: code, jwt: "x", client: "other")
        #expect(answer.status == 200)
        #expect(try await Self.key(of: answer, web) == nil)
    }

    @Test("at a renewal the same key is nothing new, another one is final") func renewal()
        async throws
    {
        let web = try await WebSide()
        let phone = try Phone()
        let thief = try Phone()
        let first = try phone.jwt(phone.header(), Self.payload(web))
        let opened = try await Self.redeem(web, code: web.side.code(), jwt: first)
        let bound = try #require(try await Self.key(of: opened, web))
        let token = try #require(opened["refresh_token"]?.string)
        let session = try #require(
            RefreshToken(reading: Array(token.utf8), digester: web.side.digester)
        ).session

        let swap = try thief.jwt(thief.header(), Self.payload(web))
        let code = try await web.side.code(scope: "openid", renewing: session)
        let refused = try await Self.redeem(web, code: code, jwt: swap)
        #expect(refused.error == "invalid_grant")

        let claimed = try thief.jwt(thief.header(embeds: false), Self.payload(web))
        let unsigned = try await Self.redeem(web, code: code, jwt: claimed)
        #expect(unsigned.error == "invalid_request")

        for embeds in [true, false] {
            let again = try phone.jwt(phone.header(embeds: embeds), Self.payload(web))
            let code = try await web.side.code(scope: "openid", renewing: session)
            #expect(try await Self.redeem(web, code: code, jwt: again).status == 200)
        }
        #expect(try await Self.key(of: opened, web) == bound)
    }

    @Test("a renewal binds the first key of a session that had none") func lateBinding()
        async throws
    {
        let web = try await WebSide()
        let phone = try Phone()
        let opened = try await Self.redeem(web, code: web.side.code(), jwt: nil)
        let token = try #require(opened["refresh_token"]?.string)
        let session = try #require(
            RefreshToken(reading: Array(token.utf8), digester: web.side.digester)
        ).session
        let jwt = try phone.jwt(phone.header(), Self.payload(web))
        let code = try await web.side.code(scope: "openid", renewing: session)
        #expect(try await Self.redeem(web, code: code, jwt: jwt).status == 200)
        #expect(try await Self.key(of: opened, web) != nil)
    }
}
