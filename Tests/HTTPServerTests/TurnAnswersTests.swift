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
        // Nothing is waited for, so the loop is told at once: it hears it after the request.
        await server.server.drain()
        letGo()
        let (text, ended) = await client.receive()
        #expect(text.hasPrefix("HTTP/1.1 200"))
        #expect(ended)
        await server.stop()
    }
}
