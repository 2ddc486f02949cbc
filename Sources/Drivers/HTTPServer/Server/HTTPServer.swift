package import Runtime

/// An HTTP/1.1 server on loops.
package final class HTTPServer: Sendable {
    /// Describes a server; nothing listens before `start`.
    package init(
        _ settings: ServerSettings,
        handler: any RequestHandler,
        loops: [Loop],
        log: Log,
        metrics: Metrics
    ) {
    }

    /// Listens; returns the bound addresses, with the ports the system chose, in the order given.
    @discardableResult
    package func start() async throws(ServerError) -> [SocketAddress] { [] }

    /// Reads the TLS files again; the old certificate stays in use when they are bad.
    package func reload() throws(ServerError) {}

    /// Ends in order: stops listening, closes idle connections, lets requests finish, at most 10 s.
    package func drain() async {}
}
