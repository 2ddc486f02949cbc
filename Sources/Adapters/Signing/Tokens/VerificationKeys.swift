internal import Crypto
internal import Domain
internal import OAuth
internal import Runtime

/// Public keys of rings, loaded once each; a key id never stands for another key.
final class VerificationKeys: Sendable {
    struct Entry: Sendable {
        let key: VerificationKey
        let headers: JWTHeaders
    }

    /// More than all rings of an installation hold: so many stay while they are used.
    private static let entriesMax = 4096

    private let entries = Guarded(RecentlyUsed<String, Entry>(countMax: 2 * entriesMax))

    /// The key, or nil when what the ring says of it is no key.
    func entry(for key: SigningKeyRing.Key) -> Entry? {
        if let entry = entries.withLock({ $0.find(key.kid) }) { return entry }
        guard let json = try? CanonicalJSON.read(key.publicKey), let jwk = PublicJWK(json),
            PublicJWK.thumbprint(of: jwk.key) == key.kid,
            let loaded = try? VerificationKey(jwk.key, for: SignatureAlgorithm(key.algorithm))
        else { return nil }
        let headers = JWTHeaders(kid: key.kid, algorithm: key.algorithm)
        let entry = Entry(key: loaded, headers: headers)
        entries.withLock { $0.insert(entry, for: key.kid) }
        return entry
    }
}
