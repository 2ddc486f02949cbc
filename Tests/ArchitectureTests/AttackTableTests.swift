import Foundation
import Testing

/// The handbook says which test is which attack; each of them is there.
@Suite("The table of attacks") struct AttackTableTests {
    /// A file's name without folder, and words of one of its tests.
    struct Entry: Hashable {
        var file: String
        var words: String
    }

    private static func entries(in text: String) -> [Entry] {
        text.matches(of: /`([A-Za-z0-9.-]+)` "([^"]+)"/)
            .map { Entry(file: String($0.output.1), words: String($0.output.2)) }
    }

    /// What a file says of each of its tests: a step's comment, or a test's name.
    private static func says(_ entry: Entry) -> Bool {
        guard entry.file.hasSuffix(".http") else {
            let path = "/\(entry.file).swift"
            let own = SourceTree.files(under: "Tests").filter { file in
                file.path.hasSuffix(path) || file.code.contains { $0.contains(entry.file) }
            }
            return own.contains { InvariantsTests.isTest(entry.words, in: $0) }
        }
        let paths = SourceTree.paths(under: "Tests/ConformanceTests", suffix: "/\(entry.file)")
        return paths.compactMap(SourceTree.text).contains { text in
            text.split(separator: "\n").contains { $0.hasPrefix("#") && $0.contains(entry.words) }
        }
    }

    @Test("names what is there, for every attack") func holds() throws {
        let text = try #require(SourceTree.text("Sources/Handbook.docc/Security.md"))
        let start = try #require(text.range(of: "## Which test is which attack"))
        let rows = text[start.upperBound...].split(separator: "\n").prefix { !$0.hasPrefix("## ") }
            .filter { $0.hasPrefix("| ") }.dropFirst()
        #expect(rows.count > 40)
        for row in rows {
            let entries = Self.entries(in: String(row))
            #expect(!entries.isEmpty, "\(row)")
            for entry in entries { #expect(Self.says(entry), "\(entry.file): \(entry.words)") }
        }
    }

    @Test(
        "a test that is gone is seen",
        arguments: [
            ("par.http", "no such step"), ("none.http", "Nor another client"),
            ("MisuseTests", "attack: none"), ("NoTests", "attack: none"),
            // A text that is no test's name.
            ("MisuseTests", "What misuse is worth in the log"),
        ]
    )
    func gone(_ file: String, _ words: String) {
        #expect(!Self.says(Entry(file: file, words: words)))
    }
}
