package import Domain

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
