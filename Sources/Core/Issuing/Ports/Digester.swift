package import Domain

/// SHA-256, plain and keyed.
package protocol Digester: Sendable {
    func sha256(_ bytes: [UInt8]) -> TokenDigest

    /// HMAC-SHA256 with the key derived for `label` from the root secret (security.md section 5).
    func mac(_ label: KeyLabel, _ bytes: [UInt8]) -> TokenDigest

    /// Whether `mac` is right under the current or the previous root secret, in constant time.
    func isValid(_ mac: TokenDigest, _ label: KeyLabel, _ bytes: [UInt8]) -> Bool
}
