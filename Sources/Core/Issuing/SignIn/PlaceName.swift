/// Where a person seems to be, as a proxy in front of us says: "Hamburg, Germany".
///
/// For display before an approval only; nothing is decided by it (Security I14).
package struct PlaceName: Hashable, Sendable {
    /// The longest in bytes.
    package static let bytesMax = 64

    package let text: String

    /// Nil unless it is 1 to 64 bytes of UTF-8 that can be shown in a line: no control characters,
    /// no line separators, nothing that turns the direction of writing.
    package init?(_ bytes: [UInt8]) {
        guard 1...Self.bytesMax ~= bytes.count, let text = String(validating: bytes, as: UTF8.self),
            text.unicodeScalars.allSatisfy(\.isShownInLine),
            text.unicodeScalars.contains(where: { !$0.properties.isWhitespace })
        else { return nil }
        self.text = text
    }
}
