/// base64url without padding, in its one canonical form (RFC 4648 section 5, RFC 7515 section 2).
///
/// Eight characters at a time, a byte of a word each, by arithmetic alone: no table, so that no
/// access to memory depends on a secret.
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
        // Room for nothing would be written to in the empty array that all threads share.
        guard !bytes.isEmpty else { return }
        text.append(addingCapacity: (bytes.count * 4 + 2) / 3) { encode(bytes.span, into: &$0) }
    }

    private static func encode(_ bytes: Span<UInt8>, into text: inout OutputSpan<UInt8>) {
        var index = 0
        while index + 6 <= bytes.count {
            write(bytes.extracting(index..<(index + 6)), to: &text)
            index += 6
        }
        write(bytes.extracting(index...), to: &text)
    }

    // Inlined, so that the loops over six bytes and eight characters vanish.
    /// Writes at most six bytes.
    @inline(__always)
    private static func write(_ bytes: Span<UInt8>, to text: inout OutputSpan<UInt8>) {
        let characters = Lanes.characters(of: Lanes.spread(Lanes.word(bytes) >> 16))
        for offset in 0..<((bytes.count * 4 + 2) / 3) {
            text.append(Lanes.byte(offset, of: characters))
        }
    }

    /// The bytes that `text` stands for.
    ///
    /// Nil for padding, a character outside the alphabet, a length no encoder writes, or bits left
    /// over that are not zero: two texts never stand for the same bytes.
    package static func decode(_ text: [UInt8]) -> [UInt8]? { decode(text.span) }

    /// As above, for a part of a larger text.
    package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? { decode(text.span) }

    private static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        guard !text.isEmpty else { return [] }  // As in `append`.
        var bytes: [UInt8] = []
        var isText = false
        bytes.append(addingCapacity: text.count * 3 / 4) { isText = decode(text, into: &$0) }
        return isText ? bytes : nil
    }

    /// Fills `bytes`, which has room for just what this text stands for; false when it is nothing.
    private static func decode(_ text: Span<UInt8>, into bytes: inout OutputSpan<UInt8>) -> Bool {
        var index = 0
        while index + 8 <= text.count {
            guard read(text.extracting(index..<(index + 8)), to: &bytes) else { return false }
            index += 8
        }
        return read(text.extracting(index...), to: &bytes)
    }

    /// Reads at most eight characters; false when they stand for nothing.
    @inline(__always)
    private static func read(_ text: Span<UInt8>, to bytes: inout OutputSpan<UInt8>) -> Bool {
        let characters = Lanes.word(text, filledUpWith: Lanes.zero)
        guard let values = Lanes.values(of: characters) else { return false }
        let six = Lanes.gather(values) << 16
        let count = text.count * 3 / 4
        // Bits that fill no byte are zero.
        guard six << UInt64(8 * count) == 0 else { return false }
        for offset in 0..<count { bytes.append(Lanes.byte(offset, of: six)) }
        return true
    }
}

/// Eight bytes of a word, the first one highest, that are reckoned with at once.
private enum Lanes {
    /// The character of the value 0.
    static let zero = UInt8(ascii: "A")

    private static let ones: UInt64 = 0x0101_0101_0101_0101

    static func byte(_ index: Int, of lanes: UInt64) -> UInt8 {
        UInt8(truncatingIfNeeded: lanes >> UInt64(56 - 8 * index))
    }

    /// At most eight bytes.
    @inline(__always)
    static func word(_ bytes: Span<UInt8>, filledUpWith rest: UInt8 = 0) -> UInt64 {
        var word: UInt64 = 0
        for index in bytes.indices { word = word << 8 | UInt64(bytes[index]) }
        for _ in bytes.count..<8 { word = word << 8 | UInt64(rest) }
        return word
    }

    /// The 48 low bits as six bits in each lane.
    static func spread(_ bits: UInt64) -> UInt64 {
        let halves = (bits & 0xFFFF_FF00_0000) << 8 | bits & 0xFF_FFFF
        let quarters = (halves & 0x00FF_F000_00FF_F000) << 4 | halves & 0x0000_0FFF_0000_0FFF
        return (quarters & 0x0FC0_0FC0_0FC0_0FC0) << 2 | quarters & 0x003F_003F_003F_003F
    }

    /// The six bits of each lane, as the 48 low bits.
    static func gather(_ values: UInt64) -> UInt64 {
        let quarters = (values & 0x3F00_3F00_3F00_3F00) >> 2 | values & 0x003F_003F_003F_003F
        let halves = (quarters & 0x0FFF_0000_0FFF_0000) >> 4 | quarters & 0x0000_0FFF_0000_0FFF
        return (halves & 0x00FF_FFFF_0000_0000) >> 8 | halves & 0x00FF_FFFF
    }

    /// 1 in each lane that is at least `least`; lanes and `least` are below 128.
    private static func areAtLeast(_ least: UInt8, _ lanes: UInt64) -> UInt64 {
        (lanes &+ ones &* UInt64(128 - least)) >> 7 & ones
    }

    /// The characters of values of six bits; no lane ever carries into its neighbour.
    static func characters(of values: UInt64) -> UInt64 {
        let letters = values &+ ones &* 65 &+ areAtLeast(26, values) &* 6
        return letters &- areAtLeast(52, values) &* 75 &- areAtLeast(62, values) &* 13
            &+ areAtLeast(63, values) &* 49
    }

    /// 0–63 for each character of the alphabet; nil when one is none.
    static func values(of characters: UInt64) -> UInt64? {
        guard characters & ones << 7 == 0 else { return nil }
        // Each class of characters in order, by what its values differ from the one before. No
        // lane gets below 0 or above 255.
        let values =
            characters &+ ones &* 17
            &- areAtLeast(UInt8(ascii: "0"), characters) &* 13
            &- areAtLeast(UInt8(ascii: "A"), characters) &* 69
            &+ areAtLeast(UInt8(ascii: "_"), characters) &* 33
            &- areAtLeast(UInt8(ascii: "a"), characters) &* 39
        // What is none of the alphabet got a value, too, whose character is another.
        guard values & (ones &* 0xC0) == 0, self.characters(of: values) == characters else {
            return nil
        }
        return values
    }
}
