import Crypto
import Foundation
import OAuth
import Runtime

extension KeyConfusionTests {
    /// An attack on a JWT that is otherwise right, and why it is refused, as the log has it.
    struct Row: Sendable {
        var sentence: String
        var cause: String
        var forge: @Sendable (Draft) throws -> String

        init(
            _ sentence: String,
            _ cause: String,
            _ forge: @escaping @Sendable (Draft) throws -> String
        ) {
            self.sentence = sentence
            self.cause = cause
            self.forge = forge
        }

        /// The right key signs what it should not.
        init(_ sentence: String, _ cause: String, signed: @escaping @Sendable (Draft) -> Draft) {
            self.init(sentence, cause) { try signed($0).compact() }
        }
    }

    static let rows = algorithms + members + keys + rsaKeys + signatures + forms

    private static let algorithms =
        publicKeys.map { encoding in
            Row("HMAC with the public key as secret: \(encoding.name)", "algorithm") { draft in
                let draft = draft.heading("alg", "HS256")
                return draft.compact(try mac(draft.signed, encoding.bytes(draft.phone)))
            }
        } + [
            Row("that HMAC under the right alg", "signature") { draft in
                let tag = try mac(draft.signed, publicKeys[0].bytes(draft.phone))
                return draft.compact(tag + tag)
            },
            Row("none without signature", "algorithm") {
                $0.heading("alg", "none").compact([])
            },
            Row("None without signature", "algorithm") {
                $0.heading("alg", "None").compact([])
            },
            Row("none with the signature", "algorithm") { $0.heading("alg", "none") },
            Row("no alg, no signature", "algorithm") { $0.heading("alg", nil).compact([]) },
            Row("the right alg, no signature", "signature") { $0.compact([]) },
            Row("two algorithms", "algorithm") { $0.heading("alg", ["none", "ES256"]) },
            Row("an algorithm in lower case", "algorithm") { $0.heading("alg", "es256") },
            Row("an algorithm of assertions", "algorithm") { $0.heading("alg", "PS256") },
        ]

    private static let members = [
        Row("jku: a key from elsewhere", "form") {
            $0.heading("jku", "https://evil.example/keys")
        },
        Row("x5u", "form") { $0.heading("x5u", "https://evil.example/cert") },
        Row("x5c", "form") { $0.heading("x5c", ["MIIB"]) },
        Row("crit", "form") { $0.heading("crit", ["exp"]) },
        Row("b64", "form") { $0.heading("b64", .bool(false)) },
        Row("zip", "form") { $0.heading("zip", "DEF") },
        Row("alg twice", "form") { draft in
            var draft = draft
            draft.header.append(("alg", "none"))
            return draft
        },
        Row("the typ of an access token", "type") { $0.heading("typ", "at+jwt") },
        Row("no typ", "type") { $0.heading("typ", nil) },
    ]

    private static let keys = [
        Row("the private half of a key", "key") { $0.keying("d", "AA") },
        Row("a member of a symmetric key", "key") { $0.keying("k", "AA") },
        Row("a symmetric key", "key") { $0.heading("jwk", ["kty": "oct", "k": "AAAA"]) },
        Row("a key set", "key") { $0.heading("jwk", ["keys": .array([$0.phone.jwk])]) },
        Row("a list of keys", "key") { $0.heading("jwk", .array([$0.phone.jwk])) },
        Row("a key for another algorithm", "key") { $0.keying("alg", "RS256") },
        Row("another curve", "key") { $0.keying("crv", "P-384") },
        Row("a curve of coins", "key") { $0.keying("crv", "secp256k1") },
        Row("an Ed25519 key for ES256", "key") {
            $0.heading("jwk", ["kty": "OKP", "crv": "Ed25519", "x": text(zero)])
        },
        Row("a point off the curve", "key") { $0.keying("y", $0.phone.jwk["x"]) },
        Row("the point at zero", "key") { draft in
            var draft = draft.keying("x", text(zero))
            draft.header = draft.header.setting(
                "jwk",
                ["kty": "EC", "crv": "P-256", "x": text(zero), "y": text(zero)]
            )
            return draft
        },
        Row("a coordinate past the field", "key") { $0.keying("x", text(ones)) },
        Row("a coordinate of 33 bytes", "key") { $0.keying("x", text([0] + zero)) },
        Row("a coordinate with padding", "key") {
            $0.keying("x", .string(($0.phone.jwk["x"]?.string ?? "") + "="))
        },
        Row("a point without y", "key") { $0.keying("y", nil) },
    ]

    private static let modulus = [UInt8](repeating: 0xFF, count: 256)

    private static let rsaKeys = [
        rsa("RSA of 1024 bits", Array(modulus.prefix(128))),
        rsa("RSA of 2040 bits", Array(modulus.prefix(255))),
        rsa("RSA of 4104 bits", modulus + modulus + [0xFF]),
        rsa("RSA of 8192 bits", modulus + modulus + modulus + modulus),
        rsa("an even RSA modulus", modulus.dropLast() + [0xFE]),
        rsa("RSA with an even exponent", modulus, [1, 0, 0]),
        rsa("RSA with an exponent of 33 bits", modulus, [1, 0, 0, 0, 1]),
        rsa("RSA without exponent", modulus, []),
        Row("RSA with exponent 1, where everybody signs", "key") { draft in
            let draft = draft.heading("alg", "RS256")
                .heading("jwk", ["kty": "RSA", "n": text(modulus), "e": "AQ"])
            return draft.compact(padded(SHA256.hash(draft.signed), 256))
        },
    ]

    /// What a signature by exponent 1 is: the padded digest itself (RFC 8017 section 9.2).
    private static func padded(_ digest: [UInt8], _ count: Int) -> [UInt8] {
        let info: [UInt8] = [
            0x30, 0x31, 0x30, 0x0D, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02,
            0x01, 0x05, 0x00, 0x04, 0x20,
        ]
        let filling = [UInt8](repeating: 0xFF, count: count - 3 - info.count - digest.count)
        return [0, 1] + filling + [0] + info + digest
    }

    private static func rsa(_ sentence: String, _ modulus: [UInt8], _ exponent: [UInt8] = [3])
        -> Row
    {
        Row(sentence, "key") {
            $0.heading("alg", "RS256")
                .heading("jwk", ["kty": "RSA", "n": text(modulus), "e": text(exponent)])
        }
    }

    private static let signatures =
        [
            ("r and s are zero", zero + zero), ("r is zero", zero + one),
            ("s is zero", one + zero), ("r is n", order + one), ("s is n", one + order),
            ("r and s past n", ones + ones), ("half a signature", one),
        ].map { sentence, bytes in Row(sentence, "signature") { $0.compact(bytes) } } + [
            Row("a stranger's signature", "signature") { try $0.compact(by: Phone().key) },
            Row("a signature of something else", "signature") {
                $0.compact(try $0.phone.key.sign(Array("something else".utf8)))
            },
            Row("the signature and one byte", "signature") {
                $0.compact(try $0.phone.key.sign($0.signed) + [0])
            },
        ]

    private static let forms = [
        Row("more than 8 KiB", "form") { draft in
            var draft = draft
            draft.payload.append(("pad", .string(String(repeating: "p", count: 6200))))
            return draft
        },
        Row("four parts", "form") { try $0.compact() + ".AA" },
        Row("two parts", "form") { String(decoding: $0.signed, as: UTF8.self) },
        Row("padding behind it", "form") { try $0.compact() + "=" },
        Row("a payload that is no object", "form") { draft in
            let header = String(decoding: draft.signed.prefix { $0 != 0x2E }, as: UTF8.self)
            let signed = Array("\(header).\(Base64URL.text(Array("[]".utf8)))".utf8)
            return Phone.compact(signed, try draft.phone.key.sign(signed))
        },
    ]

    private static let zero = [UInt8](repeating: 0, count: 32)
    private static let one = [UInt8](repeating: 0, count: 31) + [1]
    private static let ones = [UInt8](repeating: 0xFF, count: 32)
    /// n of P-256.
    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xFF, 0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63,
        0x25, 0x51,
    ]

    private static func text(_ bytes: [UInt8]) -> JSON { .string(Base64URL.text(bytes)) }

    private static func mac(_ bytes: [UInt8], _ secret: [UInt8]) throws -> [UInt8] {
        try HMACKey(Secret(secret)).tag(bytes)
    }

    /// The forms in which a careless verifier may hold the key that it takes for a secret.
    private static let publicKeys: [(name: String, bytes: @Sendable (Phone) -> [UInt8])] = [
        ("its JWK", { JSONWriter.write($0.jwk) }), ("its point", point),
        ("its DER", { info + point($0) }),
        (
            "its PEM",
            { phone in
                let text = Data(info + point(phone))
                    .base64EncodedString(options: .lineLength64Characters)
                return Array("-----BEGIN PUBLIC KEY-----\n\(text)\n-----END PUBLIC KEY-----\n".utf8)
            }
        ),
    ]

    /// What stands before a point of P-256 (RFC 5480 section 2).
    private static let info: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08,
        0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ]

    @Sendable private static func point(_ phone: Phone) -> [UInt8] {
        guard case .p256(let x, let y) = phone.key.publicKey else { return [] }
        return [4] + x + y
    }
}
