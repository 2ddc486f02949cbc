/// Bytes of the HTTP grammar (RFC 9110 §5.6.2); nothing here knows Unicode.
enum ASCII {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let space: UInt8 = 0x20

    static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }

    /// The value of a hexadecimal digit, either case; nil for anything else.
    static func hexadecimal(_ byte: UInt8) -> UInt8? {
        if isDigit(byte) { return byte - 0x30 }
        let letter = byte | 0x20
        return letter &- 0x61 < 6 ? letter - 0x57 : nil
    }

    // Bit n of the two words says whether n is a tchar: literals, because a computed constant asks
    // at each use whether it was computed.
    private static let tokenLow: UInt64 = 0x03FF_6CFA_0000_0000
    private static let tokenHigh: UInt64 = 0x57FF_FFFF_C7FF_FFFE

    /// Whether `byte` may be part of a token, such as a field name.
    static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 0..<64: tokenLow >> UInt64(byte) & 1 == 1
        case 64..<128: tokenHigh >> UInt64(byte - 64) & 1 == 1
        default: false
        }
    }

    /// Whether `bytes[range]` is `name`, which is in lower case, letters of any case.
    static func equal(_ bytes: Span<UInt8>, _ range: Range<Int>, _ name: StaticString) -> Bool {
        guard range.count == name.utf8CodeUnitCount else { return false }
        return name.withUTF8Buffer { wanted in
            for offset in 0..<range.count
            where unsafe lowercased(bytes[range.lowerBound + offset]) != wanted[offset] {
                return false
            }
            return true
        }
    }
}

extension [UInt8] {
    mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { unsafe append(contentsOf: $0) }
    }
}
