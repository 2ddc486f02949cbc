/// The grammar of `Host` (RFC 9110 §7.2): a name or address, then perhaps a port.
enum HostField {
    static let bytesMax = 260

    /// Whether `bytes[range]` is a registered name, an IPv4 address or a bracketed IPv6 one, and
    /// perhaps `:` and 1 to 5 digits.
    ///
    /// Userinfo, escapes and an empty name are not.
    static func isValid(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        guard 1...bytesMax ~= range.count else { return false }
        var end = range.lowerBound
        if bytes[end] == UInt8(ascii: "[") {
            end += 1
            while end < range.upperBound, isAddress(bytes[end]) { end += 1 }
            guard end < range.upperBound, bytes[end] == UInt8(ascii: "]"),
                end > range.lowerBound + 2
            else { return false }
            end += 1
        } else {
            while end < range.upperBound, isName(bytes[end]) { end += 1 }
            guard end > range.lowerBound else { return false }
        }
        guard end < range.upperBound else { return true }
        let digits = end + 1..<range.upperBound
        return bytes[end] == UInt8(ascii: ":") && 1...5 ~= digits.count
            && digits.allSatisfy { ASCII.isDigit(bytes[$0]) }
    }

    private static func isName(_ byte: UInt8) -> Bool {
        ASCII.isDigit(byte) || (byte | 0x20) &- 0x61 < 26 || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
    }

    private static func isAddress(_ byte: UInt8) -> Bool {
        ASCII.hexadecimal(byte) != nil || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
    }
}
