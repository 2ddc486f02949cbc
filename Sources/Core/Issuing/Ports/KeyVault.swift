package import Domain

/// The private halves of signing keys: files under the KEK, never events (security.md section 5).
package protocol KeyVault: Sendable {
    /// Makes a key pair, stores the private half durably and returns the public one.
    func generate(_ algorithm: SigningKeyRing.Algorithm, for project: ProjectNumber)
        async throws(KeyVaultError) -> GeneratedKey

    /// Whether the private half of `kid` can be read here, also after a restart.
    ///
    /// - Throws: `.unavailable` when that cannot be told now.
    func stores(_ kid: String, _ algorithm: SigningKeyRing.Algorithm)
        async throws(KeyVaultError) -> Bool
}
