import Foundation
import Testing

/// A defect that no longer fits the tree proves nothing: it has to be made again.
@Suite("Deliberate defects") struct MutantsTests {
    /// What a patch changes in one file: runs of lines that have to be there.
    private struct Hunk: Sendable {
        var file: String
        var lines: [String]
    }

    static let patches: [String] = {
        let folder = SourceTree.root.appending(path: "Tests/Mutants").path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".patch") }.sorted()
    }()

    @Test("there are at least twenty") func count() { #expect(Self.patches.count >= 20) }

    @Test("each fits the tree as it is", arguments: patches) func fits(_ name: String) throws {
        let path = SourceTree.root.appending(path: "Tests/Mutants/\(name)")
        let hunks = Self.hunks(in: try String(contentsOf: path, encoding: .utf8))
        try #require(!hunks.isEmpty)
        for hunk in hunks {
            let file = SourceTree.root.appending(path: hunk.file)
            let text = try String(contentsOf: file, encoding: .utf8)
            let isThere = ("\n" + text).contains("\n" + hunk.lines.joined(separator: "\n") + "\n")
            #expect(isThere, "\(hunk.file) has changed where \(name) spoils it")
        }
    }

    /// The context and the removed lines of each hunk of a unified diff.
    private static func hunks(in patch: String) -> [Hunk] {
        var hunks: [Hunk] = []
        var file = ""
        for line in patch.split(separator: "\n", omittingEmptySubsequences: false).dropFirst() {
            if line.hasPrefix("--- a/") {
                file = String(line.dropFirst(6))
            } else if line.hasPrefix("@@ ") {
                hunks.append(Hunk(file: file, lines: []))
            } else if line.hasPrefix(" ") || line.hasPrefix("-"), !hunks.isEmpty {
                hunks[hunks.count - 1].lines.append(String(line.dropFirst()))
            }
        }
        return hunks
    }
}
