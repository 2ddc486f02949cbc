import Foundation
import HTTPServer
import Runtime
import Testing

@Suite("Server", .timeLimit(.minutes(1))) struct ServerTests {
    static let get = "GET /echo HTTP/1.1\r\nHost: a\r\n\r\n"

    private func withServer(
        loops: Int = 1,
        addresses: [SocketAddress] = [.loopback(port: 0)],
        _ adjust: (inout ServerLimits) -> Void = { _ in },
        _ body: (TestServer) async throws -> Void
    ) async throws {
        let server = try TestServer(loops: loops, addresses: addresses, adjust: adjust)
        do {
            try await body(server)
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    @Test("an answer has its length, a date and no Server field") func answer() async throws {
        try await withServer { server in
            let client = try server.client()
            client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello")
            let text = await client.receive(until: "hello").text
            #expect(text.hasPrefix("HTTP/1.1 200 OK\r\nDate: "))
            #expect(
                text.contains(" GMT\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello")
            )
            #expect(!text.lowercased().contains("server:"))
            #expect(!text.contains("Connection:"))
        }
    }

    @Test("HEAD gets the length without the content") func head() async throws {
        try await withServer { server in
            let client = try server.client()
            client.send("HEAD /where HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            let (text, ended) = await client.receive()
            #expect(ended)
            #expect(text.contains("Content-Length: "))
            #expect(!text.contains("Content-Length: 0\r\n"))
            #expect(text.hasSuffix("\r\n\r\n"))
            #expect(!text.contains("127.0.0.1"))
        }
    }

    @Test("a second server on its address is refused, however many loops", arguments: 1...2)
    func inUse(_ loops: Int) async throws {
        try await withServer(loops: loops) { server in
            let address = server.addresses[0]
            let inUse = ServerError.listen(
                address,
                SystemError(call: "bind", number: EADDRINUSE)
            )
            #expect(throws: inUse) { try TestServer(loops: loops, addresses: [address]) }
        }
    }

    @Test("handlers run on the loop and learn who asks, over TCP and a local socket")
    func places() async throws {
        let path = NSTemporaryDirectory() + "h-\(UUID().uuidString.prefix(8))"
        let local = try #require(SocketAddress.local(path))
        defer { unsafe unlink(path) }
        try await withServer(loops: 2, addresses: [.loopback(port: 0), local]) { server in
            for address in server.addresses {
                let client = try TestClient(address)
                client.send("GET /where HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                let (text, ended) = await client.receive()
                #expect(ended)
                #expect(text.contains("\r\n\r\ntrue "))
            }
        }
    }

    @Test("100 pipelined requests are answered in order") func pipelined() async throws {
        try await withServer { server in
            let client = try server.client()
            client.send(
                (0..<100).map {
                    "POST /\($0 % 3 == 0 ? "soon" : "echo") HTTP/1.1\r\nHost: a\r\n"
                        + "Content-Length: 4\r\n\r\n<\(100 + $0 % 10)"
                }.prefix(4).joined()
                    + (0..<96).map {
                        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n<\(100 + $0)"
                    }.joined() + "GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            )
            let (text, ended) = await client.receive()
            #expect(ended)
            let bodies = text.components(separatedBy: "\r\n\r\n").dropFirst()
                .map { $0.prefix { $0 != "H" } }.map(String.init)
            let expected =
                ["soon", "<101", "<102", "soon"] + (0..<96).map { "<\(100 + $0)" } + [""]
            #expect(Array(bodies) == expected)
        }
    }

    @Test("what one client sends ahead does not keep another waiting")
    func fairness() async throws {
        try await withServer { server in
            let isHeld = Guarded(true)
            // Both are there before the loop looks.
            server.loops[0].post { while isHeld.current { usleep(1_000) } }
            let (greedy, polite) = (try server.client(), try server.client())
            greedy.send((0..<500).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
            polite.send("GET /polite HTTP/1.1\r\nHost: a\r\n\r\n")
            isHeld.withLock { $0 = false }
            #expect(await polite.receive(until: "\r\n\r\n").text.hasPrefix("HTTP/1.1 200"))
            #expect(await server.wait(until: { server.handler.order.current.count == 501 }))
            let order = server.handler.order.current
            #expect(order.filter { $0 != "/polite" } == (0..<500).map { "/\($0)" })
            #expect(try #require(order.firstIndex(of: "/polite")) < 100)
        }
    }

    @Test(
        "beside many who send ahead an answer that takes some turns takes no long ones",
        arguments: [["/busy"], ["/busy-and-waits"], ["/none", "/busy"]]
    )
    func manyAhead(_ paths: [String]) async throws {
        try await withServer { server in
            let ahead = String(
                repeating: paths.map { "GET \($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined(),
                count: 40
            )
            let greedy = try (0..<60).map { _ in try server.client() }
            for client in greedy { client.send(ahead) }
            let polite = try server.client()
            #expect(await server.wait { server.handler.order.current.count > 200 })
            polite.send("GET /turns HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await polite.receive(until: "\r\n\r\n").text.hasPrefix("HTTP/1.1 200"))
            #expect(await server.wait { server.handler.order.current.count == 60 * 40 + 2 })
            let order = server.handler.order.current
            let begin = try #require(order.firstIndex(of: "/turns"))
            let end = try #require(order.firstIndex(of: "/turned"))
            #expect(end - begin < 60)
        }
    }

    @Test("100 Continue is sent when a client waits for it") func expectContinue() async throws {
        try await withServer { server in
            let client = try server.client()
            client.send(
                "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n"
                    + "Expect: 100-continue\r\n\r\n"
            )
            #expect(await client.receive(until: "\r\n\r\n").text == "HTTP/1.1 100 Continue\r\n\r\n")
            client.send("ok")
            #expect(await client.receive(until: "ok").text.hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
    }

    @Test("a client that leaves cancels its handler", arguments: ["close", "half"])
    func leaves(_ way: String) async throws {
        try await withServer { server in
            var client: TestClient? = try server.client()
            client?.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await server.wait { server.handler.running.current == 1 })
            if way == "close" { client = nil } else { client?.finishWriting() }
            #expect(await server.wait { server.handler.cancelled.current == 1 })
            #expect(await server.wait { server.server.connectionCount == 0 })
            _ = client
        }
    }

    @Test("a request whose end comes with the end of file is answered") func halfClosed()
        async throws
    {
        try await withServer { server in
            let client = try server.client()
            client.send(Self.get)
            client.finishWriting()
            let (text, ended) = await client.receive()
            #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(ended)
        }
    }

    @Test(
        "what was sent before the end of file is answered, also what is refused by its head",
        arguments: [
            ["/none", "/none", "/none", "/none"], ["/none", "/echo", "/none", "/echo"],
        ]
    )
    func aheadAndHalfClosed(_ paths: [String]) async throws {
        try await withServer { server in
            let client = try server.client()
            client.send(paths.map { "GET \($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
            client.finishWriting()
            let (text, ended) = await client.receive()
            let answers = text.components(separatedBy: "HTTP/1.1 ").dropFirst()
            #expect(answers.map { $0.prefix(3) } == paths.map { $0 == "/none" ? "404" : "200" })
            #expect(ended)
        }
    }

    @Test("a large answer reaches a slow reader whole") func large() async throws {
        try await withServer { server in
            let client = try server.client()
            client.send("GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            try await Task.sleep(for: .milliseconds(50))
            let (text, ended) = await client.receive(seconds: 20)
            #expect(ended)
            #expect(text.utf8.count > 20_000_000)
            #expect(text.hasSuffix("xxx"))
        }
    }

    @Test("a field with a line end becomes an empty 500") func injection() async throws {
        try await withServer { server in
            let client = try server.client()
            client.send("GET /bad-field HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            let text = await client.receive().text
            #expect(text.hasPrefix("HTTP/1.1 500 "))
            #expect(!text.contains("Injected"))
        }
    }

    @Test("200 connections on two loops are all served") func many() async throws {
        try await withServer(loops: 2) { server in
            let clients = try (0..<200).map { _ in try server.client() }
            for client in clients { client.send(Self.get) }
            for client in clients {
                #expect(await client.receive(until: "\r\n\r\n").text.hasPrefix("HTTP/1.1 200 OK"))
            }
            #expect(server.server.connectionCount == 200)
        }
    }
}
