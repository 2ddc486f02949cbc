/// Sixteen bytes that name a stream; the first hex digit is its class (events.md section 2.2).
package struct StreamID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The first eight bytes, big-endian.
    package let high: UInt64
    /// The last eight bytes, big-endian.
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Nil unless there are exactly 16 bytes.
    package init?(bytes: some Collection<UInt8>) {
        // An array first: a loop over any collection is not specialised in other modules.
        self.init(bytes: Array(bytes).span)
    }

    /// Nil unless there are exactly 16 bytes.
    package init?(bytes: Span<UInt8>) {
        guard bytes.count == 16 else { return nil }
        var high: UInt64 = 0
        var low: UInt64 = 0
        for index in 0..<8 {
            high = high << 8 | UInt64(bytes[index])
            low = low << 8 | UInt64(bytes[index + 8])
        }
        self.init(high: high, low: low)
    }

    /// Reads lower-case UUID text, 36 bytes; anything else is nil.
    package init?(text: some Collection<UInt8>) {
        self.init(text: Array(text).span)
    }

    /// Reads lower-case UUID text, 36 bytes; anything else is nil.
    package init?(text: String) { self.init(text: text.utf8Span.span) }

    private init?(text: Span<UInt8>) {
        guard text.count == 36 else { return nil }
        var nibbles = 0
        var high: UInt64 = 0
        var low: UInt64 = 0
        for index in 0..<36 {
            let byte = text[index]
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let nibble = Self.value(ofLowerCaseHex: byte) else { return nil }
            if nibbles < 16 { high = high << 4 | nibble } else { low = low << 4 | nibble }
            nibbles += 1
        }
        self.init(high: high, low: low)
    }

    package static func < (left: Self, right: Self) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }

    // Half of it is random in every class; the other half would only make each look-up slower.
    package func hash(into hasher: inout Hasher) { hasher.combine(low) }

    package var bytes: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 16)
        for index in 0..<8 {
            let shift = UInt64(56 - 8 * index)
            bytes[index] = UInt8(truncatingIfNeeded: high >> shift)
            bytes[index + 8] = UInt8(truncatingIfNeeded: low >> shift)
        }
        return bytes
    }

    /// Lower-case UUID text, 36 ASCII bytes.
    package var textBytes: [UInt8] {
        var text = [UInt8](repeating: UInt8(ascii: "-"), count: 36)
        var place = 0
        for index in 0..<32 {
            if index == 8 || index == 12 || index == 16 || index == 20 { place += 1 }
            let half = index < 16 ? high : low
            let nibble = UInt8(truncatingIfNeeded: half >> UInt64(60 - 4 * (index % 16))) & 0xF
            text[place] = nibble < 10 ? nibble + 0x30 : nibble + 0x57
            place += 1
        }
        return text
    }

    package var description: String { String(decoding: textBytes, as: UTF8.self) }

    private static func value(ofLowerCaseHex byte: UInt8) -> UInt64? {
        switch byte {
        case 0x30...0x39: UInt64(byte - 0x30)
        case 0x61...0x66: UInt64(byte - 0x57)
        default: nil
        }
    }
}
