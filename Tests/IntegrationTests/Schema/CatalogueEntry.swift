import Foundation
import Migrations
import Persistence
import Postgres
import Runtime

/// A table, a function or a list, as the catalogue of a database has it and the handbook shows it.
struct CatalogueEntry: Sendable {
    /// What it stands below in the article.
    private let heading: String
    /// Stays the same while the database is the same, also when it gets another name.
    private let id: String
    /// Its name; empty for a list.
    private let head: String
    private let body: String
    /// All of it, where name and body are not all.
    private let definition: String

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "SQL")

    /// Takes an empty database through all migrations, and shows what is there then: below each
    /// heading the lines of each entry.
    ///
    /// A table or a function has the numbers of the migrations that made or changed it.
    static func afterAllMigrations(
        on connection: Connection
    ) async throws -> [String: [[String]]] {
        var known: [String: String] = [:]
        var changes: [String: [String]] = [:]
        for step in Migrations.steps {
            try await take(step, on: connection)
            let now = try await entries(["tables", "functions"], on: connection)
            for entry in now where known[entry.id] != entry.whole {
                changes[entry.id, default: []].append(String(step.fileName.prefix(4)))
            }
            known = Dictionary(uniqueKeysWithValues: now.map { ($0.id, $0.whole) })
        }
        var lines: [String: [[String]]] = [:]
        let names = ["roles", "rights", "tables", "functions"]
        for entry in try await entries(names, on: connection) {
            lines[entry.heading, default: []].append(entry.lines(changes[entry.id] ?? []))
        }
        return lines
    }

    /// As the migrator does: as the owner, whom the first step makes.
    private static func take(_ step: Migration, on connection: Connection) async throws {
        let role = step.version == 1 ? "" : "SET LOCAL ROLE chancery_owner;\n"
        let start = "BEGIN;\nSET LOCAL search_path = '';\n\(role)"
        let script = Array(start.utf8) + step.sql + Array("\nCOMMIT".utf8)
        try await connection.run(script: script, deadline: .soon)
    }

    private static func entries(
        _ names: [String],
        on connection: Connection
    ) async throws -> [CatalogueEntry] {
        var entries: [CatalogueEntry] = []
        for name in names {
            let file = folder.appending(path: "\(name).sql")
            let sql = try String(contentsOf: file, encoding: .utf8)
            entries += try await connection.query(statement(sql), deadline: .soon)
        }
        return entries
    }

    private static func statement(_ sql: String) -> Statement<CatalogueEntry> {
        Statement(once: sql) { row throws(PostgresError) in
            CatalogueEntry(
                heading: try row.text(0),
                id: try row.text(1),
                head: try row.text(2),
                body: try row.text(3),
                definition: try row.text(4)
            )
        }
    }

    /// What a migration changes of it.
    private var whole: String { definition.isEmpty ? head + body : definition }

    private func lines(_ migrations: [String]) -> [String] {
        let body = body.split(separator: "\n").map(String.init)
        guard !head.isEmpty else { return body }
        return ["\(head) [\(migrations.joined(separator: ", "))]"] + body.map { "    \($0)" }
    }
}
