import Foundation
import TestSupport
import Testing

extension AdminClientTests {
    /// What a change of a user leaves, and what is said of it.
    static let left: [(verb: String, left: String, said: String)] = [
        ("disable", "waiting", "the issuers go on recording them as ended"),
        ("disable", "unreadable", "finish it, then disable them once more"),
        ("enable", "unreadable", "finish it, then disable them and enable them once more"),
    ]

    @Test("tells a change of a user as made, and what it leaves of their sessions", arguments: left)
    func leaves(_ row: (verb: String, left: String, said: String)) throws {
        let keys = Self.answer(#"{"result":{"biometric_keys":[]}}"#)
        let done = Self.answer(#"{"result":{"left":"\#(row.left)"}}"#)
        let admin = try ScriptedAdmin([done, keys])
        defer { admin.close() }
        let (said, code) = try Self.run(["subjects", row.verb, "s", "--reason", "new"], admin)
        #expect(code == 0 && said.contains("Done: \(row.verb) s."), "\(said)")
        #expect(said.contains(row.said), "\(said)")
    }
}
