internal import Crypto
internal import Domain
internal import OAuth
internal import Runtime

/// Public keys of phones, loaded once while they are in use; a thumbprint is never two keys.
final class PhoneKeys: Sendable {
    private struct Name: Hashable {
        var thumbprint: Thumbprint
        var algorithm: SignatureAlgorithm
    }

    /// A loaded key takes some kilobytes; the last 1,024 that were used stay.
    private static let entriesMax = 2048

    private let loaded = Guarded(RecentlyUsed<Name, VerificationKey>(countMax: entriesMax))

    /// Loads a key that came with a JWT; nil for one off its curve, of a wrong size or for
    /// another algorithm.
    func insert(_ key: PublicKey, for algorithm: SignatureAlgorithm) -> DeviceKey? {
        let jwk = PublicJWK.write(key)
        let digest = TokenDigest(words: SHA256.words(jwk))
        let device = DeviceKey(thumbprint: Thumbprint(digest: digest), jwk: jwk)
        let name = Name(thumbprint: device.thumbprint, algorithm: algorithm)
        if loaded.withLock({ $0.find(name) != nil }) { return device }
        guard let made = try? VerificationKey(key, for: algorithm) else { return nil }
        loaded.withLock { $0.insert(made, for: name) }
        return device
    }

    /// A key that was stored; nil when it does not serve the algorithm.
    func key(_ key: DeviceKey, for algorithm: SignatureAlgorithm) -> VerificationKey? {
        let name = Name(thumbprint: key.thumbprint, algorithm: algorithm)
        if let found = loaded.withLock({ $0.find(name) }) { return found }
        guard let json = try? CanonicalJSON.read(key.jwk), let jwk = PublicJWK(json),
            let made = try? VerificationKey(jwk.key, for: algorithm)
        else { return nil }
        loaded.withLock { $0.insert(made, for: name) }
        return made
    }
}
