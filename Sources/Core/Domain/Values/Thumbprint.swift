/// The JWK SHA-256 thumbprint of a key (RFC 7638), 43 characters base64url on the wire.
package struct Thumbprint: Hashable, Sendable {
    package let digest: TokenDigest

    package init(digest: TokenDigest) { self.digest = digest }
}
