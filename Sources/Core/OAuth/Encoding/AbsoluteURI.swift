/// A URI with a scheme and without a fragment, split strictly on bytes (RFC 3986).
package struct AbsoluteURI: Hashable, Sendable {
    package static let bytesMax = 2048

    /// Why a text is not taken; each names one rule of Security 4.1.
    package enum Refusal: Error, Hashable, CaseIterable {
        /// Empty, or longer than `bytesMax`.
        case length
        /// A byte that no URI contains, or one outside printable ASCII.
        case character
        case backslash, wildcard, fragment
        /// A `%` without two hexadecimal digits.
        case escape
        /// None, or one in upper case.
        case scheme
        case userinfo
        /// A host or port in another than its one spelling, a default port, or none; of http or
        /// https only.
        case authority
        /// `.` or `..`, also escaped.
        case dotSegment
    }

    package let scheme: String
    /// Nil for a private scheme: what stands behind its `//` is whatever the app takes, no host
    /// (`com.example.bank:///callback`).
    package let host: URIHost?
    package let port: UInt16?
    package let path: String
    package let query: String?

    package init(_ bytes: [UInt8]) throws(Refusal) {
        guard 1...Self.bytesMax ~= bytes.count else { throw .length }
        try Self.checkCharacters(bytes)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(bytes[..<colon])
        else { throw .scheme }
        let scheme = String(decoding: bytes[..<colon], as: UTF8.self)
        var rest = bytes[(colon + 1)...]
        var authority: Authority?
        if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
            let text = rest[..<(end ?? rest.endIndex)]
            guard !text.contains(UInt8(ascii: "@")) else { throw .userinfo }
            if let port = Self.defaultPort(scheme) {
                authority = Authority(text, defaultPort: port)
                guard authority != nil else { throw .authority }
            }
            rest = rest[(end ?? rest.endIndex)...]
        } else if Self.defaultPort(scheme) != nil {
            throw .authority
        }
        let question = rest.firstIndex(of: UInt8(ascii: "?"))
        let path = rest[..<(question ?? rest.endIndex)]
        guard !Self.hasDotSegment(path) else { throw .dotSegment }
        self.scheme = scheme
        host = authority?.host
        port = authority?.port
        self.path = String(decoding: path, as: UTF8.self)
        query = question.map { String(decoding: rest[($0 + 1)...], as: UTF8.self) }
    }

    /// Of an http or https URI.
    package var origin: Origin? {
        guard let host, Self.defaultPort(scheme) != nil else { return nil }
        return Origin(isSecure: scheme == "https", host: host, port: port)
    }

    private static func defaultPort(_ scheme: String) -> UInt16? {
        switch scheme {
        case "https": 443
        case "http": 80
        default: nil
        }
    }

    private static func checkCharacters(_ bytes: [UInt8]) throws(Refusal) {
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "\\"): throw .backslash
            case UInt8(ascii: "*"): throw .wildcard
            case UInt8(ascii: "#"): throw .fragment
            case UInt8(ascii: "%"):
                guard index + 2 < bytes.count, Hexadecimal.value(bytes[index + 1]) != nil,
                    Hexadecimal.value(bytes[index + 2]) != nil
                else { throw .escape }
            default:
                guard isAllowed(byte) else { throw .character }
            }
        }
    }

    /// Unreserved, the reserved ones not handled above (RFC 3986 section 2.2).
    private static func isAllowed(_ byte: UInt8) -> Bool {
        PercentEncoding.isUnreserved(byte) || ":/?[]@!$&'()+,;=".utf8.contains(byte)
    }

    private static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, 0x61...0x7A ~= first else { return false }
        return bytes.allSatisfy {
            0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 || "+-.".utf8.contains($0)
        }
    }

    private static func hasDotSegment(_ path: ArraySlice<UInt8>) -> Bool {
        guard let decoded = PercentEncoding.decode(path, plusIsSpace: false) else { return true }
        // An escaped slash would split differently elsewhere: look at the decoded path.
        let isSeparator = { (byte: UInt8) in byte == UInt8(ascii: "/") || byte == 0x5C }
        return decoded.split(whereSeparator: isSeparator).contains {
            $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8)
        }
    }
}
