package import Runtime

/// Where a server listens, with which certificate, within which bounds.
package struct ServerSettings: Sendable {
    /// A name for logs and metrics, such as `public` or `admin`; from the code, not the operator.
    package var name: String
    /// Where to listen; port 0 takes a free one.
    package var addresses: [SocketAddress]
    /// The certificate and key; nil serves plain HTTP, to this machine and to trusted proxies.
    package var tls: TLSSettings?
    /// The bounds.
    package var limits = ServerLimits()
    /// Peers that may speak plain HTTP, and have no bound on connections per address.
    package var trustedProxies: [AddressRange] = []

    /// Listens at `addresses`, plain unless `tls` is given.
    package init(name: String, addresses: [SocketAddress], tls: TLSSettings? = nil) {
        self.name = name
        self.addresses = addresses
        self.tls = tls
    }
}
