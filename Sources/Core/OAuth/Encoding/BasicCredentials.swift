/// Client credentials of an `Authorization: Basic` header (RFC 6749 section 2.3.1).
package struct BasicCredentials: Sendable {
    package let client: [UInt8]
    /// Empty for a public client that names itself.
    package let secret: [UInt8]

    /// Reads the header's value: scheme in any case, padded base64, both parts form-encoded.
    ///
    /// Nil when it is another scheme or malformed.
    package init?(headerValue: [UInt8]) {
        guard let space = headerValue.firstIndex(of: UInt8(ascii: " ")),
            headerValue[..<space].elementsEqual("basic".utf8, by: { $0 | 0x20 == $1 })
        else { return nil }
        let token = headerValue[space...].drop { $0 == UInt8(ascii: " ") }
        guard let pair = Self.decodeBase64(token),
            let colon = pair.firstIndex(of: UInt8(ascii: ":")),
            let client = Self.decodePart(pair[..<colon]),
            let secret = Self.decodePart(pair[(colon + 1)...])
        else { return nil }
        self.client = client
        self.secret = secret
    }

    /// Standard alphabet; padding where it belongs, canonical bits (RFC 4648 section 4).
    private static func decodeBase64(_ token: ArraySlice<UInt8>) -> [UInt8]? {
        guard !token.isEmpty, token.count.isMultiple(of: 4) else { return nil }
        let padding = token.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard padding <= 2 else { return nil }
        var text: [UInt8] = []
        text.reserveCapacity(token.count)
        for byte in token.dropLast(padding) {
            switch byte {
            case UInt8(ascii: "+"): text.append(UInt8(ascii: "-"))
            case UInt8(ascii: "/"): text.append(UInt8(ascii: "_"))
            case UInt8(ascii: "-"), UInt8(ascii: "_"): return nil
            default: text.append(byte)
            }
        }
        return Base64URL.decode(text)
    }

    private static func decodePart(_ part: ArraySlice<UInt8>) -> [UInt8]? {
        guard let bytes = PercentEncoding.decode(part, plusIsSpace: true),
            !bytes.contains(where: { $0 == 0 || $0 == 0x0A || $0 == 0x0D }),
            String(validating: bytes, as: UTF8.self) != nil
        else { return nil }
        return bytes
    }
}
