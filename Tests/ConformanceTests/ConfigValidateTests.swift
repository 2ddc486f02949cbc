import Foundation
import TestSupport
import Testing

@Suite("Validating a project's document", .timeLimit(.minutes(2))) struct ConfigValidateTests {
    /// What is no YAML that is taken, and a document with a mistyped key: what is found, for
    /// programs and for people.
    static let wrong: [(text: String, found: String, line: String)] = [
        ("id: a\nid: b\n", "line 2: key `id` appears twice", ":2: key `id` appears twice"),
        ("id: &a b\n", "line 1: ", ":1: "), ("id: a\n\tname: b\n", "line 2: ", ":2: "),
        ("- a\n", "must hold keys and values", ":1: must hold keys and values\n"),
        ("idd: a\n", "idd: unknown key; did you mean `id`?", ":1: idd: unknown key"),
    ]

    @Test("says to programs as JSON what is wrong, also with no YAML", arguments: wrong)
    func isWrong(_ row: (text: String, found: String, line: String)) throws {
        let file = try AdminClientTests.file(row.text)
        defer { try? FileManager.default.removeItem(at: file) }
        let words = ["config", "validate", file.path]
        let json = try ProgramRun(ours: "chancery", words + ["--json"], complaints: false)
        #expect(json.code == 78, "\(json.said)")
        let answer = try JSONDecoder().decode(Answer.self, from: Data(json.said.utf8))
        #expect(!answer.valid)
        #expect(answer.findings.contains { $0.hasPrefix(row.found) }, "\(answer.findings)")
        let shown = try ProgramRun(ours: "chancery", words)
        #expect(shown.code == 78)
        #expect(shown.said.contains(file.path + row.line), "\(shown.said)")
        #expect(!shown.said.contains("line 2"), "the line is said once: \(shown.said)")
    }

    private struct Answer: Decodable {
        let valid: Bool
        let findings: [String]
    }
}
