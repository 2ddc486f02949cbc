/// The media types that request bodies have; a parameter other than `charset=utf-8` is refused.
package enum MediaType: Hashable, Sendable {
    case form, json, yaml

    /// Reads a `Content-Type` value (RFC 9110 section 8.3.1); nil for any other.
    package init?(headerValue: [UInt8]) {
        let parts = headerValue.split(
            separator: UInt8(ascii: ";"),
            omittingEmptySubsequences: false
        )
        guard let type = parts.first, parts.count <= 2 else { return nil }
        if parts.count == 2, !Self.isUTF8(Self.trimmed(parts[1])) { return nil }
        switch Self.lowerCased(Self.trimmed(type)) {
        case "application/x-www-form-urlencoded": self = .form
        case "application/json": self = .json
        case "application/yaml": self = .yaml
        default: return nil
        }
    }

    private static func isUTF8(_ parameter: ArraySlice<UInt8>) -> Bool {
        let text = lowerCased(parameter)
        return text == "charset=utf-8" || text == "charset=\"utf-8\""
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes
        while let first = bytes.first, isSpace(first) { bytes = bytes.dropFirst() }
        while let last = bytes.last, isSpace(last) { bytes = bytes.dropLast() }
        return bytes
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// ASCII only: a byte past it becomes `?`, which no type contains.
    private static func lowerCased(_ bytes: ArraySlice<UInt8>) -> String {
        let lower = bytes.map { byte in
            switch byte {
            case 0x41...0x5A: byte + 0x20
            case 0x80...: UInt8(ascii: "?")
            default: byte
            }
        }
        return String(decoding: lower, as: UTF8.self)
    }
}
