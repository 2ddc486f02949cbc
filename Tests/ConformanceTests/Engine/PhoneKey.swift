import Crypto
import Foundation
import Runtime

/// A key in a phone, and the JWTs an app makes with it.
struct PhoneKey {
    private let key: SigningKey
    private let algorithm: String
    private let jwk: [String: String]

    init(_ algorithm: String) throws {
        let known: [String: SignatureAlgorithm] = [
            "ES256": .es256, "RS256": .rs256, "EdDSA": .edDSA,
        ]
        key = try SigningKey.generate(known[algorithm] ?? .es256)
        self.algorithm = algorithm
        switch key.publicKey {
        case .p256(let x, let y):
            jwk = ["kty": "EC", "crv": "P-256", "x": Self.text(x), "y": Self.text(y)]
        case .rsa(let modulus, let exponent):
            jwk = ["kty": "RSA", "n": Self.text(modulus), "e": Self.text(exponent)]
        case .ed25519(let point): jwk = ["kty": "OKP", "crv": "Ed25519", "x": Self.text(point)]
        }
    }

    /// RFC 7638.
    var thumbprint: String {
        let members = jwk.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\"\($0.value)\"" }
        return Self.digest("{\(members.joined(separator: ","))}")
    }

    /// SHA-256 in base64url, as `ath` is (RFC 9449 section 4.2).
    static func digest(_ said: String) -> String { text(SHA256.hash(Array(said.utf8))) }

    /// The public key as a member of a JWK set.
    func publicJWK(kid: String) throws -> String {
        let members = jwk.merging(["kid": kid, "use": "sig"]) { $1 }
        return String(
            decoding: try JSONSerialization.data(withJSONObject: members, options: [.sortedKeys]),
            as: UTF8.self
        )
    }

    /// What the words of a script ask for, everything else right.
    func jwt(_ options: [String: String]) throws -> String {
        let now = Int(Date().timeIntervalSince1970)
        let altered = options.filter { $0.key.hasPrefix("jwk.") }
            .map { (String($0.key.dropFirst("jwk.".count)), $0.value) }
        let embedded = jwk.merging(altered) { $1 }
        var header: [String: Any] = [
            "typ": options["typ"] ?? "", "alg": algorithm, "jwk": embedded,
        ]
        if options["jwk"] == "no" { header["jwk"] = nil }
        var payload: [String: Any] = ["iat": now, "exp": now + 60]
        payload["challenge"] = options["challenge"]
        for (name, text) in options {
            if name.hasPrefix("header.") {
                header[String(name.dropFirst("header.".count))] = text
            } else if name.hasPrefix("claim.") {
                payload[String(name.dropFirst("claim.".count))] = Self.value(text, now)
            }
        }
        let signed = try "\(Self.text(header)).\(Self.text(payload))"
        return try "\(signed).\(Self.text(signature(of: Array(signed.utf8), options)))"
    }

    /// `signature=none` is empty; `signature=mac` is an HMAC whose secret is the public key;
    /// `signature=other` is by a key that nobody knows.
    private func signature(of signed: [UInt8], _ options: [String: String]) throws -> [UInt8] {
        switch options["signature"] {
        case "none": return []
        case "mac":
            let secret = try JSONSerialization.data(withJSONObject: jwk, options: .sortedKeys)
            return try HMACKey(Secret(Array(secret))).tag(signed)
        case "other": return try SigningKey.generate(key.algorithm).sign(signed)
        default: return try key.sign(signed)
        }
    }

    /// `now`, `now+60`, `now-60` are times, `absent` is nothing, the rest is text.
    private static func value(_ text: String, _ now: Int) -> Any? {
        if text == "absent" { return nil }
        guard text.hasPrefix("now") else { return text }
        return now + (Int(text.dropFirst(3)) ?? 0)
    }

    private static func text(_ object: [String: Any]) throws -> String {
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
        return text(Array(try JSONSerialization.data(withJSONObject: object, options: options)))
    }

    private static func text(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }
}
