/// base64url without padding, in its one canonical form (RFC 4648 section 5, RFC 7515 section 2).
package enum Base64URL {
    /// The text of `bytes`, as ASCII bytes.
    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        append(bytes, to: &text)
        return text
    }

    /// The text of `bytes`, as a string.
    package static func text(_ bytes: [UInt8]) -> String {
        String(decoding: encode(bytes), as: UTF8.self)
    }

    /// Appends the text of `bytes` to `text`.
    package static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
        let start = text.count
        text.append(contentsOf: repeatElement(0, count: (bytes.count * 4 + 2) / 3))
        encode(bytes.span, into: text.mutableSpan, from: start)
    }

    private static func encode(
        _ bytes: Span<UInt8>,
        into text: consuming MutableSpan<UInt8>,
        from start: Int
    ) {
        var (place, index) = (start, 0)
        while index + 3 <= bytes.count {
            let bits =
                UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8
                | UInt32(bytes[index + 2])
            text[place] = character(bits >> 18)
            text[place + 1] = character(bits >> 12)
            text[place + 2] = character(bits >> 6)
            text[place + 3] = character(bits)
            (place, index) = (place + 4, index + 3)
        }
        guard index < bytes.count else { return }
        let isLast = index + 1 == bytes.count
        let second: UInt32 = isLast ? 0 : UInt32(bytes[index + 1])
        let bits = UInt32(bytes[index]) << 16 | second << 8
        text[place] = character(bits >> 18)
        text[place + 1] = character(bits >> 12)
        if !isLast { text[place + 2] = character(bits >> 6) }
    }

    // By arithmetic: a table that is no literal asks at each use whether it is made.
    /// The character of the lowest six bits.
    private static func character(_ bits: UInt32) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: bits & 63)
        var character = value &+ 65
        if value > 25 { character = value &+ 71 }
        if value > 51 { character = value &- 4 }
        if value == 62 { character = UInt8(ascii: "-") }
        if value == 63 { character = UInt8(ascii: "_") }
        return character
    }

    /// 0–63 for a character of the alphabet, 255 for every other byte.
    private static func value(_ character: UInt8) -> UInt8 {
        switch character {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character &- 71
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character &- 65
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character &+ 4
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: 255
        }
    }

    /// The bytes that `text` stands for.
    ///
    /// Nil for padding, a character outside the alphabet, a length no encoder writes, or bits left
    /// over that are not zero: two texts never stand for the same bytes.
    package static func decode(_ text: [UInt8]) -> [UInt8]? { decode(text[...]) }

    /// As above, for a part of a larger text.
    package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var bits: UInt32 = 0
        var count = 0
        for character in text {
            let value = value(character)
            guard value < 64 else { return nil }
            bits = (bits << 6 | UInt32(value)) & 0xFFFF
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return bits & (1 << UInt32(count) - 1) == 0 ? bytes : nil
    }
}
