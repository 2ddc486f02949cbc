import Crypto
import Foundation
import Runtime
import TestSupport

/// What a token of ours says, under a header and a signature that are not ours (RFC 8725 section
/// 2.1).
enum ForgedToken {
    /// Without signature, with a MAC by the key that the site publishes, and by a stranger's key.
    static func all(of token: String, at site: Site) async throws
        -> [(sentence: String, token: String)]
    {
        let parts = token.split(separator: ".").map(String.init)
        guard parts.count == 3, let said = WireAnswer(decoding: token)?.object("header"),
            let kid = said["kid"] as? String
        else { throw SignIn.Failed(description: "no JWT: \(token)") }
        func heading(_ algorithm: String) throws -> String {
            let header = said.merging(["alg": algorithm]) { $1 }
            let json = try JSONSerialization.data(withJSONObject: header, options: .sortedKeys)
            return "\(PhoneKey.text(Array(json))).\(parts[1])"
        }
        var forged = [
            (sentence: "none", token: "\(try heading("none"))."),
            (sentence: "None", token: "\(try heading("None"))."),
            (sentence: "none, with our signature", token: "\(try heading("none")).\(parts[2])"),
            (sentence: "ours, without signature", token: "\(parts[0]).\(parts[1])."),
        ]
        let signed = try heading("HS256")
        for (form, secret) in try await secrets(of: kid, at: site) {
            let tag = try HMACKey(Secret(secret)).tag(Array(signed.utf8))
            forged.append(("a MAC by \(form)", "\(signed).\(PhoneKey.text(tag))"))
        }
        let ours = "\(parts[0]).\(parts[1])"
        let stranger = try SigningKey.generate(.es256).sign(Array(ours.utf8))
        return forged + [("a stranger", "\(ours).\(PhoneKey.text(stranger))")]
    }

    /// A published P-256 key in the forms in which a library might take it for a secret.
    private static func secrets(of kid: String, at site: Site) async throws
        -> [(form: String, bytes: [UInt8])]
    {
        let answer = try await site.send(WireRequest("GET", "/oauth2/jwks"))
        let object = try JSONSerialization.jsonObject(with: answer.body) as? [String: Any]
        let keys = object?["keys"] as? [[String: Any]] ?? []
        guard let key = keys.first(where: { $0["kid"] as? String == kid }),
            let x = PhoneKey.bytes(key["x"] as? String), let y = PhoneKey.bytes(key["y"] as? String)
        else { throw SignIn.Failed(description: "no such key: \(answer.text)") }
        let point = [4] + x + y
        let der = subjectPublicKeyInfo + point
        let lines = Data(der).base64EncodedString(options: [.lineLength64Characters])
        let pem = "-----BEGIN PUBLIC KEY-----\n\(lines)\n-----END PUBLIC KEY-----\n"
        let json = try JSONSerialization.data(withJSONObject: key, options: .sortedKeys)
        return [
            ("its JWK", Array(json)), ("its point", point), ("its DER form", der),
            ("its PEM form", Array(pem.replacing("\r", with: "").utf8)),
        ]
    }

    /// What comes before the point in RFC 5480's form.
    private static let subjectPublicKeyInfo: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08,
        0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ]
}
