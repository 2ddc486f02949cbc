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
        guard rest.popFirst() == 0x30, let length = rest.popFirst(), length == rest.count,
            let r = integer(&rest), let s = integer(&rest), rest.isEmpty
        else { return nil }
        return r + s
    }

    /// DER of a raw signature; nil unless it has 64 bytes with r and s in 1…n−1.
    static func der(fromRaw raw: [UInt8]) -> [UInt8]? {
        guard raw.count == 64, isInRange(raw[..<32]), isInRange(raw[32...]) else { return nil }
        let body = encoded(raw[..<32]) + encoded(raw[32...])
        return [0x30, UInt8(body.count)] + body
    }

    private static func isInRange(_ number: ArraySlice<UInt8>) -> Bool {
        number.contains { $0 != 0 } && number.lexicographicallyPrecedes(order)
    }

    private static func integer(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard rest.popFirst() == 0x02, let length = rest.popFirst(), 1...33 ~= length,
            rest.count >= Int(length)
        else { return nil }
        let digits = rest.prefix(Int(length)).drop { $0 == 0 }
        rest = rest.dropFirst(Int(length))
        guard digits.count <= 32 else { return nil }
        return [UInt8](repeating: 0, count: 32 - digits.count) + digits
    }

    private static func encoded(_ number: ArraySlice<UInt8>) -> [UInt8] {
        let digits = number.drop { $0 == 0 }
        // A set top bit would read as a negative number.
        let sign: [UInt8] = (digits.first ?? 0) & 0x80 == 0 ? [] : [0]
        return [0x02, UInt8(sign.count + digits.count)] + sign + digits
    }
}
