/// Percent escapes of URIs and forms (RFC 3986 section 2.1, WHATWG URL section 5).
package enum PercentEncoding {
    /// Escapes all but unreserved characters (RFC 3986 section 2.3): safe in every part of a URI.
    package static func encode(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        append(bytes, to: &text)
        return text
    }

    /// Appends the escaped form of `bytes` to `text`.
    package static func append(_ bytes: some Sequence<UInt8>, to text: inout [UInt8]) {
        for byte in bytes {
            if isUnreserved(byte) {
                text.append(byte)
            } else {
                text.append(UInt8(ascii: "%"))
                text.append(upperCaseDigit(byte >> 4))
                text.append(upperCaseDigit(byte & 15))
            }
        }
    }

    /// Undoes escapes once; nil when a `%` is not followed by two hexadecimal digits.
    package static func decode(_ text: ArraySlice<UInt8>, plusIsSpace: Bool) -> [UInt8]? {
        // Most values hold no escape: one copy, no loop that appends.
        guard text.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
            return Array(text)
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var index = text.startIndex
        while index < text.endIndex {
            let byte = text[index]
            index += 1
            switch byte {
            case UInt8(ascii: "+") where plusIsSpace:
                bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard index + 1 < text.endIndex, let high = Hexadecimal.value(text[index]),
                    let low = Hexadecimal.value(text[index + 1])
                else { return nil }
                bytes.append(high << 4 | low)
                index += 2
            default:
                bytes.append(byte)
            }
        }
        return bytes
    }

    /// ALPHA, DIGIT, `-`, `.`, `_`, `~` (RFC 3986 section 2.3).
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: false
        }
    }

    private static func upperCaseDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? value + 0x30 : value + 0x37
    }
}
