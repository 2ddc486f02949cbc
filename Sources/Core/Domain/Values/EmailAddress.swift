/// An e-mail address in its one canonical form (Security 4.6).
///
/// Trimmed, domain in ASCII lower case, exactly one `@`, at most 254 bytes, no control bytes,
/// white space, quotes, comments or angle brackets. The local part keeps its case. Callers pass
/// NFC: a decomposed address is another address and is refused where it is not ASCII.
package struct EmailAddress: Hashable, Sendable {
    package static let bytesMax = 254

    package let bytes: [UInt8]

    package init?(_ raw: some Collection<UInt8>) {
        // An array first: a loop over any collection is not specialised in other modules.
        let raw = Array(raw)
        guard let first = raw.firstIndex(where: Self.isInk),
            let last = raw.lastIndex(where: Self.isInk)
        else { return nil }
        var bytes = Array(raw[first...last])
        guard bytes.count <= Self.bytesMax, let at = bytes.firstIndex(of: UInt8(ascii: "@")),
            Self.isLocalPart(bytes.span.extracting(0..<at))
        else { return nil }
        for index in at..<bytes.count where 0x41...0x5A ~= bytes[index] { bytes[index] += 0x20 }
        guard Self.isDomain(bytes.span.extracting((at + 1)...)) else { return nil }
        self.bytes = bytes
    }

    /// What most servers put into one mailbox: lower case, and nothing from the first `+` on.
    ///
    /// To count mails by; who somebody is goes by all bytes.
    package var mailbox: [UInt8] {
        let local = bytes.prefix { $0 != UInt8(ascii: "@") }
        let tag = local.dropFirst().firstIndex(of: UInt8(ascii: "+")) ?? local.endIndex
        return local[..<tag].map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 } + bytes[local.endIndex...]
    }

    /// For people: the first character of the local part and the whole domain, `a•••@example.com`.
    package var masked: String {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let at = text.firstIndex(of: "@"), let first = text.first else { return "•••" }
        return "\(first)•••\(text[at...])"
    }

    private static func isInk(_ byte: UInt8) -> Bool { byte != 0x20 && byte != 0x09 }

    private static func isLocalPart(_ bytes: Span<UInt8>) -> Bool {
        let dot = UInt8(ascii: ".")
        return 1...64 ~= bytes.count && bytes[0] != dot && bytes[bytes.count - 1] != dot
            && bytes.indices.allSatisfy { allowsInLocalPart(bytes[$0]) }
    }

    /// Visible ASCII but for what quotes, comments, lists and routes are made of, and the `@`.
    private static func allowsInLocalPart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: ","): false
        case UInt8(ascii: ":"), UInt8(ascii: ";"), UInt8(ascii: "<"), UInt8(ascii: ">"): false
        case UInt8(ascii: "["), UInt8(ascii: "\\"), UInt8(ascii: "]"), UInt8(ascii: "@"): false
        default: 0x21...0x7E ~= byte
        }
    }

    /// Labels of letters, digits and inner hyphens, in lower case.
    private static func isDomain(_ bytes: Span<UInt8>) -> Bool {
        let (dot, hyphen) = (UInt8(ascii: "."), UInt8(ascii: "-"))
        var length = 0
        for index in bytes.indices {
            switch bytes[index] {
            case dot:
                guard 1...63 ~= length, bytes[index - 1] != hyphen else { return false }
                length = 0
            case 0x30...0x39, 0x61...0x7A: length += 1
            case hyphen where length > 0: length += 1
            default: return false
            }
        }
        return 1...63 ~= length && bytes[bytes.count - 1] != hyphen
    }
}
