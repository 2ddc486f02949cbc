import Crypto
import OAuth

/// A key as a phone keeps it, and the requests an app signs with it.
struct WalkPhone: Sendable {
    private let key: SigningKey

    /// - Throws: when the library makes no key.
    init() throws(CommandFailure) {
        do { key = try SigningKey.generate(.es256) } catch {
            throw CommandFailure("no key for the phone: \(error)")
        }
    }

    /// A JWT of `type` with the key in its header and these claims.
    func jwt(
        _ type: String,
        kid: String? = nil,
        _ claims: [(name: String, value: JSON)]
    ) throws(CommandFailure) -> String {
        guard case .p256(let x, let y) = key.publicKey else {
            throw CommandFailure("the phone's key is of another kind")
        }
        var header: [JSON.Member] = [
            JSON.Member("typ", .string(type)), JSON.Member("alg", "ES256"),
            JSON.Member(
                "jwk",
                [
                    "kty": "EC", "crv": "P-256", "x": .string(Base64URL.text(x)),
                    "y": .string(Base64URL.text(y)),
                ]
            ),
        ]
        if let kid { header.append(JSON.Member("kid", .string(kid))) }
        let payload = claims.map { JSON.Member($0.name, $0.value) }
        let parts = [header, payload].map { Base64URL.text(JSONWriter.write(.object($0))) }
        let signed = parts.joined(separator: ".")
        do { return "\(signed).\(Base64URL.text(try key.sign(Array(signed.utf8))))" } catch {
            throw CommandFailure("the phone's key does not sign: \(error)")
        }
    }
}
