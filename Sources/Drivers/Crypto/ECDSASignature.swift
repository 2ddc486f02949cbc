/// The two forms of an ECDSA signature on P-256: DER as OpenSSL has it, r ‖ s as JWTs carry it.
enum ECDSASignature {
    /// The order of P-256 (FIPS 186-4 D.1.2.3), big-endian.
    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xFF, 0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63,
        0x25, 0x51,
    ]

    /// r ‖ s of a DER `SEQUENCE { INTEGER r, INTEGER s }`; nil for anything else.
    static func raw(fromDER der: ArraySlice<UInt8>) -> [UInt8]? {
        var rest = der
        var raw: [UInt8] = []
        raw.reserveCapacity(64)
        guard rest.popFirst() == 0x30, let length = rest.popFirst(), length == rest.count,
            appendInteger(&rest, to: &raw), appendInteger(&rest, to: &raw), rest.isEmpty
        else { return nil }
        return raw
    }

    /// DER of a raw signature; nil unless it has 64 bytes with r and s in 1…n−1.
    static func der(fromRaw raw: [UInt8]) -> [UInt8]? {
        guard raw.count == 64, isInRange(raw[..<32]), isInRange(raw[32...]) else { return nil }
        var der: [UInt8] = [0x30, 0]
        der.reserveCapacity(72)
        encode(raw[..<32], to: &der)
        encode(raw[32...], to: &der)
        der[1] = UInt8(der.count - 2)
        return der
    }

    private static func isInRange(_ number: ArraySlice<UInt8>) -> Bool {
        number.contains { $0 != 0 } && number.lexicographicallyPrecedes(order)
    }

    /// Its 32 bytes; false for what is no such integer.
    private static func appendInteger(_ rest: inout ArraySlice<UInt8>, to raw: inout [UInt8])
        -> Bool
    {
        guard rest.popFirst() == 0x02, let length = rest.popFirst(), 1...33 ~= length,
            rest.count >= Int(length)
        else { return false }
        let digits = rest.prefix(Int(length)).drop { $0 == 0 }
        rest = rest.dropFirst(Int(length))
        guard digits.count <= 32 else { return false }
        for _ in digits.count..<32 { raw.append(0) }
        raw.append(contentsOf: digits)
        return true
    }

    private static func encode(_ number: ArraySlice<UInt8>, to der: inout [UInt8]) {
        let digits = number.drop { $0 == 0 }
        // A set top bit would read as a negative number.
        let isSigned = (digits.first ?? 0) & 0x80 != 0
        der.append(0x02)
        der.append(UInt8(digits.count + (isSigned ? 1 : 0)))
        if isSigned { der.append(0) }
        der.append(contentsOf: digits)
    }
}
