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
        guard bytes.count == 32 else { return nil }
        var words: [UInt64] = [0, 0, 0, 0]
        for (index, byte) in bytes.enumerated() {
            words[index / 8] = words[index / 8] << 8 | UInt64(byte)
        }
        self.words = (words[0], words[1], words[2], words[3])
    }

    package var bytes: [UInt8] {
        let all = [words.0, words.1, words.2, words.3]
        return (0..<32).map { UInt8(truncatingIfNeeded: all[$0 / 8] >> UInt64(56 - 8 * ($0 % 8))) }
    }

    package static func == (left: Self, right: Self) -> Bool {
        let difference =
            (left.words.0 ^ right.words.0) | (left.words.1 ^ right.words.1)
            | (left.words.2 ^ right.words.2) | (left.words.3 ^ right.words.3)
        return difference == 0
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}
