import HTTPServer
import Runtime
import Testing

extension BoundTests {
    private static let echo = "GET /echo HTTP/1.1\r\nHost: a\r\n\r\n"

    private func isServed(_ client: TestClient) async -> Bool {
        client.send(Self.echo)
        return await client.receive(until: "\r\n\r\n").text.hasPrefix("HTTP/1.1 200 ")
    }

    private static func shed(_ server: TestServer) -> Substring? {
        let name = "chancery_http_shed_total{listener=\"test\",reason=\"connections\"} "
        let lines = String(decoding: server.metrics.render(), as: UTF8.self).split(separator: "\n")
        return lines.first { $0.hasPrefix(name) }?.dropFirst(name.count)
    }

    @Test("at the bound who has waited longest for a request gives way to a newcomer")
    func room() async throws {
        try await withServer({
            $0.connectionsMax = 3
            $0.idleTimeMin = .milliseconds(50)
        }) { server in
            let clients = try (0..<3).map { _ in try server.client() }
            #expect(await server.wait { server.server.connectionCount == 3 })
            // The second has not said anything yet; the first is the last to be served.
            #expect(await isServed(clients[2]))
            #expect(await isServed(clients[0]))
            try await Task.sleep(for: .milliseconds(100))
            let first = try server.client()
            #expect(await isServed(first))
            #expect(await clients[1].receive().ended)
            let second = try server.client()
            #expect(await isServed(second))
            #expect(await clients[2].receive().ended)
            for client in [clients[0], first, second] { #expect(await isServed(client)) }
            #expect(server.server.connectionCount == 3)
            #expect(Self.shed(server) == "2")
        }
    }

    @Test(
        "one that is busy, has sent half a request or came only now does not give way",
        arguments: ["busy", "half", "new"]
    )
    func noRoom(_ kind: String) async throws {
        try await withServer({
            $0.connectionsMax = 1
            $0.idleTimeMin = kind == "new" ? .seconds(60) : .zero
        }) { server in
            let client = try server.client()
            #expect(await isServed(client))
            switch kind {
            case "busy":
                client.send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(await server.wait { server.handler.calls.current == 2 })
            case "half":
                client.send("GET /echo HTTP/1.1\r\n")
                // The kernel may take a moment from one socket to the other.
                try await Task.sleep(for: .milliseconds(50))
            default: break
            }
            let (text, ended) = try await server.client().receive()
            #expect(text.isEmpty && ended)
            #expect(server.server.connectionCount == 1)
            #expect(Self.shed(server) == "1")
            server.handler.isReleased.replace(with: true)
            if kind == "half" { client.send("Host: a\r\n\r\n") }
            if kind == "new" { client.send(Self.echo) }
            #expect(await client.receive(until: "\r\n\r\n").text.hasPrefix("HTTP/1.1 200 "))
            // Idle again, it does.
            if kind != "new" {
                let next = try server.client()
                #expect(await isServed(next))
                #expect(await client.receive().ended)
                #expect(server.server.connectionCount == 1)
            }
        }
    }
}
