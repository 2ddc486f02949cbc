/// Sixteen bytes that name a stream; the first hex digit is its class (Events 2.2).
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

    /// Reads lower-case UUID text, 36 bytes; anything else is nil.
    package init?(text: Span<UInt8>) {
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

    /// The millisecond a time-ordered one was drawn in (RFC 9562 section 5.7).
    package var bornAt: Instant { Instant(milliseconds: Int64(high >> 16)) }

    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }

    /// Appends the 16 bytes of `bytes`.
    package func append(to bytes: inout [UInt8]) {
        bytes.append(addingCapacity: 16) { room in
            room.append(bigEndian: high)
            room.append(bigEndian: low)
        }
    }

    /// Lower-case UUID text, 36 ASCII bytes.
    package var textBytes: [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(36)
        appendText(to: &text)
        return text
    }

    /// Appends the 36 bytes of `textBytes`.
    package func appendText(to text: inout [UInt8]) {
        let start = text.count
        text.append(contentsOf: Self.blank)
        var span = text.mutableSpan
        let (first, second) = (Self.digits(high >> 32), Self.digits(high))
        let (third, fourth) = (Self.digits(low >> 32), Self.digits(low))
        Self.write(first, 8, at: start, to: &span)
        Self.write(second, 4, at: start + 9, to: &span)
        Self.write(second << 32, 4, at: start + 14, to: &span)
        Self.write(third, 4, at: start + 19, to: &span)
        Self.write(third << 32, 4, at: start + 24, to: &span)
        Self.write(fourth, 8, at: start + 28, to: &span)
    }

    private static let blank = [UInt8](repeating: UInt8(ascii: "-"), count: 36)

    /// The eight hexadecimal digits of the lower 32 bits, in lower case, the first one on top.
    package static func digits(_ value: UInt64) -> UInt64 {
        var nibbles = value & 0xFFFF_FFFF
        nibbles = (nibbles << 16 | nibbles) & 0x0000_FFFF_0000_FFFF
        nibbles = (nibbles << 8 | nibbles) & 0x00FF_00FF_00FF_00FF
        nibbles = (nibbles << 4 | nibbles) & 0x0F0F_0F0F_0F0F_0F0F
        let letters = (nibbles &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return nibbles &+ 0x3030_3030_3030_3030 &+ letters &* 0x27
    }

    /// The topmost `count` bytes of `digits`.
    private static func write(
        _ digits: UInt64,
        _ count: Int,
        at start: Int,
        to text: inout MutableSpan<UInt8>
    ) {
        var rest = digits
        for place in start..<start + count {
            text[place] = UInt8(truncatingIfNeeded: rest >> 56)
            rest <<= 8
        }
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
