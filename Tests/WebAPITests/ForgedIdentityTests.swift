import Crypto
import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import Runtime
import Signing
import TestSupport
import Testing
import WebAPI

/// Id tokens that this issuer did not write, wherever one is taken, under real keys
/// (Security 3, 4.8 and 4.9).
@Suite("Forged id tokens over HTTP") struct ForgedIdentityTests {
    /// An app's session, and the URL that its app has just asked for.
    struct Side {
        let keys: RealKeys
        let web: WebSide
        let session: Answer
        let exchanged: Answer

        init() async throws {
            keys = try RealKeys()
            web = try await WebSide(signer: keys.signer, keys: keys.ring)
            session = try await PreAuthenticatedURLTests.session(web)
            exchanged = try await PreAuthenticatedURLTests.exchange(web, session)
            try #require(exchanged.status == 200, "\(exchanged.body)")
        }

        var project: Project { web.side.project }

        /// What the id token says that everything here is made from.
        func claims() throws -> Members {
            let text = try #require(exchanged["id_token"]?.string)
            let parts = text.split(separator: ".")
            let payload = try #require(Base64URL.decode(Array(parts[1].utf8)))
            return (try JSONReader.read(payload).members ?? []).map { ($0.name, $0.value) }
        }

        /// Those claims, signed by the issuer as a JWT of `type`.
        func signed(
            as type: String = "JWT",
            by signer: (any TokenSigner)? = nil,
            of project: Project? = nil,
            _ change: (Members) -> Members = { $0 }
        ) throws -> String {
            let members = try change(claims()).map { JSON.Member($0.0, $0.1) }
            let token = try (signer ?? web.side.signer).sign(
                type: type,
                claims: JSONWriter.write(.object(members)),
                for: project ?? self.project
            )
            return String(decoding: token, as: UTF8.self)
        }

        /// Those claims under a header of somebody's own.
        func forged(_ header: Members, _ sign: ([UInt8]) throws -> [UInt8]) throws -> String {
            let signed = Phone.signed(header, try claims())
            return Phone.compact(signed, try sign(signed))
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// A hint may be without what only an exchange needs.
        var isHint = true
        var forge: @Sendable (Side) throws -> String
    }

    private static func header(_ side: Side, _ algorithm: String) -> Members {
        [("typ", "JWT"), ("alg", .string(algorithm)), ("kid", .string(side.keys.kid))]
    }

    static let rows = [
        Row(testDescription: "a logout token") { try $0.signed(as: "logout+jwt") },
        Row(testDescription: "an access token with an id token's claims") {
            try $0.signed(as: "at+jwt")
        },
        Row(testDescription: "by a key of nobody, under the name of ours") { side in
            let thief = try Phone()
            return try side.forged(header(side, "ES256")) { try thief.key.sign($0) }
        },
        Row(testDescription: "by a key that it brings along") { side in
            let thief = try Phone()
            let header = header(side, "ES256").setting("jwk", thief.jwk)
            return try side.forged(header) { try thief.key.sign($0) }
        },
        Row(testDescription: "HMAC with the public key as secret") { side in
            try side.forged(header(side, "HS256")) {
                try HMACKey(Secret(side.keys.publicKey)).tag($0)
            }
        },
        Row(testDescription: "that HMAC under the right alg") { side in
            try side.forged(header(side, "ES256")) {
                let tag = try HMACKey(Secret(side.keys.publicKey)).tag($0)
                return tag + tag
            }
        },
        Row(testDescription: "none without signature") { side in
            try side.forged(header(side, "none")) { _ in [] }
        },
        Row(testDescription: "the right alg without signature") { side in
            try side.forged(header(side, "ES256")) { _ in [] }
        },
        Row(testDescription: "r and s are zero") { side in
            try side.forged(header(side, "ES256")) { _ in [UInt8](repeating: 0, count: 64) }
        },
        Row(testDescription: "of another project's key") { side in
            let other = try RealKeys()
            var settings = side.project.settings
            settings.publicOrigin = "https://auth.example.com"
            let project = Project(
                number: side.project.number,
                settings: settings,
                digest: side.project.digest,
                configuration: side.project.configuration,
                keys: other.ring,
                keysStream: side.project.keysStream,
                keysVersion: side.project.keysVersion
            )
            return try side.signed(by: other.signer, of: project)
        },
        Row(testDescription: "of another issuer with our keys") {
            try $0.signed { $0.setting("iss", "https://auth.example.org") }
        },
        Row(testDescription: "without sid") { try $0.signed { $0.setting("sid", nil) } },
        Row(testDescription: "without sub") { try $0.signed { $0.setting("sub", nil) } },
        Row(testDescription: "a sid that is a number") {
            try $0.signed { $0.setting("sid", .integer(1)) }
        },
        Row(testDescription: "without ds_hash", isHint: false) {
            try $0.signed { $0.setting("ds_hash", nil) }
        },
        Row(testDescription: "made in the future", isHint: false) {
            try $0.signed { $0.setting("iat", .integer(DPoPTests.now + 60)) }
        },
        Row(testDescription: "altered by one letter") {
            let text = try $0.signed()
            let end = text.lastIndex(of: ".") ?? text.endIndex
            let last = text[text.index(before: end)]
            return text[..<text.index(before: end)] + (last == "A" ? "B" : "A") + text[end...]
        },
    ]

    @Test("attack: as subject token, to join and for a URL", arguments: rows)
    func subjectToken(_ row: Row) async throws {
        let side = try await Side()
        let forged = try row.forge(side)
        for (client, type) in [
            ("invest", nil),
            ("offers", "urn:authgear:params:oauth:token-type:pre-authenticated-url-token"),
        ] {
            func exchange(_ token: String) async throws -> Answer {
                var form = try NativeSSOTests.form(side.exchanged, client: client)
                form[3].1 = token
                if let type { form.append(("requested_token_type", type)) }
                return try await NativeSSOTests.send(side.web, form)
            }
            let answer = try await side.web.expectNothingRecorded { try await exchange(forged) }
            #expect(answer.status == 400)
            #expect(answer.error == "invalid_request")
            #expect(answer.refusal?.id == "NS-001", "\(answer.body)")
            let good = try await exchange(side.signed())
            #expect(good.status == 200, "\(good.body)")
        }
    }

    @Test("attack: as the hint of a URL", arguments: rows.filter(\.isHint))
    func hintOfURL(_ row: Row) async throws {
        let side = try await Side()
        let forged = try row.forge(side)
        let answer = try await side.web.expectNothingRecorded {
            try await PreAuthenticatedURLTests.open(side.web, side.exchanged, hint: forged)
        }
        #expect(answer.field("Location").first?.contains("error=invalid_request&") == true)
        #expect(answer.field("Set-Cookie") == [])
        let good = try await PreAuthenticatedURLTests.open(side.web, side.exchanged)
        #expect(good.field("Set-Cookie").count == 2, "\(good.body)")
    }

    @Test("attack: as the hint of a login, pushed and not", arguments: rows.filter(\.isHint))
    func hintOfLogin(_ row: Row) async throws {
        let side = try await Side()
        let forged = try row.forge(side)
        let changes = ["id_token_hint": forged, "max_age": "0"]
        try await side.web.expectNothingRecorded {
            let target = "/oauth2/authorize?\(PushedRequestTests.form(changes))"
            let answer = try await side.web.send(.get, target)
            #expect(answer.status == 303)
            #expect(answer.field("Location").first?.contains("error=invalid_request&") == true)
            let pushed = try await PushedRequestTests.push(side.web, changes)
            #expect(pushed.status == 400)
            #expect(pushed.error == "invalid_request")
        }
    }

    @Test("attack: the hint of another session, of the same user and of another")
    func otherSession() async throws {
        let side = try await Side()
        let somebody = try await side.web.somebodyElse()
        for subject in [nil, somebody] {
            let code = try await side.web.side.code(
                scope: PreAuthenticatedURLTests.scope,
                of: subject
            )
            let other = try await DeviceKeyTests.redeem(side.web, code: code, jwt: nil)
            let hint = try #require(other["id_token"]?.string)
            let answer = try await side.web.expectNothingRecorded {
                try await PreAuthenticatedURLTests.open(side.web, side.exchanged, hint: hint)
            }
            #expect(answer.field("Location").first?.contains("error=invalid_request&") == true)
            #expect(answer.field("Set-Cookie") == [])
        }
        // An expired one names its session as well as any.
        let expired = try side.signed { $0.setting("exp", .integer(DPoPTests.now - 3600)) }
        let good = try await PreAuthenticatedURLTests.open(
            side.web,
            side.exchanged,
            hint: expired
        )
        #expect(good.field("Set-Cookie").count == 2, "\(good.body)")
    }

    @Test("the id token that travels in a URL names session and secret, and no person")
    func content() async throws {
        let side = try await Side()
        let claims = try side.claims()
        let names = claims.map(\.0).filter { !$0.hasPrefix("https://authgear.com/claims/user/") }
        #expect(
            names.sorted() == [
                "acr", "amr", "aud", "auth_time", "ds_hash", "exp", "iat", "iss", "sid", "sub",
            ]
        )
        #expect(claims["aud"] == "offers")
        let first = try #require(side.session["id_token"]?.string)
        let before = try #require(
            side.web.side.signer.verifyIDToken(Array(first.utf8), of: side.project)
        )
        #expect(claims["sid"]?.string == before.session.description)
        #expect(before.deviceSecretHash != nil)
        let hash = try #require(claims["ds_hash"]?.string)
        #expect(hash != before.deviceSecretHash.map { Base64URL.text($0.bytes) })
    }
}
