package import Issuing
package import Runtime

/// Where a request came from, once trusted proxies are taken off.
package struct ClientAddress: Hashable, Sendable {
    /// Without the port.
    package let address: SocketAddress
    /// Whether a page of another site has a browser there send: limits count that apart, so that
    /// pages cost their visitors nothing (decision 0169).
    var isForeignPage = false

    package init(_ address: SocketAddress) { self.address = address.unmapped }

    /// What limits count by: an IPv4 address, an IPv6 /64, or all of a local socket.
    package var limitKey: [UInt8] {
        let key: [UInt8]
        switch address.family {
        case .ipv4, .local: key = address.bytes
        case .ipv6: key = Array(address.bytes.prefix(8))
        }
        return marked(key)
    }

    /// What some of them count by besides: an IPv6 /48, which one visitor may have to himself; nil
    /// for any other address.
    var widerLimitKey: [UInt8]? {
        address.family == .ipv6 ? marked(Array(address.bytes.prefix(6))) : nil
    }

    /// The key of a limit, apart for pages of other sites.
    func marked(_ key: [UInt8]) -> [UInt8] { isForeignPage ? key + [1] : key }

    /// What is kept for 90 days (Events 1).
    package var network: String { address.network }

    /// As limits and records of sign-ins know it.
    package var networkAddress: NetworkAddress {
        NetworkAddress(limitKey: limitKey, widerLimitKey: widerLimitKey, network: network)
    }
}
