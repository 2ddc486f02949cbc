/// A redirection URI as the client wrote it: at most 2 048 printable ASCII bytes.
///
/// Compared byte by byte (RFC 9700 section 2.1); which ones may be registered is decided when a
/// configuration is applied (Security 4.1).
package struct RedirectURI: Hashable, Sendable, CustomStringConvertible {
    package static let bytesMax = 2048

    package let text: String  // ASCII, so `==` compares bytes.

    package init?(_ bytes: some Collection<UInt8>) {
        guard 1...Self.bytesMax ~= bytes.count else { return nil }
        let bytes = Array(bytes)
        guard bytes.allSatisfy({ 0x21...0x7E ~= $0 }) else { return nil }
        text = String(decoding: bytes, as: UTF8.self)
    }

    package init?(_ text: String) { self.init(text.utf8) }

    package var description: String { text }
}
