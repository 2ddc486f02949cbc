/// How a JWT is signed (RFC 7518 section 3.1, RFC 8037 section 3.1).
package enum SignatureAlgorithm: Hashable, Sendable, CaseIterable {
    /// ECDSA on P-256 with SHA-256; signatures are r ‖ s, 64 bytes.
    case es256
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256
    /// RSASSA-PSS with SHA-256 and a 32-byte salt.
    case ps256
    /// Ed25519; signatures of 64 bytes.
    case edDSA
}
