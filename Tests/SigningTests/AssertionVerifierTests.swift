import Crypto
import Domain
import Issuing
import OAuth
import Testing

import Signing

@Suite("Client assertions") struct AssertionVerifierTests {
    static let key = try? SigningKey.generate(.es256)
    static let audiences: Set = [
        "https://auth.example.com", "https://auth.example.com/oauth2/token",
    ]

    static let header = #"{"alg":"ES256","kid":"k1"}"#
    static let claims =
        #"{"iss":"api","sub":"api","aud":"https://auth.example.com","exp":1795232854,"jti":"j-1"}"#

    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var header = AssertionVerifierTests.header
        var claims = AssertionVerifierTests.claims
        var isAccepted = false

        init(
            _ sentence: String,
            header: String = AssertionVerifierTests.header,
            replacing part: String = "",
            with text: String = "",
            accepted: Bool = false
        ) {
            testDescription = sentence
            self.header = header
            isAccepted = accepted
            if !part.isEmpty { claims = claims.replacing(part, with: text) }
        }
    }

    static let rows = [
        Row("accepts what RFC 7523 describes", accepted: true),
        Row(
            "accepts the token endpoint in a list of audiences",
            replacing: #""https://auth.example.com""#,
            with: #"["https://other.example","https://auth.example.com/oauth2/token"]"#,
            accepted: true
        ),
        Row(
            "accepts iat and nbf within a minute",
            replacing: #""jti""#,
            with: #""iat":1795232494,"nbf":1795232614,"jti""#,
            accepted: true
        ),
        Row(
            "accepts fractions of a second",
            replacing: #""jti""#,
            with: #""iat":1795232554.75,"jti""#,
            accepted: true
        ),
        Row("accepts no kid", header: #"{"alg":"ES256"}"#, accepted: true),
        Row("accepts typ JWT", header: #"{"typ":"JWT","alg":"ES256"}"#, accepted: true),
        Row(
            "accepts an expiry a minute ago",
            replacing: "1795232854",
            with: "1795232495",
            accepted: true
        ),
        Row(
            "accepts an expiry ten minutes ahead",
            replacing: "1795232854",
            with: "1795233154",
            accepted: true
        ),
        Row("refuses another typ", header: #"{"typ":"at+jwt","alg":"ES256"}"#),
        Row("refuses a kid that names none of the keys", header: #"{"alg":"ES256","kid":"k2"}"#),
        Row("refuses a kid that is no text", header: #"{"alg":"ES256","kid":1}"#),
        Row("refuses alg none", header: #"{"alg":"none","kid":"k1"}"#),
        Row("refuses HS256", header: #"{"alg":"HS256","kid":"k1"}"#),
        Row("refuses an algorithm the key does not serve", header: #"{"alg":"RS256","kid":"k1"}"#),
        Row("refuses crit", header: #"{"alg":"ES256","kid":"k1","crit":["exp"]}"#),
        Row("refuses b64", header: #"{"alg":"ES256","kid":"k1","b64":true}"#),
        Row("refuses a duplicate header member", header: #"{"alg":"ES256","alg":"ES256"}"#),
        Row("refuses another iss", replacing: #""iss":"api""#, with: #""iss":"apj""#),
        Row("refuses another sub", replacing: #""sub":"api""#, with: #""sub":"apj""#),
        Row("refuses a missing sub", replacing: #""sub":"api","#, with: ""),
        Row("refuses another audience", replacing: "auth.example.com", with: "auth.example.org"),
        Row("refuses a missing audience", replacing: #""aud":"https://auth.example.com","#),
        Row(
            "refuses an audience in a list of mixed types",
            replacing: #""https://auth.example.com""#,
            with: #"["https://auth.example.com",1]"#
        ),
        Row("refuses no expiry", replacing: #""exp":1795232854,"#),
        Row("refuses an expiry as text", replacing: "1795232854", with: #""1795232854""#),
        Row("refuses an expiry 61 s ago", replacing: "1795232854", with: "1795232494"),
        Row("refuses an expiry 601 s ahead", replacing: "1795232854", with: "1795233155"),
        Row(
            "refuses an expiry past 64 bits",
            replacing: "1795232854",
            with: "99999999999999999999"
        ),
        Row("refuses iat 61 s ago", replacing: #""jti""#, with: #""iat":1795232493,"jti""#),
        Row("refuses nbf 61 s ahead", replacing: #""jti""#, with: #""nbf":1795232615,"jti""#),
        Row("refuses no jti", replacing: #","jti":"j-1""#),
        Row("refuses an empty jti", replacing: "j-1", with: ""),
        Row(
            "refuses a jti of 129 bytes",
            replacing: "j-1",
            with: String(repeating: "j", count: 129)
        ),
        Row("refuses a duplicate claim", replacing: #""jti""#, with: #""sub":"api","jti""#),
    ]

    private static func client(_ jwk: [UInt8], kid: String = "k1") throws -> ClientSettings {
        let id = try #require(ClientID("api"))
        var client = ClientSettings(id: id, name: "API", applicationType: .m2m)
        client.authenticationMethod = .privateKeyJWT
        client.keys = [ClientSettings.Key(kid: kid, jwk: jwk)]
        return client
    }

    private static func jwk(_ key: PublicKey, alg: String? = nil) -> [UInt8] {
        var members: [JSON.Member] = []
        switch key {
        case .p256(let x, let y):
            members = [
                .init("kty", "EC"), .init("crv", "P-256"),
                .init("x", .string(Base64URL.text(x))), .init("y", .string(Base64URL.text(y))),
            ]
        case .rsa(let modulus, let exponent):
            members = [
                .init("kty", "RSA"), .init("n", .string(Base64URL.text(modulus))),
                .init("e", .string(Base64URL.text(exponent))),
            ]
        case .ed25519(let point):
            members = [
                .init("kty", "OKP"), .init("crv", "Ed25519"),
                .init("x", .string(Base64URL.text(point))),
            ]
        }
        if let alg { members.append(.init("alg", .string(alg))) }
        return CanonicalJSON.write(.object(members)) ?? []
    }

    private static func assertion(_ header: String, _ claims: String, _ key: SigningKey) throws
        -> [UInt8]
    {
        let dot = [UInt8(ascii: ".")]
        let signed =
            Base64URL.encode(Array(header.utf8)) + dot + Base64URL.encode(Array(claims.utf8))
        return try signed + dot + Base64URL.encode(key.sign(signed))
    }

    @Test(arguments: rows) func follows(_ row: Row) throws {
        let key = try #require(Self.key)
        let text = try Self.assertion(row.header, row.claims, key)
        let verified = AssertionVerifier().verify(
            text,
            of: try Self.client(Self.jwk(key.publicKey)),
            audiences: Self.audiences,
            at: Sample.now
        )
        #expect((verified != nil) == row.isAccepted)
    }

    struct ProfileRow: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var algorithm = SignatureAlgorithm.es256
        var audience = #""https://auth.example.com""#
        var isAccepted = false
    }

    static let profileRows = [
        ProfileRow(testDescription: "the issuer as one string", isAccepted: true),
        ProfileRow(testDescription: "PS256", algorithm: .ps256, isAccepted: true),
        ProfileRow(testDescription: "RS256", algorithm: .rs256),
        ProfileRow(
            testDescription: "the issuer in a list",
            audience: #"["https://auth.example.com"]"#
        ),
    ]

    @Test("with fapi2 an assertion has one form", arguments: profileRows)
    func profile(_ row: ProfileRow) throws {
        let key = try SigningKey.generate(row.algorithm)
        let name = "\(row.algorithm)".uppercased()
        let claims = Self.claims.replacing(#""https://auth.example.com""#, with: row.audience)
        let text = try Self.assertion(#"{"alg":"\#(name)","kid":"k1"}"#, claims, key)
        for isFAPI in [true, false] {
            var client = try Self.client(Self.jwk(key.publicKey))
            client.isFAPI = isFAPI
            let verified = AssertionVerifier().verify(
                text,
                of: client,
                audiences: Self.audiences,
                at: Sample.now
            )
            #expect((verified != nil) == (row.isAccepted || !isFAPI))
        }
    }

    @Test("a kty that only looks like OKP names no key") func kelvin() throws {
        let key = try SigningKey.generate(.edDSA)
        let text = try Self.assertion(#"{"alg":"EdDSA","kid":"k1"}"#, Self.claims, key)
        let jwk = String(decoding: Self.jwk(key.publicKey), as: UTF8.self)
        for (name, isAccepted) in [("OKP", true), ("O\u{212A}P", false)] {
            let verified = AssertionVerifier().verify(
                text,
                of: try Self.client(Array(jwk.replacing("OKP", with: name).utf8)),
                audiences: Self.audiences,
                at: Sample.now
            )
            #expect((verified != nil) == isAccepted)
        }
    }

    @Test("answers the jti and the expiry") func answer() throws {
        let key = try #require(Self.key)
        let text = try Self.assertion(Self.header, Self.claims, key)
        let verifier = AssertionVerifier()
        let client = try Self.client(Self.jwk(key.publicKey))
        let verified = verifier.verify(
            text,
            of: client,
            audiences: Self.audiences,
            at: Sample.now
        )
        #expect(verified?.id == Array("j-1".utf8))
        #expect(verified?.expiresAt == Instant(seconds: 1_795_232_854))
        #expect(verifier.claimedSubject(of: text) == client.id)
        #expect(verifier.claimedSubject(of: text + text) == nil)
    }

    @Test(
        "every algorithm of WireContract 6.3, and alg of the registered key decides",
        arguments: [
            (SignatureAlgorithm.es256, "ES256", "RS256"), (.rs256, "RS256", "PS256"),
            (.ps256, "PS256", "RS256"), (.edDSA, "EdDSA", "ES256"),
        ]
    )
    func algorithms(_ algorithm: SignatureAlgorithm, _ name: String, _ other: String) throws {
        let key = try SigningKey.generate(algorithm)
        let header = #"{"alg":"\#(name)","kid":"k1"}"#
        let text = try Self.assertion(header, Self.claims, key)
        for (alg, isAccepted) in [(nil, true), (name, true), (other, false)] {
            let verified = AssertionVerifier().verify(
                text,
                of: try Self.client(Self.jwk(key.publicKey, alg: alg)),
                audiences: Self.audiences,
                at: Sample.now
            )
            #expect((verified != nil) == isAccepted)
        }
    }

    @Test("another client's key, a private or symmetric JWK, and none at all are refused")
    func keys() throws {
        let key = try #require(Self.key)
        let text = try Self.assertion(Self.header, Self.claims, key)
        let stranger = try SigningKey.generate(.es256)
        let jwks = [
            Self.jwk(stranger.publicKey), Array(#"{"k":"AAAA","kty":"oct"}"#.utf8),
            Array(Sample.text(Self.jwk(key.publicKey)).replacing(#"{"#, with: #"{"d":"AA","#).utf8),
            [],
        ]
        for jwk in jwks {
            let verified = AssertionVerifier().verify(
                text,
                of: try Self.client(jwk),
                audiences: Self.audiences,
                at: Sample.now
            )
            #expect(verified == nil)
        }
    }

    @Test("more than 8 KiB, one dot, three dots and bad base64url are refused") func form() throws {
        let key = try #require(Self.key)
        let long = Self.claims.replacing(
            "j-1",
            with: "j-1\",\"x\":\"" + String(repeating: "x", count: 8192)
        )
        let text = try Self.assertion(Self.header, Self.claims, key)
        let texts = [
            try Self.assertion(Self.header, long, key), Array(text.dropLast(87)), text + [0x2E],
            text + [0x3D], [], [0x2E, 0x2E],
        ]
        for text in texts {
            let verified = AssertionVerifier().verify(
                text,
                of: try Self.client(Self.jwk(key.publicKey)),
                audiences: Self.audiences,
                at: Sample.now
            )
            #expect(verified == nil)
        }
    }
}
