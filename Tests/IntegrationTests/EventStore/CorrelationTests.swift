import Domain
import Issuing
import Persistence
import Postgres
import TestSupport
import Testing

@Suite("The correlation of an event", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct CorrelationTests {
    private static let found = """
        SELECT convert_from(metadata, 'UTF8')::json ->> 'correlation' AS correlation,
               stream_id, command_id, metadata FROM es.events
        """

    @Test("is the request's, as long as there was one") func ofRequest() async throws {
        try await StoreHarness.with { database, nodes in
            let request = nodes[0].newStream()
            var commit = nodes[0].commit([try nodes[0].toggled(await nodes[0].register())])
            commit.attributes.correlation = Correlation(request: request)
            try await nodes[0].store.append(commit, by: .soon)
            let connection = try await database.connect()
            let sql = "SELECT count(*) FROM (\(Self.found)) AS e WHERE correlation = '\(request)'"
            #expect(try await connection.count(sql) == 1)
        }
    }

    @Test("is its command's own where no request was: not the command's id, which stays here")
    func ofCommand() async throws {
        try await StoreHarness.with { database, nodes in
            var first = try await nodes[0].register()
            try await nodes[0].append([.disabled(.operator), .enabled(at: .sample)], to: &first)
            let connection = try await database.connect()
            let told = """
                SELECT count(*) FROM (\(Self.found)) AS e
                 WHERE position(command_id::text IN convert_from(metadata, 'UTF8')) > 0
                """
            #expect(try await connection.count(told) == 0)
            // As many as commands, and one for all events of a command.
            let pairs = """
                SELECT count(DISTINCT correlation::uuid) FROM (\(Self.found)) AS e
                 WHERE stream_id = '\(first.stream)'
                """
            #expect(try await connection.count(pairs) == 2)
            let ofOne = "SELECT count(DISTINCT (command_id, correlation)) FROM (\(Self.found)) AS e"
            let commands = "SELECT count(DISTINCT command_id) FROM es.events"
            let count = try await connection.count(commands)
            #expect(try await connection.count(ofOne) == count)
        }
    }
}
