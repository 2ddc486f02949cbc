/// base64url without padding, in its one canonical form (RFC 4648 section 5, RFC 7515 section 2).
///
/// Eight characters at a time, a byte of a word each, by arithmetic alone: no table, so that no
/// access to memory depends on a secret.
package enum Base64URL {
    /// The text of `bytes`, as ASCII bytes.
    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var text = [UInt8](repeating: 0, count: (bytes.count * 4 + 2) / 3)
        encode(bytes.span, into: text.mutableSpan, from: 0)
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
        while index + 6 <= bytes.count {
            write(bytes.extracting(index..<(index + 6)), to: &text, at: place)
            (place, index) = (place + 8, index + 6)
        }
        write(bytes.extracting(index...), to: &text, at: place)
    }

    // Inlined, so that the loops over six bytes and eight characters vanish.
    /// Writes at most six bytes.
    @inline(__always)
    private static func write(
        _ bytes: Span<UInt8>,
        to text: inout MutableSpan<UInt8>,
        at place: Int
    ) {
        let characters = Lanes.characters(of: Lanes.spread(Lanes.word(bytes) >> 16))
        for offset in 0..<((bytes.count * 4 + 2) / 3) {
            text[place + offset] = Lanes.byte(offset, of: characters)
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
        var bytes = [UInt8](repeating: 0, count: text.count * 3 / 4)
        return decode(text, into: bytes.mutableSpan) ? bytes : nil
    }

    /// Fills `bytes`, which has room for just what this text stands for; false when it is nothing.
    private static func decode(_ text: Span<UInt8>, into bytes: consuming MutableSpan<UInt8>)
        -> Bool
    {
        var (place, index) = (0, 0)
        while index + 8 <= text.count {
            let part = text.extracting(index..<(index + 8))
            guard read(part, to: &bytes, at: place) else { return false }
            (place, index) = (place + 6, index + 8)
        }
        return read(text.extracting(index...), to: &bytes, at: place)
    }

    /// Reads at most eight characters; false when they stand for nothing.
    @inline(__always)
    private static func read(
        _ text: Span<UInt8>,
        to bytes: inout MutableSpan<UInt8>,
        at place: Int
    ) -> Bool {
        let characters = Lanes.word(text, filledUpWith: Lanes.zero)
        guard let values = Lanes.values(of: characters) else { return false }
        let six = Lanes.gather(values) << 16
        let count = text.count * 3 / 4
        // Bits that fill no byte are zero.
        guard six << UInt64(8 * count) == 0 else { return false }
        for offset in 0..<count { bytes[place + offset] = Lanes.byte(offset, of: six) }
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
        func are(_ first: UInt8, _ last: UInt8) -> UInt64 {
            areAtLeast(first, characters) &- areAtLeast(last + 1, characters)
        }
        let capitals = are(UInt8(ascii: "A"), UInt8(ascii: "Z"))
        let letters = are(UInt8(ascii: "a"), UInt8(ascii: "z"))
        let digits = are(UInt8(ascii: "0"), UInt8(ascii: "9"))
        let hyphens = are(UInt8(ascii: "-"), UInt8(ascii: "-"))
        let lines = are(UInt8(ascii: "_"), UInt8(ascii: "_"))
        guard capitals | letters | digits | hyphens | lines == ones else { return nil }
        let raised = characters &+ digits &* 4 &+ hyphens &* 17
        return raised &- capitals &* 65 &- letters &* 71 &- lines &* 32
    }
}
