import Foundation
import Testing

/// The handbook says which test is which attack; each of them is there.
@Suite("The table of attacks") struct AttackTableTests {
    /// A file's name without folder, and words of one of its tests.
    struct Entry: Hashable {
        var file: String
        var words: String
    }

    /// An attack of the table, and its tests.
    private struct Row {
        var feature: String
        var attack: String
        var entries: [Entry]
    }

    private static func rows() throws -> [Row] {
        let text = try #require(SourceTree.text("Sources/Handbook.docc/Security.md"))
        let start = try #require(text.range(of: "### 4.14 Which test is which attack"))
        let lines = text[start.upperBound...].split(separator: "\n").prefix { !$0.hasPrefix("#") }
            .filter { $0.hasPrefix("| ") }.dropFirst()
        var feature = ""
        return lines.map { line in
            let cells = line.components(separatedBy: "|").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            // Where it is not said it is that of the row before.
            if !cells[1].isEmpty { feature = cells[1] }
            return Row(feature: feature, attack: cells[2], entries: entries(in: String(line)))
        }
    }

    /// Whether the handbook says which test an attack of the plan is, or that it has no object yet.
    private static func tells(of attack: Attack) throws -> Bool {
        switch attack.place {
        case .row(let feature, let words):
            let found = try rows().filter { $0.feature == feature && $0.attack == words }
            return found.count == 1 && found.allSatisfy { !$0.entries.isEmpty }
        case .notBuilt(let words):
            let text = try #require(SourceTree.text("Sources/Handbook.docc/Handbook.md"))
            let lines = text.split(separator: "\n").filter { $0.hasPrefix("Not built yet: ") }
            return lines.contains { $0.contains(words) }
        }
    }

    private static func entries(in text: String) -> [Entry] {
        text.matches(of: /`([A-Za-z0-9.-]+)` "([^"]+)"/)
            .map { Entry(file: String($0.output.1), words: String($0.output.2)) }
    }

    /// The files of the tests by the literals that stand in them.
    private static let withLiteral: [String: [SourceFile]] = {
        var files: [String: [SourceFile]] = [:]
        for file in SourceTree.files(under: "Tests") {
            for text in Set(file.literals.map(\.text)) { files[text, default: []].append(file) }
        }
        return files
    }()

    /// What a file says of each of its tests: a step's comment, or a test's name.
    private static func says(_ entry: Entry) -> Bool {
        guard entry.file.hasSuffix(".http") else {
            let path = "/\(entry.file).swift"
            // Few files have the words; whose they are takes longer to find out.
            return withLiteral[entry.words, default: []].contains { file in
                (file.path.hasSuffix(path) || file.code.contains { $0.contains(entry.file) })
                    && InvariantsTests.isTest(entry.words, in: file)
            }
        }
        let paths = SourceTree.paths(under: "Tests/ConformanceTests", suffix: "/\(entry.file)")
        return paths.compactMap(SourceTree.text).contains { text in
            text.split(separator: "\n").contains { $0.hasPrefix("#") && $0.contains(entry.words) }
        }
    }

    @Test("names what is there, for every attack") func holds() throws {
        let rows = try Self.rows()
        #expect(rows.count > 40)
        for row in rows {
            #expect(!row.entries.isEmpty, "\(row.feature): \(row.attack)")
            for entry in row.entries {
                #expect(Self.says(entry), "\(entry.file): \(entry.words)")
            }
        }
    }

    @Test("has every attack of the plan", arguments: Attack.all) func planned(_ attack: Attack)
        throws
    {
        #expect(try Self.tells(of: attack), "\(attack.place)")
    }

    @Test(
        "an attack that is gone is seen",
        arguments: [
            .row("login link", "no such attack"), .row("no such feature", "guessing"),
            // Of another feature.
            .row("login link", "prefetch"), .notBuilt("the token endpoint"),
        ] as [Attack.Place]
    )
    func forgotten(_ place: Attack.Place) throws {
        #expect(try !Self.tells(of: Attack(testDescription: "none", place: place)))
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
