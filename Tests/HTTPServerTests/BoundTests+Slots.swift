import HTTPServer
import Runtime
import Testing

extension BoundTests {
    /// Sends `count` requests, each on its own connection, and waits until all are being handled.
    private func occupy(_ server: TestServer, _ path: String, _ count: Int)
        async throws -> [TestClient]
    {
        let before = server.handler.running.current
        let clients = try (0..<count).map { _ in try server.client() }
        for client in clients { client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n") }
        #expect(await server.wait { server.handler.running.current == before + count })
        return clients
    }

    /// The status that one more request is answered with.
    private func status(of path: String, on client: TestClient) async -> String {
        client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
        let (text, ended) = await client.receive(until: "\r\n\r\n")
        #expect(!ended)
        let status = String(text.dropFirst(9).prefix(3))
        if status == "503" { #expect(text.contains("Retry-After: 1\r\n")) }
        return status
    }

    @Test("what begins something is turned away first, what ends something last")
    func running() async throws {
        try await withServer({ $0.runningPerLoopMax = 10 }) { server in
            let client = try server.client()
            let most = try await occupy(server, "/slow", 8)
            #expect(await status(of: "/starting", on: client) == "503")
            #expect(await status(of: "/echo", on: client) == "200")
            let last = try await occupy(server, "/slow", 1)
            #expect(await status(of: "/echo", on: client) == "503")
            let ending = try await occupy(server, "/ending", 1)
            #expect(await status(of: "/ending", on: client) == "503")
            let rendered = String(decoding: server.metrics.render(), as: UTF8.self)
            #expect(
                rendered.contains(
                    "chancery_http_shed_total{listener=\"test\",reason=\"running\"} 3\n"
                )
            )
            #expect(rendered.contains("chancery_http_running{listener=\"test\"} 10\n"))
            _ = (most, last, ending)
        }
    }

    @Test("held polls take no slot of others, and have a bound of their own")
    func held() async throws {
        try await withServer({
            $0.runningPerLoopMax = 10
            $0.heldPerLoopMax = 20
        }) { server in
            var polls = try await occupy(server, "/poll", 20)
            let client = try server.client()
            #expect(await status(of: "/starting", on: client) == "200")
            #expect(await status(of: "/poll", on: client) == "503")
            let others = try await occupy(server, "/slow", 9)
            let rendered = String(decoding: server.metrics.render(), as: UTF8.self)
            #expect(rendered.contains("chancery_http_held{listener=\"test\"} 20\n"))
            #expect(rendered.contains("chancery_http_running{listener=\"test\"} 9\n"))
            #expect(rendered.contains("{listener=\"test\",reason=\"held\"} 1\n"))
            polls.removeFirst()
            #expect(await server.wait { server.handler.running.current == 28 })
            let next = try await occupy(server, "/poll", 1)
            _ = (polls, others, next)
        }
    }
}
