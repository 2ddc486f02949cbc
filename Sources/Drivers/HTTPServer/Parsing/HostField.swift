/// The grammar of `Host` (RFC 9110 §7.2): a name or address, then perhaps a port.
enum HostField {
    static let bytesMax = 260

    /// The registered name, the IPv4 address or the bracketed IPv6 one that `bytes[range]` begins
    /// with, when nothing follows but perhaps `:` and 1 to 5 digits; else nil.
    ///
    /// Userinfo, escapes and an empty name are refused.
    static func name(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Range<Int>? {
        guard 1...bytesMax ~= range.count else { return nil }
        var end = range.lowerBound
        if bytes[end] == UInt8(ascii: "[") {
            end += 1
            while end < range.upperBound, isAddress(bytes[end]) { end += 1 }
            guard end < range.upperBound, bytes[end] == UInt8(ascii: "]"),
                end > range.lowerBound + 2
            else { return nil }
            end += 1
        } else {
            while end < range.upperBound, isName(bytes[end]) { end += 1 }
            guard end > range.lowerBound else { return nil }
        }
        let name = range.lowerBound..<end
        guard end < range.upperBound else { return name }
        let digits = end + 1..<range.upperBound
        guard bytes[end] == UInt8(ascii: ":"), 1...5 ~= digits.count,
            digits.allSatisfy({ ASCII.isDigit(bytes[$0]) })
        else { return nil }
        return name
    }

    private static func isName(_ byte: UInt8) -> Bool {
        ASCII.isDigit(byte) || (byte | 0x20) &- 0x61 < 26 || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
    }

    private static func isAddress(_ byte: UInt8) -> Bool {
        ASCII.hexadecimal(byte) != nil || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
    }
}
