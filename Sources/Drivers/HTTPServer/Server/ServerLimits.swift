/// The bounds of a server (Security 7.2).
///
/// Every time is absolute: no byte renews it.
package struct ServerLimits: Sendable {
    /// From accept to the end of the TLS handshake.
    package var handshakeTime = Duration.seconds(5)
    /// From accept (or handshake) to the first byte of the first request.
    package var firstByteTime = Duration.seconds(10)
    /// From the first byte of a request to the end of its head.
    package var headTime = Duration.seconds(5)
    /// From the end of the head to the end of the body.
    package var bodyTime = Duration.seconds(10)
    /// From the first byte of an answer to its last.
    package var writeTime = Duration.seconds(10)
    /// From an answer to the first byte of the next request.
    package var idleTime = Duration.seconds(60)
    /// How long an idle connection is left alone when another one wants its place.
    package var idleTimeMin = Duration.seconds(1)
    /// How long after its deadline a silent handler gets the client's 503 sent.
    package var handlerGrace = Duration.milliseconds(500)
    /// How long the peer may take to close after we said `Connection: close`.
    package var lingerTime = Duration.seconds(1)
    /// The age at which a connection takes no further request.
    ///
    /// One that comes in the last `idleTime` is told that it is the last: a close that nobody was
    /// told of would meet the next.
    package var connectionTime = Duration.seconds(3_600)
    /// The number of requests after which a connection takes no further one.
    package var requestsPerConnectionMax = 100_000
    /// Connections of this server, over all loops.
    package var connectionsMax = 10_000
    /// Connections of one IPv4 address or IPv6 /64; local sockets and proxies are exempt.
    package var connectionsPerAddressMax = 256
    /// Connections of one IPv6 /48: whoever has a /64 often has many, and these share a bound.
    package var connectionsPerNetworkMax = 1_024
    /// Running handlers of one loop; the last tenths are for some requests only (`Slots`).
    package var runningPerLoopMax = 2_000
    /// Handlers of one loop that are held until something happens; they count for themselves.
    package var heldPerLoopMax = 4_000
    /// Bytes of bodies held at once, over all loops.
    package var bodyBytesMax = 64 * 1_024 * 1_024
    /// From the start of a drain to the hard close of what is left.
    package var drainTime = Duration.seconds(10)

    /// The values of the design.
    package init() {}
}
