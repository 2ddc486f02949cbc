import Crypto
import Foundation
import Runtime

/// A key in a phone, and the JWTs an app makes with it.
struct PhoneKey {
    private let sign: @Sendable ([UInt8]) throws -> [UInt8]
    private let scheme: SignatureAlgorithm
    private let algorithm: String
    private let jwk: [String: String]

    init(_ algorithm: String) throws {
        let known: [String: SignatureAlgorithm] = [
            "ES256": .es256, "RS256": .rs256, "EdDSA": .edDSA,
        ]
        let key = try SigningKey.generate(known[algorithm] ?? .es256)
        sign = { try key.sign($0) }
        scheme = key.algorithm
        self.algorithm = algorithm
        switch key.publicKey {
        case .p256(let x, let y):
            jwk = ["kty": "EC", "crv": "P-256", "x": Self.text(x), "y": Self.text(y)]
        case .rsa(let modulus, let exponent):
            jwk = ["kty": "RSA", "n": Self.text(modulus), "e": Self.text(exponent)]
        case .ed25519(let point): jwk = ["kty": "OKP", "crv": "Ed25519", "x": Self.text(point)]
        }
    }

    /// An RSA key of any size.
    init(rsaBits bits: Int) throws {
        let key = try OpenSSLKey(bits: bits)
        sign = { try key.sign($0) }
        scheme = .rs256
        algorithm = "RS256"
        jwk = ["kty": "RSA", "n": Self.text(key.modulus), "e": "AQAB"]
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
        var embedded: [String: Any] = jwk
        var header: [String: Any] = ["typ": options["typ"] ?? "", "alg": algorithm]
        var payload: [String: Any] = ["iat": now, "exp": now + 60]
        payload["challenge"] = options["challenge"]
        for (name, text) in options {
            let value = try Self.value(text, now)
            if name.hasPrefix("jwk.") {
                embedded[String(name.dropFirst("jwk.".count))] = value
            } else if name.hasPrefix("header.") {
                header[String(name.dropFirst("header.".count))] = value
            } else if name.hasPrefix("claim.") {
                payload[String(name.dropFirst("claim.".count))] = value
            }
        }
        if options["jwk"] != "no" { header["jwk"] = embedded }
        let signed = try "\(Self.text(header)).\(Self.text(payload))"
        return try "\(signed).\(Self.text(signature(of: Array(signed.utf8), options)))"
    }

    /// `signature=none` is empty; `signature=mac` is an HMAC whose secret is `jwk.k`, or else the
    /// public key; `signature=other` is by a key that nobody knows.
    private func signature(of signed: [UInt8], _ options: [String: String]) throws -> [UInt8] {
        switch options["signature"] {
        case "none": return []
        case "mac":
            let json = try JSONSerialization.data(withJSONObject: jwk, options: .sortedKeys)
            return try HMACKey(Secret(Self.bytes(options["jwk.k"]) ?? Array(json))).tag(signed)
        case "other": return try SigningKey.generate(scheme).sign(signed)
        default: return try sign(signed)
        }
    }

    /// `now`, `now+60`, `now-60` are times, `text:now` is one as text, `absent` is nothing,
    /// `json:['a']` is JSON with `'` for `"`, the rest is text.
    private static func value(_ text: String, _ now: Int) throws -> Any? {
        if text == "absent" { return nil }
        if text.hasPrefix("json:") {
            let json = text.dropFirst("json:".count).replacing("'", with: "\"")
            return try JSONSerialization.jsonObject(
                with: Data(json.utf8),
                options: .fragmentsAllowed
            )
        }
        if text == "text:now" { return String(now) }
        guard text.hasPrefix("now") else { return text }
        return now + (Int(text.dropFirst(3)) ?? 0)
    }

    private static func text(_ object: [String: Any]) throws -> String {
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
        return text(Array(try JSONSerialization.data(withJSONObject: object, options: options)))
    }

    /// In base64url.
    static func text(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }

    /// From base64url.
    static func bytes(_ text: String?) -> [UInt8]? {
        guard let text else { return nil }
        let base64 = text.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - base64.count % 4) % 4)
        return Data(base64Encoded: base64 + padding).map { Array($0) }
    }
}
