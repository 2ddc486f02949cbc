/// The `client_id`: 1–64 bytes of `[A-Za-z0-9._~-]` (WireContract 3.2).
package struct ClientID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let text: String  // ASCII, so `==` compares bytes.

    package init?(_ bytes: some Collection<UInt8>) {
        guard 1...64 ~= bytes.count else { return nil }
        let bytes = Array(bytes)
        guard bytes.allSatisfy(Self.allows) else { return nil }
        text = String(decoding: bytes, as: UTF8.self)
    }

    package init?(_ text: String) { self.init(text.utf8) }

    package static func < (left: Self, right: Self) -> Bool { left.text < right.text }

    package var description: String { text }

    private static func allows(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "-"): true
        default: false
        }
    }
}
