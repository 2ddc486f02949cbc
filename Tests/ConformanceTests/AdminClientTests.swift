import Foundation
import Runtime
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
        #expect(code == 1, "\(said)")
        #expect(said.contains("then try again"), "\(said)")
        #expect(admin.asked.count == (isTold ? 6 : 1))
    }

    @Test("names the project that --project names, else the one of the file")
    func project() throws {
        let file = FileManager.default.temporaryDirectory
            .appending(path: "chancery-project-\(UUID().uuidString.prefix(8).lowercased()).yaml")
        try Data("id: store\nname: Store\n".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let path = "/admin/v1/project"
        let apply = ["config", "apply", file.path, "--reason", "new"]
        let rows: [(words: [String], asked: [String], code: Int32)] = [
            (["config", "show"], ["GET \(path)"], 0),
            (["config", "show", "--project", "shop"], ["GET \(path)?project=shop"], 0),
            (["keys", "list", "--project", "shop"], ["GET /admin/v1/keys?project=shop"], 1),
            (["config", "diff", file.path], ["GET \(path)?project=store"], 1),
            (["config", "diff", file.path, "--project", "shop"], [], 64),
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

    private static func answer(_ body: String) -> String {
        "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// What the program says, and what it returns.
    private static func run(_ words: [String], _ admin: ScriptedAdmin) throws
        -> (said: String, code: Int32)
    {
        let words = words + ["--admin", admin.origin]
        let run = try ProgramRun(ours: "chancery", words, ["ADMIN_TOKEN": "t"])
        return (run.said, run.code)
    }
}

/// An admin listener that says what it is told to, to one request a connection.
private final class ScriptedAdmin: Sendable {
    let origin: String
    private let listener: Int32
    private let requests = Guarded<[String]>([])
    private let isOver = Guarded(false)

    /// `answers` come one after another, the last of them again and again.
    init(_ answers: [String]) throws {
        listener = try Sockets.listen(at: .loopback(port: 0))
        origin = "http://\(Sockets.localAddress(of: listener))"
        Thread.detachNewThread { [self] in serve(answers) }
    }

    /// The method and target of each request, in their order.
    var asked: [String] { requests.current }

    func close() { isOver.replace(with: true) }

    private func serve(_ answers: [String]) {
        var left = answers
        while !isOver.current {
            guard case .connection(let connection, from: _) = Sockets.accept(listener) else {
                Thread.sleep(forTimeInterval: 0.005)
                continue
            }
            let line = request(of: connection).prefix { $0 != "\r\n" }
            let words = line.split(separator: " ").prefix(2)
            requests.withLock { $0.append(words.joined(separator: " ")) }
            _ = Sockets.write(connection, Array((left.first ?? "").utf8))
            if left.count > 1 { left.removeFirst() }
            Sockets.close(connection)
        }
        Sockets.close(listener)
    }

    /// A whole one: what is not read would cost the answer.
    private func request(of connection: Int32) -> String {
        var bytes: [UInt8] = []
        while !isOver.current {
            let text = String(decoding: bytes, as: UTF8.self)
            let length = text.firstMatch(of: /Content-Length: (\d+)/).flatMap { Int($0.1) } ?? 0
            let parts = text.components(separatedBy: "\r\n\r\n")
            if parts.count > 1, parts[1].utf8.count >= length { return text }
            if case .ended = Sockets.read(connection, appendingTo: &bytes, atMost: 4096) { break }
            Thread.sleep(forTimeInterval: 0.001)
        }
        return ""
    }
}
