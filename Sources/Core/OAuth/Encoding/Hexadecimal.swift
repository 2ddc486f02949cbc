internal import Domain

/// Lower-case hexadecimal text.
package enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    /// The text of `bytes`, as ASCII bytes.
    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return text
    }

    /// Appends the 16 digits of `word`, its first byte first.
    package static func append(_ word: UInt64, to text: inout [UInt8]) {
        text.append(addingCapacity: 16) { room in
            room.append(bigEndian: StreamID.digits(word >> 32))
            room.append(bigEndian: StreamID.digits(word))
        }
    }

    /// The text of `bytes`, as a string.
    package static func text(_ bytes: [UInt8]) -> String {
        String(decoding: encode(bytes), as: UTF8.self)
    }

    /// As below.
    package static func decode(_ text: [UInt8]) -> [UInt8]? { decode(text.span) }

    /// The bytes that `text` stands for; nil for odd length, upper case or another character.
    package static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 2)
        for index in stride(from: 0, to: text.count, by: 2) {
            guard let high = lowerCaseValue(text[index]),
                let low = lowerCaseValue(text[index + 1])
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// The value of one digit in either case, as percent escapes and chunk sizes have it.
    package static func value(_ digit: UInt8) -> UInt8? {
        0x41...0x46 ~= digit ? digit - 0x37 : lowerCaseValue(digit)
    }

    private static func lowerCaseValue(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x61...0x66: digit - 0x57
        default: nil
        }
    }
}
