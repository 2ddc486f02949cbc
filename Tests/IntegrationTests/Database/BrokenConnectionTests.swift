import Foundation
import Postgres
import Runtime
import TestSupport
import Testing

@Suite("A connection that breaks", .timeLimit(.minutes(1))) struct BrokenConnectionTests {
    @Test("with statements unsent is lost, and what was sent of them may have happened")
    func unsent() async throws {
        let server = try StallingServer()
        defer { server.close() }
        let loop = try Loop.running()
        defer { loop.end() }
        let outcome = try await loop.answer {
            var settings = ConnectionSettings(
                host: server.folder.path,
                database: "d",
                user: "u",
                applicationName: "tests"
            )
            settings.port = 5432
            let connection = try await Connection.connect(settings, on: loop, deadline: .soon)
            // Far more than a socket takes, so that the connection waits to write.
            let large = Statement<Void>(
                Array("SELECT $1::bytea".utf8),
                [.bytes([UInt8](repeating: 1, count: 8 << 20))]
            )
            let end = loop.schedule(at: .after(.milliseconds(100))) { server.close() }
            defer { end.cancel() }
            do throws(PostgresError) {
                _ = try await connection.execute(large, deadline: .soon)
                return "answered"
            } catch {
                return error == .connectionLost && !connection.isOpen ? "lost" : "\(error)"
            }
        }
        #expect(outcome == "lost")
    }
}
