import HTTPServer
import Runtime
import Testing

extension TLSTests {
    /// Lets a greedy client send what ends with a request for `/greedy`, then a polite one ask for
    /// `/polite`, all before the loop looks; both paths in the order in which they were handled.
    private func order(_ send: (TLSClient) async -> Void) async throws -> [String] {
        let files = try Files()
        defer { files.remove() }
        let server = try TestServer(tls: files.settings)
        let greedy = try TLSClient(server.addresses[0])
        let polite = try TLSClient(server.addresses[0])
        for client in [greedy, polite] {
            #expect(await client.handshake())
            // Else the loop may have the end of a handshake to look at first.
            await client.send(Self.get("/echo"))
            #expect(await client.hears("HTTP/1.1 200"))
        }
        let letGo = await server.hold()
        await send(greedy)
        await polite.send(Self.get("/polite"))
        letGo()
        #expect(await polite.hears("HTTP/1.1 200"))
        #expect(await greedy.hears("HTTP/1.1 200"))
        await server.stop()
        return server.handler.order.current.suffix(2)
    }

    private static func get(_ path: String) -> [UInt8] {
        Array("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
    }

    @Test("a client that renews its key 500 times does not keep another waiting")
    func renewedKeys() async throws {
        let order = try await order { client in
            for _ in 0..<500 { await client.renewKey() }
            await client.send(Self.get("/greedy"))
        }
        #expect(order == ["/polite", "/greedy"])
    }
    @Test("records of one byte do not keep another waiting", arguments: ["head", "body"])
    func oneByteRecords(_ part: String) async throws {
        let many = String(repeating: "x", count: 500)
        let (whole, bytes) =
            part == "head"
            ? ("GET /greedy HTTP/1.1\r\nHost: a\r\n", "X: \(many)\r\n\r\n")
            : ("POST /greedy HTTP/1.1\r\nHost: a\r\nContent-Length: 500\r\n\r\n", many)
        let order = try await order { client in
            await client.send(Array(whole.utf8))
            for byte in bytes.utf8 { await client.send([byte]) }
        }
        #expect(order == ["/polite", "/greedy"])
    }
    @Test("what was sent before the end is answered, said or not", arguments: [true, false])
    func halfClosed(_ isSaid: Bool) async throws {
        let files = try Files()
        defer { files.remove() }
        let server = try TestServer(tls: files.settings)
        let client = try TLSClient(server.addresses[0])
        #expect(await client.handshake())
        await client.send(Self.get("/echo"))
        #expect(await client.hears("HTTP/1.1 200"))
        let letGo = await server.hold()
        for path in ["/none", "/echo"] { await client.send(Self.get(path)) }
        client.finishWriting(saying: isSaid)
        letGo()
        #expect(await client.hears("HTTP/1.1 404"))
        #expect(await client.hears("HTTP/1.1 200"))
        await server.stop()
    }
    @Test(
        "an answer behind half a renewal of the key waits for the rest without a turn",
        arguments: ["the rest", "the end", "its word", "nothing"]
    )
    func halfRenewedKey(_ next: String) async throws {
        let files = try Files()
        defer { files.remove() }
        let server = try TestServer(tls: files.settings) {
            if next == "nothing" { $0.writeTime = .seconds(4) }
        }
        let client = try TLSClient(server.addresses[0])
        #expect(await client.handshake())
        // KeyUpdate, of one byte, which is not there (RFC 8446 §4.6.3).
        let letGo = await server.hold()
        try client.send(records: [(.data, Self.get("/turns")), (.handshake, [24, 0, 0, 1])])
        letGo()
        #expect(await server.wait { server.handler.order.current.last == "/turned" })
        var turns: Set<UInt64> = []
        for _ in 0..<50 {
            turns.insert(server.loops[0].lastTurn.nanoseconds)
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(turns.count < 10)
        #expect(server.server.connectionCount == 1)
        switch next {
        case "the rest":
            try client.send(records: [(.handshake, [0])])
            #expect(await client.hears("HTTP/1.1 200"))
        case "the end": client.finishWriting(saying: false)
        case "its word": try client.send(records: [(.alert, [1, 0])])
        default: break
        }
        if next != "the rest" {
            #expect(await server.wait { server.server.connectionCount == 0 })
        }
        await server.stop()
    }
    @Test("a hello in records of one byte is not read to its end in one turn")
    func oneByteHello() async throws {
        let files = try Files()
        defer { files.remove() }
        let server = try TestServer(tls: files.settings)
        let client = try server.client()
        #expect(await server.wait { server.server.connectionCount == 1 })
        let letGo = await server.hold()
        // A ClientHello of 1 000 bytes that mean nothing: at its end it is refused.
        let hello: [UInt8] = [1, 0, 3, 232] + [UInt8](repeating: 0, count: 1_000)
        client.send(hello.flatMap { [22, 3, 1, 0, 1, $0] })
        let connections = Guarded<Int?>(nil)
        // Right after the loop has looked at its sockets once.
        server.loops[0].post { connections.replace(with: server.server.connectionCount) }
        letGo()
        #expect(await server.wait { connections.current != nil })
        #expect(connections.current == 1)
        #expect(await server.wait { server.server.connectionCount == 0 })
        await server.stop()
    }
}
