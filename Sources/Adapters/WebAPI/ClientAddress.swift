package import Runtime

/// Where a request came from, once trusted proxies are taken off.
package struct ClientAddress: Hashable, Sendable {
    /// Without the port.
    package let address: SocketAddress

    package init(_ address: SocketAddress) { self.address = address.unmapped }

    /// What limits count by: an IPv4 address, an IPv6 /64, or all of a local socket.
    package var limitKey: [UInt8] {
        switch address.family {
        case .ipv4, .local: address.bytes
        case .ipv6: Array(address.bytes.prefix(8))
        }
    }

    /// What is kept for 90 days: /24 or /48, never a full address (events.md section 1).
    package var network: String {
        switch address.family {
        case .local: "local"
        case .ipv4: address.bytes.prefix(3).map { "\($0)" }.joined(separator: ".") + ".0/24"
        case .ipv6:
            stride(from: 0, to: 6, by: 2)
                .map { index in
                    let group = UInt16(address.bytes[index]) << 8 | UInt16(address.bytes[index + 1])
                    return String(group, radix: 16)
                }
                .joined(separator: ":") + "::/48"
        }
    }
}
