/// The media types that request bodies have; a parameter other than `charset=utf-8` is refused.
package enum MediaType: Hashable, Sendable, CaseIterable {
    case form, json, yaml

    /// As `Content-Type` has it, in lower case.
    package var name: StaticString {
        switch self {
        case .form: "application/x-www-form-urlencoded"
        case .json: "application/json"
        case .yaml: "application/yaml"
        }
    }

    /// Reads a `Content-Type` value (RFC 9110 section 8.3.1); nil for any other.
    package init?(headerValue: [UInt8]) {
        let end = headerValue.firstIndex(of: UInt8(ascii: ";")) ?? headerValue.endIndex
        // A second parameter makes the first one something else than this.
        if end < headerValue.endIndex, !Self.isUTF8(Self.trimmed(headerValue[(end + 1)...])) {
            return nil
        }
        let type = Self.trimmed(headerValue[..<end])
        guard let known = Self.allCases.first(where: { Self.isSame(type, "\($0.name)") }) else {
            return nil
        }
        self = known
    }

    private static func isUTF8(_ parameter: ArraySlice<UInt8>) -> Bool {
        isSame(parameter, "charset=utf-8") || isSame(parameter, "charset=\"utf-8\"")
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes
        while let first = bytes.first, isSpace(first) { bytes = bytes.dropFirst() }
        while let last = bytes.last, isSpace(last) { bytes = bytes.dropLast() }
        return bytes
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// Whatever the case of ASCII letters; `text` is in lower case.
    private static func isSame(_ bytes: ArraySlice<UInt8>, _ text: String) -> Bool {
        let (bytes, text) = (bytes.span, text.utf8Span.span)
        guard bytes.count == text.count else { return false }
        for index in bytes.indices {
            let isCapital = 0x41...0x5A ~= bytes[index]
            guard (isCapital ? bytes[index] + 0x20 : bytes[index]) == text[index] else {
                return false
            }
        }
        return true
    }
}
