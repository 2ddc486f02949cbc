import EventFormat
import Foundation
import Testing

/// The numbers of types, where people read them.
@Suite("The numbers of types") struct DocumentedTypesTests {
    @Test("stand in AuditQueries.md with their names, and no others") func documented() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appending(path: "Sources/Handbook.docc/AuditQueries.md"),
            encoding: .utf8
        )
        let written = page.split(separator: "\n").flatMap { line -> [String] in
            guard let row = line.wholeMatch(of: /\| `([a-z-]+)` \| (.*) \|/) else { return [] }
            return row.output.2.matches(of: /([0-9]+) `([a-z0-9_]+)`/).map { type in
                "\(row.output.1) \(type.output.1) \(type.output.2)"
            }
        }
        let types = StoredType.allCases.map { type in
            let words = type.name.split(separator: ".")
            return "\(words[0]) \(type.rawValue) \(words[1])"
        }
        #expect(written.sorted() == types.sorted())
    }
}
