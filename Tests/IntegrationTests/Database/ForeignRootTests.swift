import Foundation
import Postgres
import TestSupport
import Testing

/// What keeps two root secrets out of one database (decision 0165).
@Suite(
    "A token-issuer whose root secret is its own",
    .timeLimit(.minutes(3)),
    .keepsClusterOnFailure
) struct ForeignRootTests {
    /// How it is started, and whether it had made its keys before.
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var arguments: [String] = []
        var hasKeys = false
    }

    static let rows = [
        Row(testDescription: "a first start with an empty key directory"),
        Row(testDescription: "a start with keys of another installation", hasKeys: true),
        Row(testDescription: "a check before the first start", arguments: ["--check"]),
        Row(testDescription: "a check with keys", arguments: ["--check"], hasKeys: true),
        Row(
            testDescription: "a start for development",
            arguments: ["--insecure-dev"],
            hasKeys: true
        ),
    ]

    @Test("is refused by a database that holds the projects of another", arguments: rows)
    func refused(_ row: Row) async throws {
        try await TestDatabase.with { database in
            try await LogFiller(database: database).addProject()
            let (code, text, hasKeys) = try Self.run(
                row,
                database.settings(as: "token_issuer")
            )
            #expect(code == 78, "\(text)")
            let line = "keys.directory: its root secret did not make the projects"
            #expect(text.contains(line), "\(text)")
            #expect(text.contains("Copy the whole key directory"), "\(text)")
            // Nothing lies where the copy belongs.
            #expect(hasKeys == row.hasKeys)
        }
    }

    @Test("is right for a database without projects", arguments: [true, false])
    func first(_ hasKeys: Bool) async throws {
        try await TestDatabase.with { database in
            let row = Row(testDescription: "", arguments: ["--check"], hasKeys: hasKeys)
            let (code, text, _) = try Self.run(row, database.settings(as: "token_issuer"))
            #expect(code == 0, "\(text)")
            #expect(text.contains("the first start makes keys.directory") == !hasKeys, "\(text)")
            // The brokers were asked, too.
            #expect(text.contains("the topics could not be checked yet"), "\(text)")
        }
    }

    /// Why the log cannot be looked at, what is said of it, and how the first start ends.
    static let unseen: [(name: String, value: String, said: String, code: Int32)] = [
        ("DATABASE__HOST", "/nowhere", "database: ", 75),
        ("DATABASE__NAME", "nowhere", "database: 3D000: ", 78),
    ]

    @Test("makes none beside a log that it could not look at", arguments: unseen)
    func away(_ row: (name: String, value: String, said: String, code: Int32)) async throws {
        try await TestDatabase.with { database in
            let settings = database.settings(as: "token_issuer")
            let changes = [row.name: row.value]
            let first = Row(testDescription: "")
            let (code, text, hasKeys) = try Self.run(first, settings, changes)
            #expect(code == row.code, "\(text)")
            #expect(text.contains(row.said), "\(text)")
            #expect(text.contains("once it sees a log without projects"), "\(text)")
            #expect(!hasKeys)
        }
    }

    private static func run(
        _ row: Row,
        _ database: ConnectionSettings,
        _ changes: [String: String] = [:]
    ) throws -> (code: Int32, text: String, hasKeys: Bool) {
        var start = try ProductionStart("token-issuer", database)
        defer { start.remove() }
        start.changes = changes
        if row.hasKeys {
            _ = try IssuerStartTests.makeKeys(start)
        } else {
            try start.write(Array(UInt8(1)...32), to: "kek")
        }
        start.arguments = row.arguments
        let (code, text) = try start.run()
        let hasKeys = FileManager.default.fileExists(atPath: start.path("keys"))
        return (code, text, hasKeys)
    }
}
