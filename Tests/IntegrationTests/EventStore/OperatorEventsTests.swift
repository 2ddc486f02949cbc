import Domain
import Foundation
import Issuing
import Persistence
import Postgres
import TestSupport
import Testing

@Suite("What was done in an operator's name", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct OperatorEventsTests {
    @Test("is found as Production.md says, though no event has their id")
    func found() async throws {
        try await StoreHarness.with { database, nodes in
            let statement = try Self.statement()
            try #require(statement.contains("'alice'") && statement.contains("90 days"))
            // By `ops`, at a time that was long ago, or is yet to come.
            let user = try await nodes[0].register()
            let migrator = try await database.connect(as: "migrator")
            defer { migrator.close() }
            try await migrator.run(script: Array("SET ROLE chancery_owner".utf8), deadline: .soon)
            func count(by name: String) async throws -> Int64 {
                let asked = statement.replacing("'alice'", with: "'\(name)'")
                    .replacing("90 days", with: "100 years")
                return try await migrator.count(
                    "SELECT count(*) FROM (\(asked)) AS e WHERE e.stream_id = '\(user.stream)'"
                )
            }
            #expect(try await count(by: "ops") == 1)
            #expect(try await count(by: "alice") == 0)
        }
    }

    /// That of the section on stolen tokens, without its end.
    private static func statement() throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appending(path: "Sources/Handbook.docc/Production.md"),
            encoding: .utf8
        )
        let heading = "## A lost or stolen operator's token"
        let section = try #require(page.components(separatedBy: heading).last)
        let block = try #require(section.firstMatch(of: /```sql\n([^`;]*);/)?.1)
        return String(block)
    }
}
