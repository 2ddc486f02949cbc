package import Runtime

/// The proxies whose word about the caller counts (Security 7.1).
package struct TrustedProxies: Sendable {
    private let ranges: [AddressRange]

    package init(_ ranges: [AddressRange] = []) { self.ranges = ranges }

    func trusts(_ peer: SocketAddress) -> Bool {
        !ranges.isEmpty && ranges.contains { $0.contains(peer) }
    }

    /// The rightmost hop that is no proxy of ours; what it says of itself is worth nothing.
    func client(of peer: SocketAddress, forwardedFor values: [[UInt8]]) -> ClientAddress {
        guard trusts(peer) else { return ClientAddress(peer) }
        let hops = values.flatMap { $0.split(separator: UInt8(ascii: ",")) }
        for hop in hops.reversed() {
            let text = String(decoding: hop.filter { $0 != 0x20 && $0 != 0x09 }, as: UTF8.self)
            guard let address = Self.address(of: text) else { break }
            if !trusts(address) { return ClientAddress(address) }
        }
        return ClientAddress(peer)
    }

    /// The address of a hop, which some proxies write in brackets, or with the caller's port.
    private static func address(of hop: String) -> SocketAddress? {
        if let bare = SocketAddress(host: hop) { return bare }
        return (SocketAddress(hop) ?? SocketAddress("\(hop):0"))?.withoutPort
    }
}
