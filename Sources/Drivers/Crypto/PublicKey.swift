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

    /// Checks lengths; for RSA size and exponent: 2048–4096 bits, odd, 3…2^32−1; for Ed25519 the
    /// order of the point.
    ///
    /// Whether a point is on its curve shows when the key is loaded, of Ed25519 when a signature is
    /// checked: none is good for one that is not.
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
            guard !Self.isOfSmallOrder(point) else { throw .unacceptableKey }
        }
    }

    /// Whether a point is one of eight whose signatures anybody can make (RFC 8032 section 5.1.7
    /// checks none of them), also written in a way that is not the shortest.
    private static func isOfSmallOrder(_ point: [UInt8]) -> Bool {
        // Both signs of x: the last bit tells it.
        smallOrders.contains(Array(point.dropLast()) + [point[31] & 0x7F])
    }

    /// Their y, little-endian: 0, 1, −1, those of order eight, and p and p + 1, which are 0 and 1.
    private static let smallOrders: Set<[UInt8]> = {
        let order8: [UInt8] = [
            0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF,
            0x98, 0xF0, 0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88,
            0x6D, 0x53, 0xFC, 0x05,
        ]
        let other8: [UInt8] = [
            0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10,
            0x67, 0x0F, 0x2A, 0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77,
            0x92, 0xAC, 0x03, 0x7A,
        ]
        let small: [[UInt8]] = [0, 1].map { [$0] + Array(repeating: 0, count: 31) }
        let large: [[UInt8]] = [0xEC, 0xED, 0xEE].map { low in
            [low] + Array(repeating: 0xFF, count: 30) + [0x7F]
        }
        return Set(small + large + [order8, other8])
    }()
}
