internal import Domain
internal import OAuth

/// The public keys of a project as a JWK set (RFC 7517, wire.md section 8.5).
///
/// Next, current and previous keys: a verifier that caches knows a key before it signs.
package struct KeySet: Sendable {
    private let project: Project

    package init(_ project: Project) { self.project = project }

    /// One JSON object.
    package func render() -> [UInt8] {
        var writer = JSONWriter(reserving: 2048)
        writer.object { writer in
            writer.name("keys")
            writer.array { writer in
                for key in project.keys.keys where Self.isPublished(key) {
                    Self.write(key, to: &writer)
                }
            }
        }
        return writer.bytes
    }

    private static func isPublished(_ key: SigningKeyRing.Key) -> Bool {
        switch key.status {
        case .staged, .current, .previous: true
        case .removed, .compromised: false
        }
    }

    private static func write(_ key: SigningKeyRing.Key, to writer: inout JSONWriter) {
        // Written by the key vault and checked when it was staged; anything else is left out.
        guard let jwk = try? JSONReader.read(key.publicKey) else { return }
        writer.object { writer in
            for name in ["kty", "crv", "x", "y", "n", "e"] {
                if let value = jwk[name] { writer.member(name, value) }
            }
            writer.member("alg", key.algorithm.rawValue)
            writer.member("use", "sig")
            writer.member("kid", key.kid)
        }
    }
}
