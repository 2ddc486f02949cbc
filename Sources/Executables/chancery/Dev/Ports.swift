import Runtime

/// Questions about ports of 127.0.0.1.
enum Ports {
    static func isFree(_ port: Int) -> Bool {
        UInt16(exactly: port).map { PortBlock.isFree($0) } ?? false
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
