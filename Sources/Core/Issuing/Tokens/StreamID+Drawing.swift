package import Domain

extension StreamID {
    /// A UUIDv7 (RFC 9562 section 5.7): class T, a stream with a bounded life; also command ids.
    package static func timeOrdered(at now: Instant, from entropy: any Entropy) -> StreamID {
        let random = entropy.bytes(10)
        let milliseconds = UInt64(clamping: now.milliseconds) & 0xFFFF_FFFF_FFFF
        let a = UInt64(random[0]) << 8 | UInt64(random[1])
        return StreamID(
            high: milliseconds << 16 | 0x7000 | (a & 0x0FFF),
            low: 0x8000_0000_0000_0000 | (word(random[2...]) & 0x3FFF_FFFF_FFFF_FFFF)
        )
    }

    /// A UUIDv8 of class P: first digit 8, 44-bit milliseconds of birth, 74 random bits.
    package static func permanent(at now: Instant, from entropy: any Entropy) -> StreamID {
        let random = entropy.bytes(10)
        let milliseconds = UInt64(clamping: now.milliseconds) & 0xFFF_FFFF_FFFF
        let a = UInt64(random[0]) << 8 | UInt64(random[1])
        return StreamID(
            high: 0x8 << 60 | milliseconds << 16 | 0x8000 | (a & 0x0FFF),
            low: 0x8000_0000_0000_0000 | (word(random[2...]) & 0x3FFF_FFFF_FFFF_FFFF)
        )
    }

    /// A UUIDv8 of class K: top bits 11, the rest of a keyed hash (Events 2.2).
    package static func keyed(_ mac: TokenDigest) -> StreamID {
        let high = (mac.words.0 & 0x3FFF_FFFF_FFFF_0FFF) | 0xC000_0000_0000_8000
        let low = (mac.words.1 & 0x3FFF_FFFF_FFFF_FFFF) | 0x8000_0000_0000_0000
        return StreamID(high: high, low: low)
    }

    /// A UUIDv8 of class S: digit 4, 44-bit milliseconds of the refused-after instant, a hash.
    package static func spent(refusedAfter: Instant, _ hash: TokenDigest) -> StreamID {
        let milliseconds = UInt64(clamping: refusedAfter.milliseconds) & 0xFFF_FFFF_FFFF
        return StreamID(
            high: 0x4 << 60 | milliseconds << 16 | 0x8000 | (hash.words.0 & 0x0FFF),
            low: 0x8000_0000_0000_0000 | (hash.words.1 & 0x3FFF_FFFF_FFFF_FFFF)
        )
    }

    private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
