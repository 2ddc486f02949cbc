internal import Crypto
internal import Domain
internal import OAuth
internal import Runtime

/// Public keys that clients registered, loaded once for each algorithm.
final class RegisteredKeys: Sendable {
    private struct Name: Hashable {
        var jwk: [UInt8]
        var algorithm: SignatureAlgorithm
    }

    /// Beyond it the cache starts again.
    private static let entriesMax = 4096

    private let loaded = Guarded<[Name: VerificationKey]>([:])

    /// The key when it serves `algorithm`, and its JWK does not say another one.
    func key(_ key: ClientSettings.Key, for algorithm: SignatureAlgorithm) -> VerificationKey? {
        let name = Name(jwk: key.jwk, algorithm: algorithm)
        if let found = loaded.withLock({ $0[name] }) { return found }
        guard let json = try? JSONReader.read(key.jwk), let jwk = PublicJWK(json),
            jwk.algorithm == nil || Self.algorithmName(algorithm) == jwk.algorithm,
            let made = try? VerificationKey(jwk.key, for: algorithm)
        else { return nil }
        loaded.withLock { loaded in
            if loaded.count >= Self.entriesMax { loaded.removeAll() }
            loaded[name] = made
        }
        return made
    }

    private static func algorithmName(_ algorithm: SignatureAlgorithm) -> String {
        switch algorithm {
        case .es256: "ES256"
        case .rs256: "RS256"
        case .ps256: "PS256"
        case .edDSA: "EdDSA"
        }
    }
}
