import Crypto
import Domain
import Issuing
import OAuth
import Signing
import Testing

/// The attacks of Security 3 on JWTs that phones sign.
@Suite("JWTs of phones") struct PhoneJWTReaderTests {
    static let key = try? SigningKey.generate(.es256)
    static let rsa = try? SigningKey.generate(.rs256)
    static let payload = #"{"iat":1795232554}"#

    /// An attack: the header as JSON text, in which `JWK` stands for the key's members.
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var header: String
        var refusal: ClientJWT.Malformed?

        init(_ sentence: String, _ header: String, _ refusal: ClientJWT.Malformed?) {
            testDescription = sentence
            self.header = header
            self.refusal = refusal
        }
    }

    static let start = #""typ":"vnd.authgear.app2app-request","alg":"ES256""#

    static let rows = [
        Row("an embedded key is read", #"{\#(start),"jwk":{JWK}}"#, nil),
        Row("without one, too", #"{\#(start)}"#, nil),
        Row("a kid of 8 characters", #"{\#(start),"kid":"abcd-_12"}"#, nil),
        Row("alg none", #"{"typ":"vnd.authgear.app2app-request","alg":"none"}"#, .algorithm),
        Row(
            "HS256, though the right key signed",
            #"{"typ":"vnd.authgear.app2app-request","alg":"HS256","jwk":{JWK}}"#,
            .algorithm
        ),
        Row(
            "an algorithm that only assertions may use",
            #"{"typ":"vnd.authgear.app2app-request","alg":"PS256"}"#,
            .algorithm
        ),
        Row("no alg", #"{"typ":"vnd.authgear.app2app-request"}"#, .algorithm),
        Row("the typ of another kind", #"{"typ":"dpop+jwt","alg":"ES256","jwk":{JWK}}"#, .type),
        Row("a typ in capitals", #"{"typ":"VND.authgear.app2app-request","alg":"ES256"}"#, .type),
        Row("no typ", #"{"alg":"ES256"}"#, .type),
        Row("crit", #"{\#(start),"crit":["exp"]}"#, .form),
        Row("b64", #"{\#(start),"b64":true}"#, .form),
        Row("zip", #"{\#(start),"zip":"DEF"}"#, .form),
        Row("jku, a key from elsewhere", #"{\#(start),"jku":"https://evil.example"}"#, .form),
        Row("x5u", #"{\#(start),"x5u":"https://evil.example"}"#, .form),
        Row("x5c", #"{\#(start),"x5c":["AA"]}"#, .form),
        Row("a duplicate member", #"{\#(start),"alg":"ES256"}"#, .form),
        Row("a private key", #"{\#(start),"jwk":{JWK,"d":"AA"}}"#, .key),
        Row("a symmetric key", #"{\#(start),"jwk":{"kty":"oct","k":"AAAA"}}"#, .key),
        Row("a key set", #"{\#(start),"jwk":{"keys":[{JWK}]}}"#, .key),
        Row("a key as text", #"{\#(start),"jwk":"key"}"#, .key),
        Row("an alg of the key that differs", #"{\#(start),"jwk":{JWK,"alg":"RS256"}}"#, .key),
        Row(
            "a point off the curve",
            #"{\#(start),"jwk":{"kty":"EC","crv":"P-256","x":"\#(one)","y":"\#(one)"}}"#,
            .key
        ),
        Row(
            "a coordinate of 33 bytes",
            #"{\#(start),"jwk":{"kty":"EC","crv":"P-256","x":"\#(long)","y":"\#(one)"}}"#,
            .key
        ),
        Row(
            "another curve",
            #"{\#(start),"jwk":{"kty":"EC","crv":"P-384","x":"\#(one)","y":"\#(one)"}}"#,
            .key
        ),
        Row("an RSA key for ES256", #"{\#(start),"jwk":{RSA}}"#, .key),
        Row("a kid of 7 characters", #"{\#(start),"kid":"abcdefg"}"#, .keyID),
        Row("a kid of 65", #"{\#(start),"kid":"\#(String(repeating: "k", count: 65))"}"#, .keyID),
        Row("a kid that is a path", #"{\#(start),"kid":"../../etc/passwd"}"#, .keyID),
        Row("a kid that is no text", #"{\#(start),"kid":12345678}"#, .keyID),
        Row(
            "two kids",
            #"{\#(start),"kid":"abcdefgh","jwk":{JWK,"kid":"ABCDEFGH"}}"#,
            .keyID
        ),
    ]

    /// 1, as 32 bytes; and 33 bytes.
    static let one = Base64URL.text([UInt8](repeating: 0, count: 31) + [1])
    static let long = Base64URL.text([UInt8](repeating: 0, count: 32) + [1])

    private static func members(_ key: PublicKey) -> String {
        switch key {
        case .p256(let x, let y):
            #""kty":"EC","crv":"P-256","x":"\#(Base64URL.text(x))","y":"\#(Base64URL.text(y))""#
        case .rsa(let modulus, let exponent):
            #""kty":"RSA","n":"\#(Base64URL.text(modulus))","e":"\#(Base64URL.text(exponent))""#
        case .ed25519(let point):
            #""kty":"OKP","crv":"Ed25519","x":"\#(Base64URL.text(point))""#
        }
    }

    static func jwt(_ header: String, _ key: SigningKey) throws -> [UInt8] {
        let dot = [UInt8(ascii: ".")]
        let filled = header.replacing("{JWK", with: "{" + members(key.publicKey))
        let signed =
            Base64URL.encode(Array(filled.utf8)) + dot + Base64URL.encode(Array(payload.utf8))
        return try signed + dot + Base64URL.encode(key.sign(signed))
    }

    @Test(arguments: rows) func opens(_ row: Row) throws {
        let key = try #require(Self.key)
        let rsa = try #require(Self.rsa)
        let header = row.header.replacing("{RSA", with: "{" + Self.members(rsa.publicKey))
        let text = try Self.jwt(header, key)
        let reader = PhoneJWTReader()
        // The second time by a header that is known.
        for _ in 0..<2 {
            do throws(ClientJWT.Malformed) {
                let jwt = try reader.open(text, as: .app2app)
                #expect(row.refusal == nil)
                #expect(jwt.payload["iat"] == 1_795_232_554)
            } catch { #expect(error == row.refusal) }
        }
    }

    @Test("only the key that signed accepts, by the algorithm it was made for")
    func signatures() throws {
        let reader = PhoneJWTReader()
        let key = try #require(Self.key)
        let rsa = try #require(Self.rsa)
        let header = #"{\#(Self.start),"jwk":{JWK}}"#
        let jwt = try reader.open(Self.jwt(header, key), as: .app2app)
        let own = try #require(jwt.key)
        let stranger = try SigningKey.generate(.es256)
        let strangers = try #require(
            try reader.open(Self.jwt(header, stranger), as: .app2app).key
        )
        #expect(reader.isSigned(jwt, by: own))
        #expect(PhoneJWTReader().isSigned(jwt, by: own))
        #expect(!reader.isSigned(jwt, by: strangers))
        let rsaHeader = #"{"typ":"vnd.authgear.app2app-request","alg":"RS256","jwk":{JWK}}"#
        let other = try #require(try reader.open(Self.jwt(rsaHeader, rsa), as: .app2app).key)
        #expect(!reader.isSigned(jwt, by: other))
        var altered = jwt
        altered.signed[altered.signed.count - 1] ^= 1
        #expect(!reader.isSigned(altered, by: own))
        altered = jwt
        altered.signature = [UInt8](repeating: 0, count: 64)
        #expect(!reader.isSigned(altered, by: own))
    }

    @Test("a foreign key in the header is another thumbprint") func thumbprints() throws {
        let reader = PhoneJWTReader()
        let key = try #require(Self.key)
        let header = #"{\#(Self.start),"jwk":{JWK}}"#
        let first = try reader.open(Self.jwt(header, key), as: .app2app).key
        let same = try reader.open(Self.jwt(header, key), as: .app2app).key
        let other = try reader.open(
            Self.jwt(header, SigningKey.generate(.es256)),
            as: .app2app
        ).key
        #expect(first == same)
        #expect(first != other)
    }

    @Test("oversized keys and texts are refused") func sizes() throws {
        let reader = PhoneJWTReader()
        let key = try #require(Self.key)
        for bits in [1024, 4104, 8192] {
            let modulus = Base64URL.text([UInt8](repeating: 0xFF, count: bits / 8))
            let rsa = #""kty":"RSA","n":"\#(modulus)","e":"AQAB""#
            let header = #"{"typ":"dpop+jwt","alg":"RS256","jwk":{\#(rsa)}}"#
            #expect(throws: ClientJWT.Malformed.key) {
                try reader.open(Self.jwt(header, key), as: .dpop)
            }
        }
        for exponent in ["AQ", "Ag", "AAEAAQ", "AQAAAAE"] {
            let modulus = Base64URL.text([UInt8](repeating: 0xFF, count: 256))
            let rsa = #""kty":"RSA","n":"\#(modulus)","e":"\#(exponent)""#
            let header = #"{"typ":"dpop+jwt","alg":"RS256","jwk":{\#(rsa)}}"#
            #expect(throws: ClientJWT.Malformed.key) {
                try reader.open(Self.jwt(header, key), as: .dpop)
            }
        }
        let padding = String(repeating: "x", count: 8192)
        let long = #"{\#(Self.start),"x":"\#(padding)"}"#
        #expect(throws: ClientJWT.Malformed.form) {
            try reader.open(Self.jwt(long, key), as: .app2app)
        }
    }

    @Test("one dot, three dots, padding and nothing are refused") func form() throws {
        let reader = PhoneJWTReader()
        let key = try #require(Self.key)
        let text = try Self.jwt(#"{\#(Self.start),"jwk":{JWK}}"#, key)
        for broken in [Array(text.dropLast(87)), text + [0x2E], text + [0x3D], [], [0x2E, 0x2E]] {
            #expect(throws: ClientJWT.Malformed.form) { try reader.open(broken, as: .app2app) }
        }
    }
}
