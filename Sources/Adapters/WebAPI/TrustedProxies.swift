internal import Runtime

/// The proxies whose word about the caller counts (security.md section 7.1).
package struct TrustedProxies: Sendable {
    /// An address range; `bits` of its first bytes are compared.
    package struct Network: Hashable, Sendable {
        private let family: SocketAddress.Family
        private let bytes: [UInt8]
        private let bits: Int

        /// Reads `10.0.0.0/8`, `fd00::/8`, a single address, or `unix` for local sockets.
        package init?(_ text: String) {
            if text == "unix" {
                family = .local
                bytes = []
                bits = 0
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

        func contains(_ address: SocketAddress) -> Bool {
            guard address.family == family, address.bytes.count >= bytes.count else { return false }
            let whole = bits / 8
            guard address.bytes.prefix(whole).elementsEqual(bytes.prefix(whole)) else {
                return false
            }
            guard bits % 8 > 0 else { return true }
            let mask = UInt8(truncatingIfNeeded: 0xFF00 >> (bits % 8))
            return address.bytes[whole] & mask == bytes[whole] & mask
        }
    }

    private let networks: [Network]

    package init(_ networks: [Network] = []) { self.networks = networks }

    func trusts(_ peer: SocketAddress) -> Bool {
        !networks.isEmpty && networks.contains { $0.contains(peer.unmapped) }
    }

    /// The rightmost hop that is no proxy of ours; what it says of itself is worth nothing.
    func client(of peer: SocketAddress, forwardedFor values: [[UInt8]]) -> ClientAddress {
        guard trusts(peer) else { return ClientAddress(peer) }
        let hops = values.flatMap { $0.split(separator: UInt8(ascii: ",")) }
        for hop in hops.reversed() {
            let text = String(decoding: hop.filter { $0 != 0x20 && $0 != 0x09 }, as: UTF8.self)
            guard let address = SocketAddress(host: text) else { break }
            if !trusts(address) { return ClientAddress(address) }
        }
        return ClientAddress(peer)
    }
}

extension SocketAddress {
    /// An address without a port.
    fileprivate init?(host text: String) {
        let isIPv6 = text.utf8.contains(UInt8(ascii: ":"))
        self.init(isIPv6 ? "[\(text)]:0" : "\(text):0")
    }
}
