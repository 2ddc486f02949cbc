package import Domain

/// The private halves of signing keys: files under the KEK, never events (security.md section 5).
package protocol KeyVault: Sendable {
    /// Makes a key pair, stores the private half durably and returns the public one.
    func generate(_ algorithm: SigningKeyRing.Algorithm, for project: ProjectNumber)
        async throws(KeyVaultError) -> GeneratedKey
}

/// A new key: its RFC 7638 thumbprint and public JWK as canonical JSON.
package struct GeneratedKey: Hashable, Sendable {
    package var kid: String
    package var algorithm: SigningKeyRing.Algorithm
    package var publicKey: [UInt8]

    package init(kid: String, algorithm: SigningKeyRing.Algorithm, publicKey: [UInt8]) {
        self.kid = kid
        self.algorithm = algorithm
        self.publicKey = publicKey
    }
}

/// Why no key was made.
package enum KeyVaultError: Error, Hashable { case unwritable, unavailable }
