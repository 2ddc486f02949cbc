import Crypto
import Domain
import OAuth

/// What an app on a phone does: keeps a key and signs requests with it.
struct Phone: Sendable {
    let key: SigningKey
    let algorithm: String

    init(_ algorithm: SignatureAlgorithm = .es256) throws {
        key = try SigningKey.generate(algorithm)
        self.algorithm = Self.name(algorithm)
    }

    static func name(_ algorithm: SignatureAlgorithm) -> String {
        switch algorithm {
        case .es256: "ES256"
        case .rs256: "RS256"
        case .ps256: "PS256"
        case .edDSA: "EdDSA"
        }
    }

    /// The public half as `jwk`.
    var jwk: JSON { Self.jwk(key.publicKey) }

    static func jwk(_ key: PublicKey) -> JSON {
        switch key {
        case .p256(let x, let y):
            [
                "kty": "EC", "crv": "P-256", "x": .string(Base64URL.text(x)),
                "y": .string(Base64URL.text(y)),
            ]
        case .rsa(let modulus, let exponent):
            [
                "kty": "RSA", "n": .string(Base64URL.text(modulus)),
                "e": .string(Base64URL.text(exponent)),
            ]
        case .ed25519(let point):
            ["kty": "OKP", "crv": "Ed25519", "x": .string(Base64URL.text(point))]
        }
    }

    /// A header with everything right.
    func header(_ type: String = "vnd.authgear.app2app-request", embeds: Bool = true) -> Members {
        var members: Members = [("typ", .string(type)), ("alg", .string(algorithm))]
        if embeds { members.append(("jwk", jwk)) }
        return members
    }

    /// The compact form; `signer` signs instead of this phone.
    func jwt(_ header: Members, _ payload: Members, by signer: SigningKey? = nil) throws -> String {
        let signed = Self.signed(header, payload)
        return Self.compact(signed, try (signer ?? key).sign(signed))
    }

    /// What a signature is made of.
    static func signed(_ header: Members, _ payload: Members) -> [UInt8] {
        Base64URL.encode(write(header)) + [UInt8(ascii: ".")] + Base64URL.encode(write(payload))
    }

    /// The compact form with this signature, whoever made it.
    static func compact(_ signed: [UInt8], _ signature: [UInt8]) -> String {
        String(decoding: signed, as: UTF8.self) + "." + Base64URL.text(signature)
    }

    private static func write(_ members: Members) -> [UInt8] {
        JSONWriter.write(.object(members.map { JSON.Member($0.0, $0.1) }))
    }
}

/// Members of a JSON object, in order.
typealias Members = [(String, JSON)]

extension Members {
    /// The value of the member `name`.
    subscript(name: String) -> JSON? { first { $0.0 == name }?.1 }

    /// With `name` replaced, added, or without it.
    func setting(_ name: String, _ value: JSON?) -> Members {
        var members = filter { $0.0 != name }
        if let value { members.append((name, value)) }
        return members
    }
}
