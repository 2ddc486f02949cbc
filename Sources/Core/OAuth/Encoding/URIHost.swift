/// The host of an origin or URI in its one spelling: lower case, no trailing dot, no shorthand.
package enum URIHost: Hashable, Sendable {
    /// Labels of letters, digits and hyphens, 1–253 bytes in all.
    case name(String)
    /// Four decimal numbers without leading zeros.
    case ipv4(String)
    /// Without the brackets.
    case ipv6(String)

    /// Nil for anything a browser and a resolver could read differently.
    package init?(_ bytes: ArraySlice<UInt8>) {
        if bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]"), bytes.count > 2 {
            let inside = bytes.dropFirst().dropLast()
            guard Self.isIPv6(inside) else { return nil }
            self = .ipv6(String(decoding: inside, as: UTF8.self))
            return
        }
        let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard 1...253 ~= bytes.count, labels.allSatisfy(Self.isLabel), let last = labels.last else {
            return nil
        }
        let text = String(decoding: bytes, as: UTF8.self)
        // "2130706433", "127.1" and "1.0x7f" are addresses to a resolver (WHATWG URL section 3.5);
        // no top-level domain begins with a digit, so such a host must be a plain address.
        guard let first = last.first, 0x30...0x39 ~= first else {
            self = .name(text)
            return
        }
        guard labels.count == 4, labels.allSatisfy(Self.isOctet) else { return nil }
        self = .ipv4(text)
    }

    /// As written in a URI, with brackets where they belong.
    package var text: String {
        switch self {
        case .name(let text), .ipv4(let text): text
        case .ipv6(let text): "[\(text)]"
        }
    }

    /// 127.0.0.1 or ::1, the addresses a native app may listen on (RFC 8252 section 7.3).
    package var isLoopbackAddress: Bool { self == .ipv4("127.0.0.1") || self == .ipv6("::1") }

    /// Names and addresses that never leave the machine or the test network.
    package var isForDevelopment: Bool {
        switch self {
        case .name(let text):
            text == "localhost" || text.utf8.ends(with: ".localhost")
                || text.utf8.ends(with: ".test")
        case .ipv4(let text): text.utf8.starts(with: "127.".utf8)
        case .ipv6(let text): text == "::1"
        }
    }

    private static func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
        1...63 ~= label.count && label.first != UInt8(ascii: "-")
            && label.last != UInt8(ascii: "-")
            && label.allSatisfy {
                0x30...0x39 ~= $0 || 0x61...0x7A ~= $0 || $0 == UInt8(ascii: "-")
            }
    }

    private static func isOctet(_ label: ArraySlice<UInt8>) -> Bool {
        guard label.count <= 3, label.count == 1 || label.first != UInt8(ascii: "0"),
            let number = DecimalDigits.read(label)
        else { return false }
        return number <= 255
    }

    /// Groups of 1–4 lower-case digits, at most one `::`; no zone, no embedded IPv4.
    private static func isIPv6(_ text: ArraySlice<UInt8>) -> Bool {
        var groups = 0
        var isCompressed = false
        var rest = text
        if rest.starts(with: "::".utf8) {
            isCompressed = true
            rest = rest.dropFirst(2)
        }
        while !rest.isEmpty {
            let digits = rest.prefix {
                0x30...0x39 ~= $0 || 0x61...0x66 ~= $0
            }
            guard 1...4 ~= digits.count else { return false }
            groups += 1
            rest = rest.dropFirst(digits.count)
            guard !rest.isEmpty else { break }
            if rest.starts(with: "::".utf8) {
                guard !isCompressed else { return false }
                isCompressed = true
                rest = rest.dropFirst(2)
            } else {
                guard rest.first == UInt8(ascii: ":"), rest.count > 1 else { return false }
                rest = rest.dropFirst()
            }
        }
        return isCompressed ? groups <= 7 : groups == 8
    }
}

extension String.UTF8View {
    fileprivate func ends(with suffix: String) -> Bool {
        reversed().starts(with: suffix.utf8.reversed())
    }
}
