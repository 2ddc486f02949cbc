import Foundation
import HTTPServer
import Runtime
import Testing

@Suite("Answers of one turn", .timeLimit(.minutes(1))) struct TurnAnswersTests {
    private static let get = ServerTests.get

    /// As many clients as asked for, each of which has had an answer.
    private func clients(_ count: Int, of server: TestServer) async throws -> [TestClient] {
        let clients = try (0..<count).map { _ in try server.client() }
        for client in clients {
            client.send(Self.get)
            _ = await client.receive(until: "\r\n\r\n")
        }
        return clients
    }

    /// The kernel may take a moment from one socket to the other.
    private static func arrival() async throws { try await Task.sleep(for: .milliseconds(50)) }

    @Test("wait for a few handlers that only begin, not for the turn's end") func beginnings()
        async throws
    {
        let server = try TestServer()
        let clients = try await clients(60, of: server)
        let arrived = Guarded<[Bool]>([])
        server.handler.onCall.replace(with: { call in
            let (number, end) = (call - 60, MonotonicInstant.now().advanced(by: .seconds(10)))
            while number == 33, !clients[0].hasArrived, MonotonicInstant.now() < end {
                usleep(1_000)
            }
            arrived.withLock { $0.append(clients[0].hasArrived) }
        })
        let letGo = await server.hold()
        clients[0].send(Self.get)
        try await Self.arrival()
        for client in clients.dropFirst() { client.send("GET /soon HTTP/1.1\r\nHost: a\r\n\r\n") }
        try await Self.arrival()
        letGo()
        #expect(await server.wait { arrived.current.count == 60 })
        let first = try #require(arrived.current.firstIndex(of: true))
        #expect(first <= 33)
        server.handler.onCall.replace(with: nil)
        await server.stop()
    }

    @Test("go out in a row, sixteen at a time") func inARow() async throws {
        let server = try TestServer()
        let clients = try await clients(20, of: server)
        let arrived = Guarded<[Int]>([])
        server.handler.onCall.replace(with: { call in
            let (number, end) = (call - 20, MonotonicInstant.now().advanced(by: .seconds(10)))
            var count = clients.count { $0.hasArrived }
            // The kernel may take a moment.
            while number >= 16, count < 16, MonotonicInstant.now() < end {
                usleep(1_000)
                count = clients.count { $0.hasArrived }
            }
            arrived.withLock { $0.append(count) }
        })
        let letGo = await server.hold()
        for client in clients { client.send(Self.get) }
        try await Self.arrival()
        letGo()
        // Nobody reads before all were called, who count what is unread.
        #expect(await server.wait { arrived.current.count == 20 })
        for client in clients {
            #expect(await client.receive(until: "\r\n\r\n").text.hasPrefix("HTTP/1.1 200"))
        }
        let expected = Array(repeating: 0, count: 16) + Array(repeating: 16, count: 4)
        #expect(arrived.current == expected)
        server.handler.onCall.replace(with: nil)
        await server.stop()
    }

    @Test("reach their clients also when the server closes in that turn") func closing()
        async throws
    {
        let server = try TestServer { $0.drainTime = .zero }
        let client = try await clients(1, of: server)[0]
        let letGo = await server.hold()
        client.send(Self.get)
        try await Self.arrival()
        // Nothing is waited for, so the loop is told at once: it hears it after the request.
        await server.server.drain()
        letGo()
        let (text, ended) = await client.receive()
        #expect(text.hasPrefix("HTTP/1.1 200"))
        #expect(ended)
        await server.stop()
    }
}
