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

    /// The last half of them that were used stay.
    private static let entriesMax = 4096

    private let loaded = Guarded(RecentlyUsed<Name, VerificationKey>(countMax: entriesMax))

    /// The key when it serves `algorithm`, and its JWK does not say another one.
    func key(_ key: ClientSettings.Key, for algorithm: SignatureAlgorithm) -> VerificationKey? {
        let name = Name(jwk: key.jwk, algorithm: algorithm)
        if let found = loaded.withLock({ $0.find(name) }) { return found }
        guard let json = try? JSONReader.read(key.jwk), let jwk = PublicJWK(json),
            jwk.algorithm == nil || algorithm.name == jwk.algorithm,
            let made = try? VerificationKey(jwk.key, for: algorithm)
        else { return nil }
        loaded.withLock { $0.insert(made, for: name) }
        return made
    }
}
