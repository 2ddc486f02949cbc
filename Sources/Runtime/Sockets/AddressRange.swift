/// Addresses that begin alike, such as those of an operator's proxies.
package struct AddressRange: Hashable, Sendable {
    private let family: SocketAddress.Family
    private let bytes: [UInt8]
    /// How many bits of `bytes` are compared.
    private let bits: Int

    /// Reads `10.0.0.0/8`, `fd00::/8`, a single address without port, or `unix` for local sockets.
    package init?(_ text: String) {
        if text.utf8.elementsEqual("unix".utf8) {
            (family, bytes, bits) = (.local, [], 0)
            return
        }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard let first = parts.first, parts.count <= 2,
            let address = SocketAddress(host: String(first))
        else { return nil }
        let width = address.bytes.count * 8
        var bits = width
        if parts.count == 2 {
            let digits = Array(parts[1].utf8)
            guard 1...3 ~= digits.count, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else {
                return nil
            }
            bits = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }
        guard bits <= width else { return nil }
        family = address.family
        bytes = address.bytes
        self.bits = bits
    }

    /// Whether nobody can have all of it: wider than `/8` of IPv4 or `/7` of IPv6.
    package var isTooWide: Bool {
        switch family {
        case .local: false
        case .ipv4: bits < 8
        case .ipv6: bits < 7
        }
    }

    /// Whether `address` is one of these; an IPv4 address written as IPv6 is the IPv4 one.
    package func contains(_ address: SocketAddress) -> Bool {
        let address = address.unmapped
        guard address.family == family, address.bytes.count >= bytes.count else { return false }
        let whole = bits / 8
        guard address.bytes.prefix(whole).elementsEqual(bytes.prefix(whole)) else { return false }
        guard bits % 8 > 0 else { return true }
        let mask = UInt8(truncatingIfNeeded: 0xFF00 >> (bits % 8))
        return address.bytes[whole] & mask == bytes[whole] & mask
    }
}

extension SocketAddress {
    /// An address without a port.
    package init?(host text: String) {
        let isIPv6 = text.utf8.contains(UInt8(ascii: ":"))
        self.init(isIPv6 ? "[\(text)]:0" : "\(text):0")
    }
}
