/// A set of scope tokens (RFC 6749 section 3.3): at most 50 of at most 128 bytes, in sorted order.
package struct Scope: Hashable, Sendable {
    package static let tokensMax = 50
    package static let tokenBytesMax = 128

    /// Whether `bytes` are at most 50 items of at most 128 bytes, whatever these are.
    package static func fits(_ bytes: some Collection<UInt8>) -> Bool {
        var (items, length) = (1, 0)
        for byte in bytes {
            if byte == UInt8(ascii: " ") {
                (items, length) = (items + 1, 0)
            } else {
                length += 1
            }
            guard items <= tokensMax, length <= tokenBytesMax else { return false }
        }
        return true
    }

    /// Sorted by bytes, without repeats.
    package let tokens: [String]

    /// Reads tokens separated by single spaces; order and repeats do not matter.
    ///
    /// Nil for an empty token, a byte outside %x21 / %x23-5B / %x5D-7E, or past the limits.
    package init?(_ bytes: some Collection<UInt8>) {
        let parts = Array(bytes).split(
            separator: UInt8(ascii: " "),
            omittingEmptySubsequences: false
        )
        guard parts.count <= Self.tokensMax else { return nil }
        for part in parts {
            guard 1...Self.tokenBytesMax ~= part.count, part.allSatisfy(Self.allows) else {
                return nil
            }
        }
        self.init(unchecked: parts.map { String(decoding: $0, as: UTF8.self) })
    }

    package init?(_ text: String) { self.init(text.utf8) }

    /// No tokens at all.
    package static let empty = Scope(unchecked: [])

    /// Callers pass tokens that came from a checked scope or from constants.
    package init(unchecked tokens: some Sequence<String>) {
        let tokens = Array(tokens)
        // What was written by us is in order.
        let isInOrder = zip(tokens, tokens.dropFirst()).allSatisfy(Self.precedes)
        self.tokens = isInOrder ? tokens : Set(tokens).sorted(by: Self.precedes)
    }

    private static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    package var isEmpty: Bool { tokens.isEmpty }

    /// The tokens joined by spaces, as on the wire.
    package var text: String { tokens.joined(separator: " ") }

    package func contains(_ token: String) -> Bool { tokens.contains(token) }

    package func isSubset(of other: Scope) -> Bool {
        tokens.allSatisfy { other.tokens.contains($0) }
    }

    package func intersection(_ other: Scope) -> Scope {
        Scope(unchecked: tokens.filter { other.tokens.contains($0) })
    }

    package func union(_ other: Scope) -> Scope { Scope(unchecked: tokens + other.tokens) }

    private static func allows(_ byte: UInt8) -> Bool {
        byte == 0x21 || 0x23...0x5B ~= byte || 0x5D...0x7E ~= byte
    }
}
