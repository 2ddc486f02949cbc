import HTTPServer
import Runtime
import Testing

extension BoundTests {
    private static func head(_ fields: String, _ path: String = "/echo") -> String {
        "POST \(path) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n"
    }

    private static func bytes(_ count: Int) -> String { String(repeating: "x", count: count) }

    /// Sends a body of `count` bytes whole and expects this status.
    private func post(_ count: Int, on client: TestClient, _ status: Int = 200) async {
        client.send(Self.head("Content-Length: \(count)") + Self.bytes(count))
        let (text, _) = await client.receive(until: status == 200 ? Self.bytes(count) : "\r\n\r\n")
        #expect(text.hasPrefix("HTTP/1.1 \(status) "))
    }

    @Test("heads that promise long bodies take no room from a body that comes") func promised()
        async throws
    {
        try await withServer({ $0.bodyBytesMax = 65_536 }) { server in
            let clients = try (0..<15).map { _ in try server.client() }
            for client in clients {
                client.send(Self.head("Content-Length: 65536\r\nExpect: 100-continue"))
                #expect(await client.receive(until: "\r\n\r\n").text.hasPrefix("HTTP/1.1 100 "))
            }
            try await post(4_096, on: server.client())
            _ = clients
        }
    }

    static let growing = ["Content-Length: 65536", "Transfer-Encoding: chunked"]
    @Test("a body that outgrows the room is refused and gives it all back", arguments: growing)
    func grows(_ framing: String) async throws {
        try await withServer({ $0.bodyBytesMax = 20_000 }) { server in
            for _ in 0..<3 {
                let client = try server.client()
                let size = framing.hasPrefix("T") ? "ffff\r\n" : ""
                client.send(Self.head(framing) + size + Self.bytes(30_000))
                let (text, ended) = await client.receive()
                #expect(text.hasPrefix("HTTP/1.1 503 ") && ended)
                #expect(text.contains("Retry-After: 1\r\n"))
                #expect(text.contains("Connection: close\r\n"))
            }
            let rendered = String(decoding: server.metrics.render(), as: UTF8.self)
            #expect(rendered.contains("{listener=\"test\",reason=\"bodies\"} 3\n"))
            let client = try server.client()
            for _ in 0..<3 { await post(20_000, on: client) }
        }
    }

    @Test("who leaves amid a body, or is too slow, gives its room back", arguments: [true, false])
    func left(_ leaves: Bool) async throws {
        try await withServer({
            $0.bodyBytesMax = 20_000
            if !leaves { $0.bodyTime = .seconds(1) }
        }) { server in
            let client = try server.client()
            client.send(Self.head("Content-Length: 20000") + Self.bytes(18_000))
            if leaves { client.finishWriting() }
            let (text, ended) = await client.receive()
            #expect(ended && (leaves ? text.isEmpty : text.hasPrefix("HTTP/1.1 408 ")))
            client.finishWriting()
            #expect(await server.wait { server.server.connectionCount == 0 })
            try await post(20_000, on: server.client())
        }
    }

    @Test("a short body in chunks takes its first room while it is handled")
    func handled() async throws {
        try await withServer({ $0.bodyBytesMax = 5_000 }) { server in
            let client = try server.client()
            let chunks = "5\r\nhello\r\n0\r\n\r\n"
            client.send(Self.head("Transfer-Encoding: chunked", "/held") + chunks)
            #expect(await server.wait { server.handler.calls.current == 1 })
            try await post(904, on: server.client())
            try await post(905, on: server.client(), 503)
            server.handler.isReleased.replace(with: true)
            #expect(await client.receive(until: "held").text.hasPrefix("HTTP/1.1 200 "))
            try await post(5_000, on: server.client())
        }
    }
}
