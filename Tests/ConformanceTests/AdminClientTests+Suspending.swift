import Foundation
import TestSupport
import Testing

extension AdminClientTests {
    @Test(
        "suspends the project that it names, and lets it go on",
        arguments: ["suspend", "resume"]
    )
    func suspends(_ verb: String) throws {
        let admin = try ScriptedAdmin([Self.answer(#"{"result":{}}"#)])
        defer { admin.close() }
        let words = ["config", verb, "shop", "--reason", "unpaid"]
        let (said, code) = try Self.run(words, admin)
        #expect(code == 0 && said.contains("Done: \(verb) shop."), "\(said)")
        #expect(admin.asked == ["POST /admin/v1/project/\(verb)?project=shop"])
    }

    /// What is missing or contradicts itself, and what is said of it.
    static let unsaid: [(words: [String], said: String)] = [
        (["--reason", "unpaid"], "the PROJECT is missing"), (["shop"], "--reason is missing"),
        (["shop", "--reason", "x", "--project", "bank"], "names shop, and --project bank"),
    ]

    @Test("suspends nothing whose name or reason is missing", arguments: unsaid)
    func suspendsNothing(_ row: (words: [String], said: String)) throws {
        let admin = try ScriptedAdmin([Self.answer(#"{"result":{}}"#)])
        defer { admin.close() }
        let (said, code) = try Self.run(["config", "suspend"] + row.words, admin)
        #expect(code == 64 && said.contains(row.said), "\(said)")
        #expect(admin.asked.isEmpty)
    }

    @Test("says in the history who suspended the project, and why") func suspendedBefore() throws {
        let version = #"{"version":1,"operator":"eve","reason":"unpaid","change":"suspended"}"#
        let admin = try ScriptedAdmin([Self.answer(#"{"result":{"versions":[\#(version)]}}"#)])
        defer { admin.close() }
        let (said, code) = try Self.run(["config", "history"], admin)
        #expect(code == 0 && said.contains("  suspended  eve: unpaid\n"), "\(said)")
    }

    @Test("says of a document that is applied that the project is suspended still")
    func appliesToSuspended() throws {
        let file = try Self.file("id: shop\nname: Shop\n")
        defer { try? FileManager.default.removeItem(at: file) }
        let former = Self.answer("id: shop\n", tag: "0123456789abcdef")
        let result = Self.answer(#"{"result":{"id":"shop","suspended":true}}"#)
        let admin = try ScriptedAdmin([former, result])
        defer { admin.close() }
        let words = ["config", "apply", file.path, "--reason", "new"]
        let (said, code) = try Self.run(words, admin)
        #expect(code == 0 && said.contains("config resume shop --reason … lets"), "\(said)")
    }
}
