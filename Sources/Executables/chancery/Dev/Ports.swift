import Runtime

/// Questions about ports of this machine's loopback.
enum Ports {
    static func isFree(_ port: Int) -> Bool {
        UInt16(exactly: port).map { PortBlock.isFree($0) } ?? false
    }

    /// The port at every address of the machine's loopback, as a process's settings name them.
    static func places(_ port: Int) -> [String] {
        UInt16(exactly: port).map { PortBlock.places($0).map(\.description) } ?? []
    }

    /// Whether somebody accepts connections there.
    static func answers(_ port: Int, on loop: Loop) async -> Bool {
        guard let address = address(port), let socket = try? Sockets.connect(to: address) else {
            return false
        }
        defer { Sockets.close(socket) }
        let deadline = MonotonicInstant.now().advanced(by: .seconds(1))
        return await loop.wait(for: socket, .writable, until: deadline)
            && Sockets.pendingError(socket) == nil
    }

    private static func address(_ port: Int) -> SocketAddress? {
        UInt16(exactly: port).map { .loopback(port: $0) }
    }
}
