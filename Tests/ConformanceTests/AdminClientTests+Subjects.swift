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

    /// Keys as the server lists them, and what programs are told of a change.
    static let counted: [(keys: String, told: String)] = [
        (
            answer(#"{"result":{"biometric_keys":[{"kid":"k"}],"unreadable":2}}"#),
            #"{"left":"waiting","biometric_keys":1,"unreadable_biometric_keys":2}"#
        ),
        (
            answer(#"{"result":{"biometric_keys":[]}}"#),
            #"{"left":"waiting","biometric_keys":0}"#
        ),
        (
            "HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n",
            #"{"left":"waiting","biometric_keys":null}"#
        ),
    ]

    @Test("tells programs, too, how many keys outlive a change of a user", arguments: counted)
    func counts(_ row: (keys: String, told: String)) throws {
        for verb in ["disable", "enable"] {
            let done = Self.answer(#"{"result":{"left":"waiting"}}"#)
            let admin = try ScriptedAdmin([done, row.keys])
            defer { admin.close() }
            let words = ["subjects", verb, "s", "--reason", "new", "--json"]
            let run = try ProgramRun(
                ours: "chancery",
                words + ["--admin", admin.origin],
                ["ADMIN_TOKEN": "t"],
                complaints: false
            )
            #expect(run.code == 0 && run.said == row.told + "\n", "\(run.said)")
        }
    }
}
