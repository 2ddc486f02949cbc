import Foundation
import Runtime
import Testing

@Suite("Sockets", .timeLimit(.minutes(1))) struct SocketTests {
    static let addresses: [(String, String?)] = [
        ("127.0.0.1:8080", "127.0.0.1:8080"), ("[::1]:443", "[::1]:443"),
        ("0.0.0.0:0", "0.0.0.0:0"), ("127.0.0.1", nil), ("localhost:80", nil),
        ("127.0.0.1:65536", nil), ("127.0.0.1:+80", nil), ("::1:80", nil), ("[127.0.0.1]:80", nil),
        ("127.0.0.01:80", nil), ("", nil), (":", nil), ("1.2.3.4:123456", nil),
    ]
    @Test("addresses are read strictly", arguments: addresses)
    func reads(_ row: (String, String?)) {
        #expect(SocketAddress(row.0)?.description == row.1)
    }

    @Test("bytes go both ways, over TCP and a local socket", arguments: [false, true])
    func bothWays(_ isLocal: Bool) throws {
        let path = NSTemporaryDirectory() + "s-\(UUID().uuidString.prefix(8))"
        defer { unsafe unlink(path) }
        let wanted = isLocal ? try #require(SocketAddress.local(path)) : .loopback(port: 0)
        let listener = try Sockets.listen(at: wanted)
        defer { Sockets.close(listener) }
        let address = Sockets.localAddress(of: listener)
        if isLocal {
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
            #expect(mode as? Int == 0o600)
        } else {
            #expect(address.port != 0)
        }
        let client = try Sockets.connect(to: address)
        defer { Sockets.close(client) }
        wait(for: listener)
        guard case .connection(let server, let peer) = Sockets.accept(listener) else {
            Issue.record("nothing was accepted")
            return
        }
        #expect(peer.isLoopback)
        #expect(Sockets.pendingError(client) == nil)
        #expect(Sockets.write(client, [1, 2], [3, 4, 5], from: 1) == .moved(4))
        wait(for: server)
        var received: [UInt8] = []
        #expect(Sockets.read(server, appendingTo: &received, atMost: 16) == .moved(4))
        #expect(received == [2, 3, 4, 5])
        #expect(Sockets.read(server, appendingTo: &received, atMost: 16) == .wouldBlock)
        Sockets.close(server)
        wait(for: client)
        #expect(Sockets.read(client, appendingTo: &received, atMost: 16) == .ended)
    }

    @Test("who calls a listener of IPv6 by IPv4 has an address of IPv4: limits count by it")
    func mapped() throws {
        let listener = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
        defer { Sockets.close(listener) }
        // Not bound: on any port of all addresses, of either kind.
        try #require(listen(listener, 1) == 0)
        let port = Sockets.localAddress(of: listener).port
        let client = try Sockets.connect(to: .loopback(port: port))
        defer { Sockets.close(client) }
        wait(for: listener)
        guard case .connection(let server, let peer) = Sockets.accept(listener) else {
            Issue.record("nothing was accepted")
            return
        }
        Sockets.close(server)
        #expect(peer.family == .ipv4 && peer.bytes == [127, 0, 0, 1])
    }

    /// Until there is something to accept or to read.
    private func wait(for descriptor: Int32) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&entry, 1, 30_000)
    }

    @Test("a listener shares its port with those that it admits, and with no stranger")
    func ports() throws {
        let first = try Sockets.listen(at: .loopback(port: 0))
        defer { Sockets.close(first) }
        let address = Sockets.localAddress(of: first)
        let inUse = SystemError(call: "bind", number: EADDRINUSE)
        #expect(throws: inUse) { try Sockets.listen(at: address, joining: true) }
        Sockets.admitMore(beside: first)
        let next = try Sockets.listen(at: address, joining: true)
        // What another process binds first is alone: refused, although both would share.
        #expect(throws: inUse) { try Sockets.listen(at: address) }
        var taken: [Int32: Int] = [:]
        for _ in 0..<64 {
            let client = try Sockets.connect(to: address)
            defer { Sockets.close(client) }
            var entries = [first, next].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            _ = unsafe poll(&entries, 2, 30_000)
            for entry in entries where entry.revents != 0 {
                guard case .connection(let server, _) = Sockets.accept(entry.fd) else { continue }
                taken[entry.fd, default: 0] += 1
                Sockets.close(server)
            }
        }
        #expect(taken.values.reduce(0, +) == 64)
        #expect(taken.count == 2)
        Sockets.close(next)
    }

    @Test("a local socket is taken over from the dead, and from nobody who listens") func takeOver()
        throws
    {
        let path = NSTemporaryDirectory() + "s-\(UUID().uuidString.prefix(8))"
        defer { unsafe unlink(path) }
        let address = try #require(SocketAddress.local(path))
        let first = try Sockets.listen(at: address)
        #expect(throws: SystemError(call: "bind", number: EADDRINUSE)) {
            try Sockets.listen(at: address)
        }
        Sockets.close(try Sockets.connect(to: address))
        Sockets.close(first)
        Sockets.close(try Sockets.listen(at: address))
    }

    @Test("a file that is no socket is left where it is, and is not called a process")
    func inTheWay() throws {
        let path = NSTemporaryDirectory() + "s-\(UUID().uuidString.prefix(8))"
        defer { unsafe unlink(path) }
        try Data("mine".utf8).write(to: URL(filePath: path))
        let address = try #require(SocketAddress.local(path))
        #expect(throws: SystemError(call: "bind", number: EEXIST)) {
            try Sockets.listen(at: address)
        }
        #expect(try Data(contentsOf: URL(filePath: path)) == Data("mine".utf8))
    }
}
