/// An e-mail address in its one canonical form (security.md section 4.6).
///
/// Trimmed, domain in ASCII lower case, exactly one `@`, at most 254 bytes, no control bytes,
/// white space, quotes, comments or angle brackets. The local part keeps its case. Callers pass
/// NFC: a decomposed address is another address and is refused where it is not ASCII.
package struct EmailAddress: Hashable, Sendable {
    package static let bytesMax = 254

    package let bytes: [UInt8]

    package init?(_ raw: some Collection<UInt8>) {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let trimmed = Array(raw.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
        guard 3...Self.bytesMax ~= trimmed.count,
            let at = trimmed.firstIndex(of: UInt8(ascii: "@")),
            trimmed.lastIndex(of: UInt8(ascii: "@")) == at
        else { return nil }
        let local = trimmed[..<at]
        let domain = trimmed[(at + 1)...].map { 0x41...0x5A ~= $0 ? $0 + 0x20 : $0 }
        guard Self.isLocalPart(local), Self.isDomain(domain) else { return nil }
        bytes = local + [UInt8(ascii: "@")] + domain
    }

    /// For people: the first character of the local part and the whole domain, `a•••@example.com`.
    package var masked: String {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let at = text.firstIndex(of: "@"), let first = text.first else { return "•••" }
        return "\(first)•••\(text[at...])"
    }

    private static func isLocalPart(_ bytes: ArraySlice<UInt8>) -> Bool {
        let forbidden = Set("\"(),:;<>[\\]".utf8)
        return 1...64 ~= bytes.count && bytes.first != 0x2E && bytes.last != 0x2E
            && bytes.allSatisfy { 0x21...0x7E ~= $0 && !forbidden.contains($0) }
    }

    private static func isDomain(_ bytes: [UInt8]) -> Bool {
        let labels = bytes.split(separator: 0x2E, omittingEmptySubsequences: false)
        return labels.allSatisfy { label in
            1...63 ~= label.count && label.first != 0x2D && label.last != 0x2D
                && label.allSatisfy {
                    0x30...0x39 ~= $0 || 0x61...0x7A ~= $0 || $0 == UInt8(ascii: "-")
                }
        }
    }
}
