package import Runtime

/// The other end of a connection: a client or a proxy.
package struct Peer: Sendable {
    /// Its address.
    package let remote: SocketAddress
    /// Whether it speaks TLS to us.
    package let isTLS: Bool
    /// As in `Request`.
    package let certificateDigest: [UInt8]?

    /// Names all of it; the server does, and tests of handlers.
    package init(
        _ remote: SocketAddress,
        isTLS: Bool = false,
        certificateDigest: [UInt8]? = nil
    ) {
        self.remote = remote
        self.isTLS = isTLS
        self.certificateDigest = certificateDigest
    }
}
