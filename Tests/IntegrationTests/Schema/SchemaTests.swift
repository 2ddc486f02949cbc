import Foundation
import Postgres
import Runtime
import TestSupport
import Testing

/// What the handbook shows of the schema, against what the migrations make.
@Suite("The schema in the handbook", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct SchemaTests {
    private static let file = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources/Handbook.docc/Schema.md")

    private static func text() throws -> String { try String(contentsOf: file, encoding: .utf8) }

    @Test("is the one in force after all migrations") func isCurrent() async throws {
        let catalogue: [String: [[String]]] = try await TestDatabase.with(migrated: false) {
            database in
            let owner = try await database.connect()
            defer { owner.close() }
            return try await CatalogueEntry.afterAllMigrations(on: owner)
        }
        let article = SchemaArticle(try Self.text())
        // A schema that is new needs its two headings, each with an empty block below.
        #expect(article.headings.sorted() == catalogue.keys.sorted())
        let text = article.showing(catalogue).text
        if ProcessInfo.processInfo.environment["WRITE"] == "1" {
            try text.write(to: Self.file, atomically: true, encoding: .utf8)
        }
        let wanted = text.split(separator: "\n", omittingEmptySubsequences: false)
        let found = try Self.text().split(separator: "\n", omittingEmptySubsequences: false)
        let different = zip(wanted, found).enumerated().first { $0.element.0 != $0.element.1 }
        if let (line, (wanted, found)) = different {
            Issue.record("line \(line + 1) is \(found), not \(wanted): deploy/test --write")
        }
        #expect(wanted.count == found.count, "deploy/test --write")
    }

    @Test("says of each table and function what it is for") func explains() throws {
        let article = SchemaArticle(try Self.text())
        #expect(article.headings.contains("Functions of es"))
        #expect(article.unexplained == [])
    }

    private static let before = """
        # Things

        ```
        TABLE b
        ```

        ## Tables of a

        Prose.

        ```
        TABLE b [0001]  -- What it is for.
            c     integer                                           -- a number
            gone  text                                              -- a text
            CHECK (c > 0)                                           -- more than none

        TABLE gone [0001]  -- What it was for.
        ```

        ## Functions of a

        ```
        c [0001]
        ```

        ```
        no block that is made
        ```

        ## Others

        ```
        nor this one
        ```

        """

    private static let after = """
        # Things

        ```
        TABLE b
        ```

        ## Tables of a

        Prose.

        ```
        TABLE b [0001, 0002]  -- What it is for.
            c  bigint  NOT NULL                                     -- a number
            d  text
            CHECK (c > 0)                                           -- more than none

        TABLE e [0002]
            c  uuid
        ```

        ## Functions of a

        ```
        c [0001]
            () RETURNS void
        f [0002]
        ```

        ```
        no block that is made
        ```

        ## Others

        ```
        nor this one
        ```

        """

    @Test("keeps what people wrote of what is still there, and the prose") func keeps() {
        let catalogue = [
            "Tables of a": [
                [
                    "TABLE b [0001, 0002]", "    c  bigint  NOT NULL", "    d  text",
                    "    CHECK (c > 0)",
                ],
                ["TABLE e [0002]", "    c  uuid"],
            ],
            "Functions of a": [["c [0001]", "    () RETURNS void"], ["f [0002]"]],
        ]
        let article = SchemaArticle(Self.before)
        #expect(article.headings == ["Tables of a", "Functions of a"])
        let made = article.showing(catalogue)
        #expect(made.text == Self.after)
        #expect(made.showing(catalogue).text == Self.after)
        #expect(made.unexplained == ["TABLE e [0002]", "c [0001]", "f [0002]"])
    }

    @Test("shows nothing of what is not there") func forgets() {
        let made = SchemaArticle(Self.before).showing([:])
        #expect(made.headings == ["Tables of a", "Functions of a"])
        #expect(made.unexplained == [])
        #expect(!made.text.contains("gone"))
    }
}
