/// Text in lines a mail relay passes on unchanged (RFC 2045 section 6.7).
enum QuotedPrintable {
    private static let lineBytesMax = 76
    private static let plainLineBytesMax = 998
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Whether `text` may travel as it is: ASCII, and lines of at most 998 bytes.
    static func isNeedless(for text: String) -> Bool {
        text.utf8.allSatisfy { $0 == 0x0A || 0x20...0x7E ~= $0 }
            && text.utf8.split(separator: 0x0A).allSatisfy { $0.count <= plainLineBytesMax }
    }

    /// `text` with CRLF line ends, the last line ended.
    static func lines(of text: String) -> [UInt8] {
        text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
            .flatMap { Array($0) + [0x0D, 0x0A] }
    }

    /// `text` encoded, with CRLF line ends, the last line ended.
    static func encode(_ text: String) -> [UInt8] {
        var encoded: [UInt8] = []
        for line in text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false) {
            var length = 0
            for (index, byte) in line.enumerated() {
                let isLast = index == line.count - 1
                let unit = unit(byte, atLineEnd: isLast)
                // One byte is left for the `=` of a soft break.
                if length + unit.count > lineBytesMax - 1 {
                    encoded += "=\r\n".utf8
                    length = 0
                }
                encoded += unit
                length += unit.count
            }
            encoded += "\r\n".utf8
        }
        return encoded
    }

    private static func unit(_ byte: UInt8, atLineEnd: Bool) -> [UInt8] {
        let isPlain = 0x21...0x7E ~= byte && byte != UInt8(ascii: "=")
        if isPlain || (byte == 0x20 && !atLineEnd) { return [byte] }
        return [UInt8(ascii: "="), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
}
