import Foundation
import HTTPServer
import Runtime
import Testing

@Suite("Deadlines and bounds", .timeLimit(.minutes(1))) struct BoundTests {
    func withServer(
        _ adjust: (inout ServerLimits) -> Void = { _ in },
        _ body: (TestServer) async throws -> Void
    ) async throws {
        let server = try TestServer(adjust: adjust)
        do {
            try await body(server)
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    /// A limit that is short while the others stay long: a busy machine may reach any.
    typealias Limit = any WritableKeyPath<ServerLimits, Duration> & Sendable

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let limit: Limit
        let sent: String
        let answer: String
    }
    static let rows = [
        Row(testDescription: "first byte", limit: \.firstByteTime, sent: "", answer: ""),
        Row(
            testDescription: "head",
            limit: \.headTime,
            sent: "GET / HTTP/1.1\r\n",
            answer: "HTTP/1.1 408 "
        ),
        Row(
            testDescription: "body",
            limit: \.bodyTime,
            sent: "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx",
            answer: "HTTP/1.1 408 "
        ),
        Row(
            testDescription: "chunked body",
            limit: \.bodyTime,
            sent: "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n",
            answer: "HTTP/1.1 408 "
        ),
        Row(
            testDescription: "skipped body",
            limit: \.bodyTime,
            sent: "POST /none HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx",
            answer: "HTTP/1.1 408 "
        ),
        Row(
            testDescription: "handler",
            limit: \.handlerGrace,
            sent: "GET /short-lived HTTP/1.1\r\nHost: a\r\n\r\n",
            answer: "HTTP/1.1 503 "
        ),
        Row(
            testDescription: "idle",
            limit: \.idleTime,
            sent: "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
            answer: "HTTP/1.1 200 "
        ),
    ]

    @Test("a silent client is cut at the deadline", arguments: rows)
    func silent(_ row: Row) async throws {
        try await withServer({ $0[keyPath: row.limit] = .milliseconds(150) }) { server in
            let start = MonotonicInstant.now()
            let client = try server.client()
            client.send(row.sent)
            let (text, ended) = await client.receive()
            let length = MonotonicInstant.now().since(start)
            #expect(ended)
            #expect(row.answer.isEmpty ? text.isEmpty : text.hasPrefix(row.answer))
            #expect(length >= .milliseconds(95) && length < .seconds(20), "\(length)")
        }
    }

    @Test("bytes do not renew the deadline of a head or body", arguments: ["head", "body"])
    func slowloris(_ part: String) async throws {
        let limit: Limit = part == "head" ? \.headTime : \.bodyTime
        try await withServer({ $0[keyPath: limit] = .milliseconds(150) }) { server in
            let client = try server.client()
            let start = MonotonicInstant.now()
            client.send(
                part == "head"
                    ? "GET / HTTP/1.1\r\nHost: a\r\nX: "
                    : "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n"
            )
            var text = ""
            while text.isEmpty, MonotonicInstant.now().since(start) < .seconds(30) {
                client.send("x")
                text = await client.receive(seconds: 0.02).text
            }
            #expect(text.hasPrefix("HTTP/1.1 408 "))
            #expect(MonotonicInstant.now().since(start) < .seconds(20))
        }
    }

    @Test("a client that does not read is cut") func slowReader() async throws {
        try await withServer({ $0.writeTime = .milliseconds(300) }) { server in
            let client = try server.client()
            client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await server.wait { server.handler.calls.current == 1 })
            #expect(await server.wait { server.server.connectionCount == 0 })
            _ = client
        }
    }

    @Test("who sends ahead and does not read is not read either", arguments: ["large", "held"])
    func sendsAhead(_ path: String) async throws {
        try await withServer { server in
            let client = try server.client()
            client.send("GET /\(path) HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await server.wait { server.handler.calls.current == 1 })
            let sent = await client.flood(Self.get(padding: 8_000), bytesMax: 64_000_000)
            // What the kernel keeps for two sockets, which is not ours.
            #expect(sent < 64_000_000)
            let other = try server.client()
            other.send(Self.get(padding: 0))
            #expect(await other.receive(until: "\r\n\r\n").text.hasPrefix("HTTP/1.1 200 "))
            server.handler.isReleased.replace(with: true)
            _ = client
        }
    }

    @Test("what was sent ahead is answered when the client reads at last") func readsLate()
        async throws
    {
        try await withServer { server in
            let client = try server.client()
            client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await server.wait { server.handler.calls.current == 1 })
            for _ in 0..<40 { client.send(Self.get(padding: 1_000)) }
            client.send("GET /where HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            let (text, ended) = await client.receive(seconds: 60)
            #expect(ended)
            #expect(text.utf8.count > 20_000_000)
            #expect(server.handler.calls.current == 42)
        }
    }

    private static func get(padding count: Int) -> String {
        "GET /echo HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: count))\r\n\r\n"
    }

    @Test("a silent handler is cancelled") func handler() async throws {
        try await withServer({ $0.handlerGrace = .milliseconds(50) }) { server in
            let client = try server.client()
            client.send("GET /short-lived HTTP/1.1\r\nHost: a\r\n\r\n")
            let (text, ended) = await client.receive()
            #expect(text.contains("Retry-After: 1\r\n"))
            #expect(ended)
            #expect(await server.wait { server.handler.cancelled.current == 1 })
        }
    }

    @Test("beyond the bytes of bodies there is 503; they come back") func bodies() async throws {
        try await withServer({ $0.bodyBytesMax = 1_000 }) { server in
            let first = try server.client()
            first.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 900\r\n\r\n")
            let second = try server.client()
            let body = String(repeating: "x", count: 200)
            let request = "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 200\r\n\r\n\(body)"
            // From when the server has read the first head.
            let limit = MonotonicInstant.now().advanced(by: .seconds(20))
            var text = ""
            while !text.contains("HTTP/1.1 503 "), MonotonicInstant.now() < limit {
                second.send(request)
                text = await second.receive(until: "\r\n\r\n").text
            }
            #expect(text.contains("HTTP/1.1 503 "))
            first.send(String(repeating: "x", count: 900))
            #expect(await first.receive(until: "xxx").text.hasPrefix("HTTP/1.1 200 "))
            for _ in 0..<20 {
                second.send(request)
                #expect(await second.receive(until: "xxx").text.hasPrefix("HTTP/1.1 200 "))
            }
        }
    }

    @Test("connections beyond the bounds are closed", arguments: ["address", "all"])
    func connections(_ bound: String) async throws {
        try await withServer({
            $0.idleTimeMin = .seconds(60)
            if bound == "all" { $0.connectionsMax = 5 } else { $0.connectionsPerAddressMax = 5 }
        }) { server in
            let clients = try (0..<5).map { _ in try server.client() }
            #expect(await server.wait { server.server.connectionCount == 5 })
            let (text, ended) = try await server.client().receive()
            #expect(text.isEmpty && ended)
            _ = clients
        }
    }

    @Test("a proxy's connections are its users', and not bounded by its address")
    func proxies() async throws {
        let range = try #require(AddressRange("127.0.0.0/8"))
        let server = try TestServer(trustedProxies: [range]) { $0.connectionsPerAddressMax = 5 }
        let clients = try (0..<8).map { _ in try server.client() }
        #expect(await server.wait { server.server.connectionCount == 8 })
        _ = clients
        await server.stop()
    }

    @Test("requests per connection are bounded") func lastRequest() async throws {
        try await withServer({ $0.requestsPerConnectionMax = 2 }) { server in
            let client = try server.client()
            let get = "GET /echo HTTP/1.1\r\nHost: a\r\n\r\n"
            client.send(get)
            let answer = await client.receive(until: "\r\n\r\n").text
            #expect(!answer.contains("Connection: close"))
            client.send(get)
            let (text, ended) = await client.receive()
            #expect(text.contains("Connection: close\r\n") && ended)
        }
    }

    @Test("a connection in use is told before it is too old, and loses no request") func age()
        async throws
    {
        try await withServer({
            $0.connectionTime = .seconds(30)
            $0.idleTime = .seconds(29)
        }) { server in
            let client = try server.client()
            let begin = MonotonicInstant.now()
            var answers = 0
            var isTold = false
            while !isTold, answers < 1_000 {
                client.send("GET /echo HTTP/1.1\r\nHost: a\r\n\r\n")
                let answer = await client.receive(until: "\r\n\r\n").text
                try #require(answer.hasPrefix("HTTP/1.1 200"), "after \(answers) answers")
                isTold = answer.contains("Connection: close\r\n")
                answers += 1
                try await Task.sleep(for: .milliseconds(20))
            }
            let age = MonotonicInstant.now().since(begin)
            #expect(isTold && answers > 1)
            #expect(age >= .milliseconds(900) && age < .seconds(30), "\(age)")
        }
    }

    @Test("a drain closes idle connections and lets requests finish") func drain() async throws {
        let server = try TestServer()
        let idle = try server.client()
        let busy = try server.client()
        busy.send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(await server.wait { server.handler.calls.current == 1 })
        let drained = server.loops[0].spawn { await server.server.drain() }
        #expect(await idle.receive().ended)
        server.handler.isReleased.replace(with: true)
        let (text, ended) = await busy.receive()
        #expect(text.contains("Connection: close\r\n") && text.hasSuffix("held") && ended)
        await drained.value
        #expect(server.server.connectionCount == 0)
        let late = try? TestClient(server.addresses[0])
        late?.send("GET /echo HTTP/1.1\r\nHost: a\r\n\r\n")
        if let late { #expect(await late.receive().text.isEmpty) }
        await server.stop()
    }

    @Test("what does not end within the drain time is closed") func drainCut() async throws {
        let server = try TestServer { $0.drainTime = .milliseconds(200) }
        let client = try server.client()
        client.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(await server.wait { server.handler.running.current == 1 })
        let start = MonotonicInstant.now()
        await server.server.drain()
        #expect(await client.receive().ended)
        #expect(MonotonicInstant.now().since(start) < .seconds(20))
        #expect(await server.wait { server.handler.cancelled.current == 1 })
        await server.stop()
    }
}
