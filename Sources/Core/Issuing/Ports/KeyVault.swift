package import Domain

/// The private halves of signing keys: files under the KEK, never events (security.md section 5).
package protocol KeyVault: Sendable {
    /// Makes a key pair, stores the private half durably and returns the public one.
    func generate(_ algorithm: SigningKeyRing.Algorithm, for project: ProjectNumber)
        async throws(KeyVaultError) -> GeneratedKey
}
