import Runtime

/// A listener on loopback that takes connections and never says a word.
package final class SilentServer: Sendable {
    /// Where it listens, such as `127.0.0.1:40001`.
    package let address: String
    private let listener: Int32
    private let taken = Guarded<[Int32]>([])

    package init() throws {
        guard let any = SocketAddress("127.0.0.1:0") else { throw Fixture.Malformed() }
        listener = try Sockets.listen(at: any)
        address = Sockets.localAddress(of: listener).description
    }

    deinit {
        for connection in taken.current { Sockets.close(connection) }
        Sockets.close(listener)
    }

    /// How many have connected so far.
    package var connectionCount: Int {
        taken.withLock { taken in
            while case .connection(let descriptor, from: _) = Sockets.accept(listener) {
                taken.append(descriptor)
            }
            return taken.count
        }
    }
}
