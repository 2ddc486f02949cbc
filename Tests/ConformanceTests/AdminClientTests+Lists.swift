import Foundation
import TestSupport
import Testing

extension AdminClientTests {
    /// Lists that are cut, and the last of what they say.
    static let cut: [(words: [String], body: String, isCut: Bool)] = [
        (["consents", "list", "--subject", "s"], #"{"consents":[],"has_more":true}"#, true),
        (["consents", "list", "--subject", "s"], #"{"consents":[],"has_more":false}"#, false),
        (["config", "history"], #"{"versions":[{"version":3},{"version":2}]}"#, true),
        (["config", "history"], #"{"versions":[{"version":2},{"version":1}]}"#, false),
    ]

    @Test("says that a list is not all there is", arguments: cut)
    func isCut(_ row: (words: [String], body: String, isCut: Bool)) throws {
        let admin = try ScriptedAdmin([Self.answer(#"{"result":\#(row.body)}"#)])
        defer { admin.close() }
        let (said, code) = try Self.run(row.words, admin)
        #expect(code == 0 && said.contains("Older ones are not shown.") == row.isCut, "\(said)")
    }

    @Test("says how much it does not list because the server cannot read it")
    func unreadable() throws {
        let list = Self.answer(#"{"result":{"biometric_keys":[],"unreadable":2}}"#)
        let consents = #"{"result":{"consents":[],"has_more":false,"unreadable":1}}"#
        let page = #"{"result":{"sessions":[],"unreadable":1,"next":"next"}}"#
        let last = #"{"result":{"sessions":[],"unreadable":2,"next":null}}"#
        let rows: [(words: [String], answers: [String], left: String)] = [
            (
                ["grants", "list", "--subject", "s"], [Self.answer(page), Self.answer(last)],
                "3 sessions"
            ),
            (["biometric-keys", "list", "--subject", "s"], [list], "2 biometric keys"),
            (
                ["subjects", "disable", "s", "--reason", "new"],
                [Self.answer(#"{"result":{}}"#), list], "2 biometric keys"
            ), (["consents", "list", "--subject", "s"], [Self.answer(consents)], "1 consent"),
        ]
        for row in rows {
            let admin = try ScriptedAdmin(row.answers)
            defer { admin.close() }
            let (said, code) = try Self.run(row.words, admin)
            #expect(code == 0 && said.contains("\(row.left) cannot be read"), "\(said)")
            #expect(!said.contains("no biometric key"), "\(said)")
        }
    }

    /// Lists with something beside them, as the server answers them and as programs get them.
    static let results: [(command: String, body: String)] = [
        ("consents", #"{"consents":[{"sub":"s"}],"has_more":true,"unreadable":1}"#),
        ("consents", #"{"consents":[],"has_more":false}"#),
        ("biometric-keys", #"{"biometric_keys":[{"kid":"k"}],"unreadable":2}"#),
        ("biometric-keys", #"{"biometric_keys":[]}"#),
        ("grants", #"{"sessions":[{"sid":"s"}],"unreadable":1}"#),
    ]

    @Test("tells programs all that the server says of a list", arguments: results)
    func tellsAll(_ row: (command: String, body: String)) throws {
        let admin = try ScriptedAdmin([Self.answer(#"{"result":\#(row.body)}"#)])
        defer { admin.close() }
        let words = [row.command, "list", "--subject", "s", "--json", "--admin", admin.origin]
        let run = try ProgramRun(
            ours: "chancery",
            words,
            ["ADMIN_TOKEN": "t"],
            complaints: false
        )
        #expect(run.code == 0 && run.said == row.body + "\n", "\(run.said)")
    }

    @Test("shows what is older than a list began with") func older() throws {
        let body = #"{"result":{"versions":[{"version":2},{"version":1}],"next":null}}"#
        let admin = try ScriptedAdmin([Self.answer(body)])
        defer { admin.close() }
        let (said, code) = try Self.run(["config", "history", "--before", "3"], admin)
        #expect(code == 0, "\(said)")
        #expect(admin.asked == ["GET /admin/v1/project/history?before=3"])
        let (refused, end) = try Self.run(["config", "show", "--before", "3"], admin)
        #expect(end == 64 && refused.contains("--before goes with history"), "\(refused)")
    }

    @Test("lists the projects there are, with what becomes of each") func projects() throws {
        let body = #"""
            {"projects":[
              {"id":"bank","name":"Bank","issuer":"https://a.example","suspended":false,
               "served":true},
              {"id":"shop","name":"S","issuer":"https://b.example","suspended":true,"served":true},
              {"id":"old","served":false}]}
            """#
        let admin = try ScriptedAdmin([Self.answer(#"{"result":\#(body)}"#)])
        defer { admin.close() }
        let (said, code) = try Self.run(["config", "list"], admin)
        #expect(code == 0)
        let rows = said.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(
            rows == [
                ["PROJECT", "STATE", "ISSUER", "NAME"],
                ["bank", "served", "https://a.example", "Bank"],
                ["shop", "suspended", "https://b.example", "S"], ["old", "not", "served"],
            ]
        )
        let (refused, end) = try Self.run(["config", "list", "--project", "bank"], admin)
        #expect(end == 64 && refused.contains("leave --project out"), "\(refused)")
    }

    @Test("says of each key who brought it where it is, and why") func keys() throws {
        let changes = #"""
            [{"status":"staged","operator":"ann","reason":"new"},
             {"status":"current","operator":"eve","reason":"stolen"}]
            """#
        let key = #"{"kid":"k1","algorithm":"ES256","status":"current","changes":\#(changes)}"#
        let admin = try ScriptedAdmin([Self.answer(#"{"result":{"keys":[\#(key)]}}"#)])
        defer { admin.close() }
        let (said, code) = try Self.run(["keys", "list"], admin)
        let words = said.split(separator: "\n").last?.split(separator: " ").map(String.init)
        #expect(code == 0 && words == ["k1", "ES256", "current", "eve", "stolen"], "\(said)")
    }

    @Test("names the document of each version by the beginning of its digest")
    func digests() throws {
        let digest = "0123456789abcdef"
        let version = #"{"version":1,"operator":"eve","reason":"new","digest":"\#(digest)"}"#
        let admin = try ScriptedAdmin([Self.answer(#"{"result":{"versions":[\#(version)]}}"#)])
        defer { admin.close() }
        let (said, code) = try Self.run(["config", "history"], admin)
        #expect(code == 0 && said.contains("  0123456789ab  eve: new\n"), "\(said)")
    }
}
