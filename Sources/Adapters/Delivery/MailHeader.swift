/// Values of header fields: nothing in them ends a line or begins another field.
enum MailHeader {
    /// Bytes of UTF-8 in one encoded word: 75 characters at most (RFC 2047 section 2).
    private static let wordBytesMax = 45

    /// Unstructured text: as it is when printable ASCII, else encoded words.
    static func text(_ value: String) -> String {
        let isASCII = value.utf8.allSatisfy { 0x20...0x7E ~= $0 }
        // Long enough to be cut, or what looks like an encoded word, is encoded, too.
        guard isASCII, value.utf8.count <= 60, !value.contains("=?") else {
            return encodedWords(value)
        }
        return value
    }

    /// `name <address>`: the name quoted, or in encoded words.
    static func mailbox(_ name: String, _ address: [UInt8]) -> String {
        let address = "<\(String(decoding: address, as: UTF8.self))>"
        let text = Self.text(name)
        guard text.utf8.elementsEqual(name.utf8) else { return "\(text) \(address)" }
        let quoted = name.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] }
        return "\"\(String(quoted))\" \(address)"
    }

    private static func encodedWords(_ value: String) -> String {
        var words: [String] = []
        var current: [UInt8] = []
        for scalar in value.unicodeScalars {
            // Control characters cannot come this far; a space is what one would be worth.
            let bytes = scalar.value < 0x20 || scalar.value == 0x7F ? [0x20] : Array(scalar.utf8)
            if current.count + bytes.count > wordBytesMax {
                words.append(word(current))
                current = []
            }
            current += bytes
        }
        words.append(word(current))
        return words.joined(separator: "\r\n ")
    }

    private static func word(_ bytes: [UInt8]) -> String { "=?utf-8?B?\(Base64.text(bytes))?=" }
}

extension Unicode.Scalar {
    fileprivate var utf8: [UInt8] { Array(UTF8.encode(self) ?? UTF8.encodedReplacementCharacter) }
}
