/// SHA-256 of a secret with 256 bits of entropy, 32 bytes; the secret itself is never stored.
///
/// `==` takes the same time for equal and unequal digests; of a full-entropy secret nothing could
/// be learnt from the time anyway.
package struct TokenDigest: Hashable, Sendable {
    package let words: (UInt64, UInt64, UInt64, UInt64)

    /// Four big-endian words, the first one first.
    package init(words: (UInt64, UInt64, UInt64, UInt64)) { self.words = words }

    /// Nil unless there are exactly 32 bytes.
    package init?(bytes: some Collection<UInt8>) {
        // An array first: a loop over any collection is not specialised in other modules.
        self.init(bytes: Array(bytes).span)
    }

    /// Nil unless there are exactly 32 bytes.
    package init?(bytes: Span<UInt8>) {
        guard bytes.count == 32 else { return nil }
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        for index in 0..<8 {
            words.0 = words.0 << 8 | UInt64(bytes[index])
            words.1 = words.1 << 8 | UInt64(bytes[index + 8])
            words.2 = words.2 << 8 | UInt64(bytes[index + 16])
            words.3 = words.3 << 8 | UInt64(bytes[index + 24])
        }
        self.words = words
    }

    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }

    /// Appends the 32 bytes of `bytes`.
    package func append(to bytes: inout [UInt8]) {
        bytes.append(addingCapacity: 32) { room in
            room.append(bigEndian: words.0)
            room.append(bigEndian: words.1)
            room.append(bigEndian: words.2)
            room.append(bigEndian: words.3)
        }
    }

    package static func == (left: Self, right: Self) -> Bool {
        let difference =
            (left.words.0 ^ right.words.0) | (left.words.1 ^ right.words.1)
            | (left.words.2 ^ right.words.2) | (left.words.3 ^ right.words.3)
        return difference == 0
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}
