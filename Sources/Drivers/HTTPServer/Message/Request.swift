package import Runtime

/// A whole request, and where and when it came.
package struct Request: Sendable {
    /// Everything before the body.
    package let head: RequestHead
    /// The body, at most what the handler's terms allowed; empty when there is none.
    package let body: [UInt8]
    /// The other end of the connection: a client or a proxy.
    package let remote: SocketAddress
    /// Whether it came over TLS to us.
    package let isTLS: Bool
    /// The SHA-256 of the client's certificate (DER), where the listener asks for one.
    package let certificateDigest: [UInt8]?
    /// The loop of the connection, where the handler runs and must stay.
    package let loop: Loop
    /// When the turn of the loop began in which its handler does.
    package let received: MonotonicInstant
    /// When its handler must have answered; shortly after, the client gets 503.
    package let deadline: MonotonicInstant

    /// Puts a request together; the server does, and tests of handlers.
    package init(
        _ head: RequestHead,
        body: [UInt8] = [],
        remote: SocketAddress = .loopback(port: 0),
        isTLS: Bool = false,
        certificateDigest: [UInt8]? = nil,
        loop: Loop,
        received: MonotonicInstant = .now(),
        deadline: MonotonicInstant = .distantFuture
    ) {
        self.head = head
        self.body = body
        self.remote = remote
        self.isTLS = isTLS
        self.certificateDigest = certificateDigest
        self.loop = loop
        self.received = received
        self.deadline = deadline
    }

    /// The method.
    package var method: Method { head.method }
    /// The path as sent.
    package var path: String { head.path }
}
