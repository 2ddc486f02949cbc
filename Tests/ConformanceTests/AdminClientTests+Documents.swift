import Foundation
import TestSupport
import Testing

extension AdminClientTests {
    /// Of a comparison what the server answers, and how it ends.
    static let compared: [(answer: String, code: Int32)] = [
        (answer("id: store\n"), 0), (answer("id: store\nname: Store\n"), 1),
        ("HTTP/1.1 401 Unauthorized\r\n\r\n", 2),
        ("HTTP/1.1 503 Service Unavailable\r\n\r\n", 75),
    ]

    @Test("tells a difference, which is 1, from what it could not compare", arguments: compared)
    func compares(_ row: (answer: String, code: Int32)) throws {
        let file = try Self.file("id: store\n")
        let admin = try ScriptedAdmin([row.answer])
        defer { admin.close() }
        let (said, code) = try Self.run(["config", "diff", file.path], admin)
        #expect(code == row.code, "\(said)")
        try FileManager.default.removeItem(at: file)
        let (missing, end) = try Self.run(["config", "diff", file.path], admin)
        #expect(end == 2 && missing.contains("there is no such file"), "\(missing)")
    }

    /// A document in force, and what is shown of it.
    static let shown: [(document: String, said: String)] = [
        ("id: store\n", "id: store\n"), ("id: store\r\n", "id: store\r\n"),
        ("id: store\n\n", "id: store\n\n"), ("id: store", "id: store\n"),
    ]

    @Test("shows the document in force byte for byte, and ends its last line", arguments: shown)
    func shows(_ row: (document: String, said: String)) throws {
        let admin = try ScriptedAdmin([Self.answer(row.document)])
        defer { admin.close() }
        let (said, code) = try Self.run(["config", "show"], admin)
        #expect(code == 0 && Array(said.utf8) == Array(row.said.utf8), "\(said)")
    }

    /// A document that is applied over `id: store`, and the digest of what it replaced, if any.
    static let applied: [(document: String, replaced: String?)] = [
        ("id: store\nname: Store\n", digest), ("id: store\n", nil),
    ]
    private static let digest = "0123456789abcdef"

    @Test("names the document that an applied one replaced", arguments: applied)
    func replaces(_ row: (document: String, replaced: String?)) throws {
        let file = try Self.file(row.document)
        defer { try? FileManager.default.removeItem(at: file) }
        let admin = try ScriptedAdmin([Self.answer("id: store\n", tag: Self.digest)])
        defer { admin.close() }
        let words = ["config", "apply", file.path, "--reason", "new"]
        let (said, code) = try Self.run(words, admin)
        #expect(code == 0 && said.contains("Applied to store.\n"), "\(said)")
        let line = "It replaced digest 0123456789ab.\n"
        #expect(said.contains(line) == (row.replaced != nil), "\(said)")
        let (json, end) = try Self.run(words + ["--json"], admin)
        let value = row.replaced.map { "\"\($0)\"" } ?? "null"
        #expect(end == 0 && json.contains("\"replaced\":\(value)"), "\(json)")
    }

    /// What is no reason (WireContract 13.3).
    static let noReasons = ["", String(repeating: "a", count: 201), "a\nb", "a\u{1B}[2Jb"]

    @Test("a reason that is none is a mistake of the command line: 64", arguments: noReasons)
    func reasons(_ reason: String) throws {
        let file = try Self.file("id: store\nname: Store\n")
        defer { try? FileManager.default.removeItem(at: file) }
        for words in [["config", "apply", file.path], ["subjects", "disable", "s"]] {
            let admin = try ScriptedAdmin([Self.answer("id: store\n")])
            defer { admin.close() }
            let (said, code) = try Self.run(words + ["--reason", reason], admin)
            #expect(code == 64 && said.contains("--reason must be 1 to 200 bytes"), "\(said)")
            #expect(admin.asked.isEmpty)
        }
    }

    @Test("applies nothing where another document is in force than the one that was looked at")
    func expects() throws {
        let file = try Self.file("id: store\nname: Store\n")
        defer { try? FileManager.default.removeItem(at: file) }
        let admin = try ScriptedAdmin([Self.answer("id: store\n", tag: Self.digest)])
        defer { admin.close() }
        let words = ["config", "apply", file.path, "--reason", "new", "--expect"]
        for other in ["fedcba9876543210", "fedcba987654", "0123456789a", ""] {
            let (refused, code) = try Self.run(words + [other], admin)
            #expect(code == 1 && refused.contains("is not the expected one"), "\(refused)")
        }
        #expect(Set(admin.asked) == ["GET /admin/v1/project?project=store"])
        // As `history` shows it, too.
        for same in [Self.digest, String(Self.digest.prefix(12))] {
            let (said, end) = try Self.run(words + [same], admin)
            #expect(end == 0 && said.contains("Applied to store."), "\(said)")
        }
    }
}
