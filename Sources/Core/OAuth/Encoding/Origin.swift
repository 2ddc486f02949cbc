/// An http or https origin in its one spelling (RFC 6454 section 6.2): no trailing slash, no
/// default port.
package struct Origin: Hashable, Sendable, CustomStringConvertible {
    package let isSecure: Bool
    package let host: URIHost
    /// Nil for the scheme's own.
    package let port: UInt16?

    package init(isSecure: Bool, host: URIHost, port: UInt16?) {
        self.isSecure = isSecure
        self.host = host
        self.port = port
    }

    /// Nil for user information, a path, a default port, upper case, or another scheme.
    package init?(_ bytes: [UInt8]) {
        let scheme = bytes.starts(with: "https://".utf8) ? "https://" : "http://"
        guard bytes.starts(with: scheme.utf8) else { return nil }
        let isSecure = scheme.utf8.count == 8
        guard
            let authority = Authority(
                bytes[scheme.utf8.count...],
                defaultPort: isSecure ? 443 : 80
            )
        else { return nil }
        self.init(isSecure: isSecure, host: authority.host, port: authority.port)
    }

    package init?(_ text: String) { self.init(Array(text.utf8)) }

    /// The serialization a browser sends in `Origin`.
    package var description: String {
        let port = port.map { ":\($0)" } ?? ""
        return "\(isSecure ? "https" : "http")://\(host.text)\(port)"
    }
}

/// Host and port, between `//` and the path.
struct Authority: Hashable, Sendable {
    let host: URIHost
    let port: UInt16?

    /// Nil for a default port, a leading zero, 0 or a number past 65 535.
    init?(_ bytes: ArraySlice<UInt8>, defaultPort: UInt16?) {
        // The colons of an IPv6 address are inside its brackets.
        let bracket = bytes.lastIndex(of: UInt8(ascii: "]")) ?? bytes.startIndex
        let colon = bytes[bracket...].firstIndex(of: UInt8(ascii: ":"))
        guard let host = URIHost(bytes[..<(colon ?? bytes.endIndex)]) else { return nil }
        self.host = host
        guard let colon else {
            port = nil
            return
        }
        let digits = bytes[(colon + 1)...]
        guard digits.count <= 5, digits.first != UInt8(ascii: "0"),
            let number = DecimalDigits.read(digits).flatMap({ UInt16(exactly: $0) }),
            number != defaultPort
        else { return nil }
        port = number
    }
}
