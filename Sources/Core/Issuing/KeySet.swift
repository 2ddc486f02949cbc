internal import Domain
internal import OAuth

/// The public keys of a project as a JWK set (RFC 7517, WireContract 8.5).
///
/// Next, current and previous keys: a verifier that caches knows a key before it signs. The key
/// that signs access tokens comes first, then the others of its algorithm: some verifiers take the
/// first one, whatever `kid` a token names.
package struct KeySet: Sendable {
    private let project: Project

    package init(_ project: Project) { self.project = project }

    /// One JSON object.
    package func render() -> [UInt8] {
        var writer = JSONWriter(reserving: 2048)
        writer.object { writer in
            writer.name("keys")
            writer.array { writer in
                for key in published { Self.write(key, to: &writer) }
            }
        }
        return writer.bytes
    }

    /// By rank; keys of one rank in the order in which they were staged.
    private var published: [SigningKeyRing.Key] {
        let keys = project.keys.keys.filter(Self.isPublished)
        return (0...2).flatMap { rank in keys.filter { self.rank(of: $0) == rank } }
    }

    private func rank(of key: SigningKeyRing.Key) -> Int {
        guard key.algorithm == project.settings.signingAlgorithm else { return 2 }
        return key.status == .current ? 0 : 1
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
