import Crypto
import Foundation
import OAuth
import Runtime

/// A key in a phone, and what apps sign with it.
struct PhoneKey {
    /// The `kid` of a biometric key.
    let id: String
    private let key: SigningKey
    private let jwk: String

    init() throws {
        key = try SigningKey.generate(.es256)
        guard case .p256(let x, let y) = key.publicKey else {
            throw Subprocess.Failed(description: "ES256 keys are on P-256")
        }
        id = UUID().uuidString
        jwk = """
            {"crv":"P-256","kty":"EC","x":"\(Base64URL.text(x))","y":"\(Base64URL.text(y))"}
            """
    }

    static func some(_ count: Int) throws -> [PhoneKey] {
        try (0..<count).map { _ in try PhoneKey() }
    }

    private static var now: Int64 { WallTime.nowMicroseconds() / 1_000_000 }

    /// A proof of possession for a request to `path` (RFC 9449 section 4.2).
    func proof(for path: String) throws -> String {
        try jwt(
            #""typ":"dpop+jwt","jwk":\#(jwk)"#,
            """
            "htm":"POST","htu":"\(Stack.origin)\(path)","iat":\(Self.now),\
            "jti":"\(UUID().uuidString)"
            """
        )
    }

    /// An answer to a challenge (WireContract 6.2); `claims` begin with their comma.
    func app2app(_ challenge: [UInt8], _ claims: String) throws -> String {
        try jwt(
            #""typ":"vnd.authgear.app2app-request","jwk":\#(jwk)"#,
            Self.fresh(challenge, claims)
        )
    }

    /// The same with a biometric key; only a setup shows the key itself.
    func biometric(_ challenge: [UInt8], action: String, _ claims: String = "") throws -> String {
        let shown = action == "setup" ? #","jwk":\#(jwk)"# : ""
        return try jwt(
            #""typ":"vnd.authgear.biometric-request","kid":"\#(id)"\#(shown)"#,
            Self.fresh(challenge, #","action":"\#(action)"\#(claims)"#)
        )
    }

    private static func fresh(_ challenge: [UInt8], _ claims: String) -> String {
        let text = String(decoding: challenge, as: UTF8.self)
        return #""challenge":"\#(text)","iat":\#(now),"exp":\#(now + 300)\#(claims)"#
    }

    private func jwt(_ header: String, _ payload: String) throws -> String {
        let parts = [#"{"alg":"ES256",\#(header)}"#, "{\(payload)}"]
        let signed = parts.map { Base64URL.text(Array($0.utf8)) }.joined(separator: ".")
        return "\(signed).\(Base64URL.text(try key.sign(Array(signed.utf8))))"
    }
}
