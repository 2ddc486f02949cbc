import Foundation
import Postgres
import TestSupport
import Testing

@Suite("A question to the log", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct AuditQueriesTests {
    @Test("of AuditQueries.md is answered, one with networks to the role that it makes alone")
    func answered() async throws {
        let blocks = try Self.blocks()
        let making = try #require(blocks.first)
        let questions = Array(blocks.dropFirst())
        #expect(questions.count == 6)
        #expect(questions.count { $0.contains("es.contexts") } == 4)
        try await TestDatabase.with { database in
            let (auditor, reader) = ("auditor_\(database.name)", "reader_\(database.name)")
            let owner = try await database.connect()
            defer { owner.close() }
            let roles =
                "CREATE ROLE \(reader) LOGIN; GRANT log_reader TO \(reader);\n"
                + making.replacing("auditor", with: auditor)
            try await owner.run(script: Array(roles.utf8), deadline: .soon)
            for question in questions {
                try await Self.ask(question, as: auditor, in: database)
                if question.contains("es.contexts") {
                    await #expect(throws: PostgresError.self, "\(question)") {
                        try await Self.ask(question, as: reader, in: database)
                    }
                } else {
                    try await Self.ask(question, as: reader, in: database)
                }
            }
        }
    }

    private static func ask(_ question: String, as role: String, in database: TestDatabase)
        async throws
    {
        // Not as it itself: our connections refuse one that may only read, as an auditor's may.
        let connection = try await database.connect()
        defer { connection.close() }
        let script = "SET ROLE \(role);\n" + filled(question)
        try await connection.run(script: Array(script.utf8), deadline: .soon)
    }

    /// With values in place of what psql is given.
    private static func filled(_ question: String) -> String {
        let id = "'01a22f44-8d35-74c8-ae6e-f4e734a8c835'"
        return question.replacing(":'sub'", with: id).replacing(":'sid'", with: id)
            .replacing(":'by'", with: "'alice'").replacing(":since", with: "0")
    }

    /// The statements of the page: that of the role first.
    private static func blocks() throws -> [String] {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appending(path: "Sources/Handbook.docc/AuditQueries.md"),
            encoding: .utf8
        )
        return page.matches(of: /```sql\n([^`]*)```/).map { String($0.output.1) }
    }
}
