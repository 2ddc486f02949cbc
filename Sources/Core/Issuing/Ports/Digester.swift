package import Domain

/// SHA-256, plain and keyed.
package protocol Digester: Sendable {
    func sha256(_ bytes: [UInt8]) -> TokenDigest

    /// HMAC-SHA256 with the key derived for `label` from the root secret (Security 5).
    func mac(_ label: KeyLabel, _ bytes: [UInt8]) -> TokenDigest

    /// The same, and by the second root secret, which is there while one replaces another.
    ///
    /// For values that are made again rather than shown: both are needed, since only the recorded
    /// digest tells which key made it.
    func macs(_ label: KeyLabel, _ bytes: [UInt8]) -> (current: TokenDigest, second: TokenDigest?)

    /// Whether `mac` is right under the current or the second root secret, in constant time.
    func isValid(_ mac: TokenDigest, _ label: KeyLabel, _ bytes: [UInt8]) -> Bool
}
