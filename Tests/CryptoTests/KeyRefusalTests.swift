import Runtime
import Testing

import Crypto

@Suite("What is no acceptable key or signature") struct KeyRefusalTests {
    struct Refusal: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var key: PublicKey
        var algorithm: SignatureAlgorithm
        var error: CryptoError

        init(
            _ sentence: String,
            _ key: PublicKey,
            _ algorithm: SignatureAlgorithm,
            _ error: CryptoError
        ) {
            testDescription = sentence
            self.key = key
            self.algorithm = algorithm
            self.error = error
        }
    }

    static let x = base64url("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU")
    static let y = base64url("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")
    static let n = rfc7515Modulus
    static let n1024 = [UInt8](repeating: 0xFF, count: 128)
    static let n4104 = [UInt8](repeating: 0xFF, count: 513)
    static let evenModulus = Array(n.dropLast()) + [n[255] & 0xFE]

    static let refusals = [
        Refusal("a point off the curve", .p256(x: y, y: x), .es256, .unacceptableKey),
        Refusal(
            "the point at zero",
            .p256(x: [UInt8](repeating: 0, count: 32), y: [UInt8](repeating: 0, count: 32)),
            .es256,
            .unacceptableKey
        ),
        Refusal(
            "a coordinate above the field",
            .p256(x: [UInt8](repeating: 0xFF, count: 32), y: y),
            .es256,
            .unacceptableKey
        ),
        Refusal("a short coordinate", .p256(x: Array(x.dropLast()), y: y), .es256, .malformedKey),
        Refusal("a long coordinate", .p256(x: [0] + x, y: y), .es256, .malformedKey),
        Refusal("RSA of 1024 bits", .rsa(modulus: n1024, exponent: [3]), .rs256, .unacceptableKey),
        Refusal("RSA of 4104 bits", .rsa(modulus: n4104, exponent: [3]), .rs256, .unacceptableKey),
        Refusal("exponent 1", .rsa(modulus: n, exponent: [1]), .rs256, .unacceptableKey),
        Refusal("an even exponent", .rsa(modulus: n, exponent: [4]), .rs256, .unacceptableKey),
        Refusal(
            "an exponent of 33 bits",
            .rsa(modulus: n, exponent: [1, 0, 0, 0, 1]),
            .rs256,
            .unacceptableKey
        ),
        Refusal(
            "an even modulus",
            .rsa(modulus: evenModulus, exponent: [3]),
            .ps256,
            .unacceptableKey
        ),
        Refusal("a padded modulus", .rsa(modulus: [0] + n, exponent: [3]), .rs256, .malformedKey),
        Refusal("a padded exponent", .rsa(modulus: n, exponent: [0, 3]), .rs256, .malformedKey),
        Refusal("no exponent", .rsa(modulus: n, exponent: []), .rs256, .malformedKey),
        Refusal("an EC key for RS256", .p256(x: x, y: y), .rs256, .wrongAlgorithm),
        Refusal("an RSA key for ES256", .rsa(modulus: n, exponent: [3]), .es256, .wrongAlgorithm),
        Refusal("an Ed25519 key of 31 bytes", .ed25519(Array(x.dropLast())), .edDSA, .malformedKey),
    ]

    @Test(arguments: refusals) func refuses(_ refusal: Refusal) {
        #expect(throws: refusal.error) {
            try VerificationKey(refusal.key, for: refusal.algorithm)
        }
    }

    /// The eight points of small order, in every form: with the identity as a key, the identity
    /// and 0 are a signature of anything.
    static let smallOrders: [[UInt8]] = [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ].flatMap { text in
        let point = hex(text)
        return [point, Array(point.dropLast()) + [point[31] | 0x80]]
    }

    @Test("an Ed25519 point of small order, whose signatures are anybody's", arguments: smallOrders)
    func smallOrder(_ point: [UInt8]) {
        #expect(throws: CryptoError.unacceptableKey) {
            try VerificationKey(.ed25519(point), for: .edDSA)
        }
    }

    /// n of P-256.
    static let order = hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")

    static let noSignatures: [[UInt8]] = {
        let good = SignatureTests.ecSignature
        let (r, s) = (Array(good[..<32]), Array(good[32...]))
        let zero = [UInt8](repeating: 0, count: 32)
        let ones = [UInt8](repeating: 0xFF, count: 64)
        return [zero + zero, zero + s, r + zero, order + s, r + order, ones, [0] + good, r, []]
    }()

    @Test("r and s outside 1…n−1, and other lengths, are no signatures", arguments: noSignatures)
    func signature(_ signature: [UInt8]) throws {
        let key = try VerificationKey(SignatureTests.ecKey, for: .es256)
        #expect(!key.accepts(signature, of: Array("eyJhbGciOiJFUzI1NiJ9.\(joe)".utf8)))
    }

    @Test("PKCS #8 with trailing bytes, of another kind, or cut is refused") func pkcs8() throws {
        let der = try SigningKey.generate(.es256).pkcs8().withBytes { bytes in
            bytes.indices.map { bytes[$0] }
        }
        #expect(throws: CryptoError.malformedKey) {
            try SigningKey(pkcs8: Secret(der + [0]), for: .es256)
        }
        #expect(throws: CryptoError.malformedKey) {
            try SigningKey(pkcs8: Secret(Array(der.dropLast())), for: .es256)
        }
        #expect(throws: CryptoError.wrongAlgorithm) {
            try SigningKey(pkcs8: Secret(der), for: .edDSA)
        }
    }

    @Test("a secret does not speak") func secret() {
        let secret = Secret(Array("hunter2".utf8))
        #expect("\(secret)" == "‹secret›")
        #expect(!String(reflecting: secret).utf8.elementsEqual("hunter2".utf8))
        #expect(Mirror(reflecting: secret).children.isEmpty)
        var taken = Array("hunter2".utf8)
        _ = Secret(wiping: &taken)
        #expect(taken.isEmpty)
    }

    @Test("equal compares content and length") func equality() {
        #expect(equal([1, 2, 3], [1, 2, 3]))
        #expect(!equal([1, 2, 3], [1, 2, 4]))
        #expect(!equal([1, 2, 3], [1, 2]))
        #expect(equal([UInt8](), []))
        #expect(equal(Secret([9]), [9]))
    }
}
