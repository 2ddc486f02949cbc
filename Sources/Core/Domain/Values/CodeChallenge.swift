/// A PKCE `code_challenge` of method S256: 43 characters base64url (RFC 7636 section 4.2).
package struct CodeChallenge: Hashable, Sendable {
    /// The 32 bytes the text stands for: SHA-256 of the verifier.
    package let digest: TokenDigest

    package init(digest: TokenDigest) { self.digest = digest }
}
