/// The public half of a key, as its JWK members decode (RFC 7518 section 6, RFC 8037 section 2).
package enum PublicKey: Hashable, Sendable {
    /// `kty` EC, `crv` P-256: both coordinates big-endian, 32 bytes each.
    case p256(x: [UInt8], y: [UInt8])
    /// `kty` RSA: big-endian without leading zeros.
    case rsa(modulus: [UInt8], exponent: [UInt8])
    /// `kty` OKP, `crv` Ed25519: 32 bytes.
    case ed25519([UInt8])

    /// Whether keys of this kind can make or check signatures of `algorithm`.
    package func serves(_ algorithm: SignatureAlgorithm) -> Bool {
        switch (self, algorithm) {
        case (.p256, .es256), (.rsa, .rs256), (.rsa, .ps256), (.ed25519, .edDSA): true
        case (.p256, _), (.rsa, _), (.ed25519, _): false
        }
    }

    /// Checks lengths, and for RSA size and exponent: 2048–4096 bits, odd, 3…2^32−1.
    ///
    /// Whether a point is on its curve shows when the key is loaded.
    func checked() throws(CryptoError) {
        switch self {
        case .p256(let x, let y):
            guard x.count == 32, y.count == 32 else { throw .malformedKey }
        case .rsa(let modulus, let exponent):
            guard let first = modulus.first, let last = modulus.last, first != 0,
                let head = exponent.first, let tail = exponent.last, head != 0
            else { throw .malformedKey }
            let bits = modulus.count * 8 - first.leadingZeroBitCount
            guard 2048...4096 ~= bits, last & 1 == 1, tail & 1 == 1, exponent.count <= 4,
                exponent != [1]
            else { throw .unacceptableKey }
        case .ed25519(let point):
            guard point.count == 32 else { throw .malformedKey }
        }
    }
}
