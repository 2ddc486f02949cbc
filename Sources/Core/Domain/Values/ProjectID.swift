/// The `id` of a project: `^[a-z][a-z0-9-]{0,39}$`, never reused (WireContract 3.1).
package struct ProjectID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let text: String  // ASCII, so `==` compares bytes.

    package init?(_ bytes: some Collection<UInt8>) {
        guard 1...40 ~= bytes.count, let first = bytes.first, 0x61...0x7A ~= first,
            bytes.allSatisfy({
                0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 || $0 == UInt8(ascii: "-")
            })
        else { return nil }
        text = String(decoding: bytes, as: UTF8.self)
    }

    package init?(_ text: String) { self.init(text.utf8) }

    package static func < (left: Self, right: Self) -> Bool { left.text < right.text }

    package var description: String { text }
}
