import Foundation
import TestSupport
import Testing

/// How `chancery` talks to an admin listener.
@Suite("An operator's client", .timeLimit(.minutes(2))) struct AdminClientTests {
    private static let full = "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\n\r\n"

    @Test("waits where the admin API lets no more in, and sends again what was not let in")
    func waits() throws {
        let admin = try ScriptedAdmin([Self.full, Self.answer(#"{"result":{"keys":[]}}"#)])
        defer { admin.close() }
        let (said, code) = try Self.run(["keys", "list"], admin)
        #expect(code == 0, "\(said)")
        #expect(said.contains("lets no more in now: 1 s"), "\(said)")
        #expect(admin.asked == ["GET /admin/v1/keys", "GET /admin/v1/keys"])
    }

    @Test("does not wait for ever, nor where it is not told how long", arguments: [true, false])
    func givesUp(_ isTold: Bool) throws {
        let answer = isTold ? Self.full : "HTTP/1.1 429 Too Many Requests\r\n\r\n"
        let admin = try ScriptedAdmin([answer])
        defer { admin.close() }
        let (said, code) = try Self.run(["keys", "list"], admin)
        #expect(code == 75, "\(said)")
        #expect(said.contains("then try again"), "\(said)")
        #expect(admin.asked.count == (isTold ? 6 : 1))
    }

    @Test("names the project that --project names, else the one of the file")
    func project() throws {
        let file = try Self.file("id: store\nname: Store\n")
        defer { try? FileManager.default.removeItem(at: file) }
        let path = "/admin/v1/project"
        let apply = ["config", "apply", file.path, "--reason", "new"]
        let rows: [(words: [String], asked: [String], code: Int32)] = [
            (["config", "show"], ["GET \(path)"], 0),
            (["config", "show", "--project", "shop"], ["GET \(path)?project=shop"], 0),
            (["keys", "list", "--project", "shop"], ["GET /admin/v1/keys?project=shop"], 1),
            (["config", "diff", file.path], ["GET \(path)?project=store"], 1),
            (["config", "diff", file.path, "--project", "shop"], [], 64),
            (["config", "validate", file.path, "--project", "shop"], [], 64),
            (["config", "validate", file.path, "--project", "store"], [], 78),
            (
                apply,
                ["GET \(path)?project=store", "PUT \(path)?project=store&reason=new"], 0
            ),
            (apply + ["--project", "shop"], [], 64),
        ]
        for (words, asked, code) in rows {
            let admin = try ScriptedAdmin([Self.answer("id: other\n")])
            defer { admin.close() }
            let (said, end) = try Self.run(words, admin)
            #expect(admin.asked == asked, "\(words)")
            #expect(end == code, "\(words): \(said)")
        }
    }

    @Test("a key whose name looks like an option can be named, and it says how")
    func dashed() throws {
        let admin = try ScriptedAdmin([Self.answer(#"{"result":{}}"#)])
        defer { admin.close() }
        let promote = ["keys", "promote", "--reason", "stolen"]
        let (said, code) = try Self.run(promote + ["-Ab", "--emergency"], admin)
        #expect(code == 64 && said.contains("if it is -Ab, write it last, as: -- -Ab"), "\(said)")
        #expect(admin.asked.isEmpty)
        let (more, end) = try Self.run(promote, admin, behind: ["--", "-Ab"])
        #expect(end == 0 && more.contains("Done: promote -Ab."), "\(more)")
        #expect(admin.asked == ["POST /admin/v1/keys/promote"])
    }

    /// Of two documents that differ in bytes, what is said.
    static let differing: [(force: String, file: String, said: String)] = [
        (
            "id: store\r\nname: A\r\n", "id: store\r\nname: B\r\n",
            "- name: A\u{240D}\n+ name: B\u{240D}\n"
        ), ("id: store\nname: A\n", "id: store\nname: A\r\n", "- name: A\n+ name: A\u{240D}\n"),
        (
            "id: store\nname: \u{e9}\n", "id: store\nname: e\u{301}\n",
            "- name: \u{e9}\n+ name: e\u{301}\n"
        ),
    ]

    @Test("shows each line whose bytes differ, and no other", arguments: differing)
    func lines(_ row: (force: String, file: String, said: String)) throws {
        let file = try Self.file(row.file)
        defer { try? FileManager.default.removeItem(at: file) }
        let admin = try ScriptedAdmin([Self.answer(row.force)])
        defer { admin.close() }
        let (said, code) = try Self.run(["config", "diff", file.path], admin)
        #expect(code == 1, "\(said)")
        #expect(Array(said.utf8).starts(with: Array(row.said.utf8)), "\(said)")
    }

    @Test("a document without an id, and a listener elsewhere, are refused before anybody is asked")
    func refusedHere() throws {
        let admin = try ScriptedAdmin([Self.answer("id: store\n")])
        defer { admin.close() }
        let file = try Self.file("name: Store\n")
        defer { try? FileManager.default.removeItem(at: file) }
        let (said, code) = try Self.run(["config", "diff", file.path], admin)
        #expect(code == 78 && said.contains("the document has no id"), "\(said)")
        #expect(admin.asked.isEmpty)
        let words = ["keys", "list", "--admin", "https://auth.example.com"]
        let run = try ProgramRun(ours: "chancery", words, ["ADMIN_TOKEN": "t"])
        #expect(run.code == 64 && run.said.contains("curl"), "\(run.said)")
    }

    /// A document with a mistake, or one that only a server refuses, and what is said of it.
    static let refused: [(more: String, line: String)] = [
        ("new: 1", ":4: new: unknown key"), ("# right", "  oauth.clients: RS256 has no key"),
    ]

    @Test("a document that is refused ends as its validation does: 78", arguments: refused)
    func refusal(_ row: (more: String, line: String)) throws {
        let file = try Self.file("\(Self.document)\(row.more)\n")
        defer { try? FileManager.default.removeItem(at: file) }
        let cause = #"{"location":"oauth.clients","details":{"msg":"RS256 has no key"}}"#
        let info = #""info":{"causes":[\#(cause)]}"#
        let body = #"{"error":{"reason":"ValidationFailed","message":"invalid",\#(info)}}"#
        let head = "HTTP/1.1 400 Bad Request\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        let admin = try ScriptedAdmin([Self.answer(Self.document), head + body])
        defer { admin.close() }
        let words = ["config", "apply", file.path, "--reason", "new"]
        let (said, code) = try Self.run(words, admin)
        #expect(code == 78, "\(said)")
        #expect(said.contains(row.line), "\(said)")
    }

    @Test("says what an applied document sets that is not in force yet") func warnings() throws {
        let later = "ssf: {enabled: true, signing_algorithm: ES256, push_hosts: [r.example.com]}\n"
        let file = try Self.file(Self.document + later)
        defer { try? FileManager.default.removeItem(at: file) }
        let admin = try ScriptedAdmin([Self.answer(Self.document)])
        defer { admin.close() }
        let words = ["config", "apply", file.path, "--reason", "new"]
        let (said, code) = try Self.run(words, admin)
        #expect(code == 0 && said.contains("Applied to store."), "\(said)")
        #expect(said.contains("warning: ssf.enabled: is checked, but not in force"), "\(said)")
    }

    @Test("takes an address without an admin API for no missing project") func nowhere() throws {
        for words in [["config", "show"], ["keys", "list"]] {
            let admin = try ScriptedAdmin(["HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"])
            defer { admin.close() }
            let (said, code) = try Self.run(words, admin)
            #expect(code == 1, "\(said)")
            #expect(said.contains("there is no admin API at this address"), "\(said)")
            #expect(said.contains("--admin URL"), "\(said)")
        }
    }

    @Test(
        "ends by whether trying again helps, and names the request that failed",
        arguments: [
            (503, "ST-001", "try again", 75), (500, "AD-001", "no file can be made", 78),
            (500, "ST-003", "this node cannot write", 1),
        ] as [(Int, String, String, Int32)]
    )
    func failed(_ status: Int, _ refusal: String, _ message: String, _ code: Int32) throws {
        let body = #"{"error":{"message":"\#(message)","refusal":"\#(refusal)"}}"#
        let head = "HTTP/1.1 \(status) No\r\nX-Request-Id: 00ab\r\nContent-Length: "
        let admin = try ScriptedAdmin([head + "\(body.utf8.count)\r\n\r\n\(body)"])
        defer { admin.close() }
        let (said, end) = try Self.run(["keys", "stage", "--reason", "new"], admin)
        #expect(end == code, "\(said)")
        #expect(said.contains("request_id 00ab"), "\(said)")
        #expect(said.contains("try again") == (code == 75), "\(said)")
    }

    @Test("never tells to repeat what may have happened") func mayHaveHappened() throws {
        let body = #"{"error":{"message":"try again","refusal":"ST-002"}}"#
        let head = "HTTP/1.1 503 No\r\nX-Request-Id: 00ab\r\nContent-Length: "
        let admin = try ScriptedAdmin([head + "\(body.utf8.count)\r\n\r\n\(body)"])
        defer { admin.close() }
        let (said, end) = try Self.run(["keys", "stage", "--reason", "new"], admin)
        #expect(end == 1, "\(said)")
        #expect(said.contains("It may have happened: look, then repeat"), "\(said)")
        #expect(said.contains("request_id 00ab") && !said.contains("try again"), "\(said)")
    }

    @Test("tells a change as made, also when what it leaves cannot be looked up")
    func unknownKeys() throws {
        let unavailable = "HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n"
        let admin = try ScriptedAdmin([Self.answer(#"{"result":{}}"#), unavailable])
        defer { admin.close() }
        let (said, end) = try Self.run(["subjects", "disable", "s", "--reason", "new"], admin)
        #expect(end == 0 && said.contains("Done: disable s."), "\(said)")
        #expect(said.contains("Their biometric keys are not known"), "\(said)")
        #expect(admin.asked.last == "GET /admin/v1/subjects/s/biometric_keys")
    }

    @Test("says what a conflict leaves open") func conflict() throws {
        let cause = #"{"location":"/kid","details":{"msg":"may be promoted later"}}"#
        let body = #"{"error":{"message":"too early","info":{"causes":[\#(cause)]}}}"#
        let head = "HTTP/1.1 409 Conflict\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        let admin = try ScriptedAdmin([head + body])
        defer { admin.close() }
        let (said, end) = try Self.run(["keys", "promote", "k", "--reason", "new"], admin)
        #expect(end == 1 && said.contains("/kid: may be promoted later"), "\(said)")
    }

    @Test("says how to name a project where the admin API asks for its name")
    func unnamed() throws {
        let body = #"{"error":{"message":"project is required","refusal":"AD-002"}}"#
        let head = "HTTP/1.1 400 Bad Request\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        let admin = try ScriptedAdmin([head + body])
        defer { admin.close() }
        let (said, end) = try Self.run(["keys", "list"], admin)
        #expect(end == 1 && said.contains("Name it: --project ID."), "\(said)")
    }

    @Test("takes its token from a file that is the operator's alone, and says what to do")
    func tokenFile() throws {
        let file = try Self.file("sesame\n")
        let link = file.appendingPathExtension("link")
        defer { for made in [file, link] { try? FileManager.default.removeItem(at: made) } }
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        let rows: [(mode: Int, path: String, said: String?)] = [
            (0o600, file.path, nil), (0o400, file.path, nil),
            (0o644, file.path, "others may read or write it; chmod 600"),
            (0o600, link.path, "it is a symbolic link; name the file itself"),
            (0o600, "\(file.path).none", "there is no such file"),
        ]
        for (mode, path, said) in rows {
            let rights = [FileAttributeKey.posixPermissions: mode]
            try FileManager.default.setAttributes(rights, ofItemAtPath: file.path)
            for isOption in [true, false] {
                let admin = try ScriptedAdmin([Self.answer(#"{"result":{"keys":[]}}"#)])
                defer { admin.close() }
                let words = ["keys", "list", "--admin", admin.origin]
                // An option counts before the environment, a file before a token.
                let run = try ProgramRun(
                    ours: "chancery",
                    words + (isOption ? ["--token-file", path] : []),
                    ["ADMIN_TOKEN": "t", "ADMIN_TOKEN_FILE": isOption ? "/nowhere" : path]
                )
                #expect(run.code == (said == nil ? 0 : 64), "\(path): \(run.said)")
                #expect(said.map { run.said.contains("\(path): \($0)") } ?? true, "\(run.said)")
                #expect(admin.tokens == (said == nil ? ["Bearer sesame"] : []))
            }
        }
    }

    /// What an operator has named, and the token that the listener of the folder is sent.
    static let named: [(changes: [String: String], tokens: [String], code: Int32)] = [
        ([:], ["Bearer dev"], 0), (["ADMIN_TOKEN": "secret"], [], 64),
        (["ADMIN_URL": "http://127.0.0.1:1"], [], 75),
    ]

    @Test("a listener that a folder names gets the folder's token and no other", arguments: named)
    func folder(_ row: (changes: [String: String], tokens: [String], code: Int32)) throws {
        let admin = try ScriptedAdmin([Self.answer(#"{"result":{"keys":[]}}"#)])
        defer { admin.close() }
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "chancery-folder-\(UUID().uuidString.prefix(8).lowercased())")
        let facts = folder.appending(path: ".chancery")
        let own: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        try FileManager.default.createDirectory(
            at: facts,
            withIntermediateDirectories: true,
            attributes: own
        )
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = facts.appending(path: "dev.env")
        try Data("ADMIN_URL='\(admin.origin)'\nADMIN_TOKEN='dev'\n".utf8).write(to: file)
        try FileManager.default.setAttributes(own, ofItemAtPath: file.path)
        let run = try ProgramRun(ours: "chancery", ["keys", "list"], row.changes, in: folder)
        #expect(run.code == row.code, "\(run.said)")
        #expect(admin.tokens == row.tokens, "\(run.said)")
    }

    private static let document =
        "id: store\nname: Store\nhttp: {public_origin: \"https://store.example\"}\n"

    /// A new one.
    static func file(_ text: String) throws -> URL {
        let file = FileManager.default.temporaryDirectory
            .appending(path: "chancery-project-\(UUID().uuidString.prefix(8).lowercased()).yaml")
        try Data(text.utf8).write(to: file)
        return file
    }

    static func answer(_ body: String, tag: String = "1") -> String {
        let head = "HTTP/1.1 200 OK\r\nETag: \"\(tag)\"\r\n"
        return "\(head)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// What the program says, and what it returns.
    static func run(
        _ words: [String],
        _ admin: ScriptedAdmin,
        behind last: [String] = []
    ) throws -> (said: String, code: Int32) {
        let words = words + ["--admin", admin.origin] + last
        let run = try ProgramRun(ours: "chancery", words, ["ADMIN_TOKEN": "t"])
        return (run.said, run.code)
    }
}
