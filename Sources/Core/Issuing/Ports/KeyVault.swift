package import Domain

/// The private halves of signing keys: files under the KEK, never events (Security 5).
package protocol KeyVault: Sendable {
    /// Makes a key pair, stores the private half durably and returns the public one.
    func generate(_ algorithm: SigningKeyRing.Algorithm, for project: ProjectNumber)
        async throws(KeyVaultError) -> GeneratedKey

    /// Why the private half of `kid` cannot be read here, as after a restart; nil when it can.
    ///
    /// One line for operators: which file, and what is wrong with it.
    ///
    /// - Throws: `.unavailable` when that cannot be told now.
    func fault(of kid: String, _ algorithm: SigningKeyRing.Algorithm)
        async throws(KeyVaultError) -> String?
}
