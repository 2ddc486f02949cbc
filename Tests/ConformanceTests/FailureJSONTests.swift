import Foundation
import TestSupport
import Testing

/// What a program reads of a command that failed.
@Suite("A failure with --json", .timeLimit(.minutes(2))) struct FailureJSONTests {
    struct Told: Decodable {
        struct Failure: Decodable {
            var message: String
            var remedy: String?
            var exit_status: Int32
            var http_status: Int?
            var reason: String?
        }

        var error: Failure
    }

    /// What is called, what the admin API answers, and the failure: of its kind.
    struct Row: Sendable, CustomTestStringConvertible {
        var words: [String]
        var answer = (status: 200, body: #"{"result":{}}"#)
        var said: String
        var code: Int32
        var http: Int?
        var reason: String?
        var testDescription: String { "\(words)" }
    }

    static let rows = [
        Row(
            words: ["keys", "promote", "k", "--reason", "new"],
            answer: (409, #"{"error":{"reason":"Conflict","message":"too early"}}"#),
            said: "too early",
            code: 1,
            http: 409,
            reason: "Conflict"
        ),
        Row(
            words: ["config", "history"],
            answer: (503, #"{"error":{"reason":"ServiceUnavailable","message":"try again"}}"#),
            said: "try again",
            code: 75,
            http: 503,
            reason: "ServiceUnavailable"
        ),
        Row(words: ["keys", "promote", "k"], said: "--reason is missing", code: 64),
        Row(
            words: ["root-secret", "turn"],
            said: "root-secret does not know turn: say show, stage, promote or retire",
            code: 64
        ),
        Row(
            words: ["root-secret", "show", "--config", "/nowhere.yaml"],
            said: "cannot read /nowhere.yaml",
            code: 78
        ),
        Row(
            words: ["migrate", "--dry-run", "--config", "/nowhere.yaml"],
            said: "cannot read /nowhere.yaml",
            code: 78
        ),
        Row(words: ["config", "diff", "/nowhere.yaml"], said: "/nowhere.yaml", code: 2),
    ]

    @Test("says on standard output what standard error says", arguments: rows)
    func tells(_ row: Row) throws {
        let head = "HTTP/1.1 \(row.answer.status) Some\r\nContent-Length: "
        let answer = "\(head)\(row.answer.body.utf8.count)\r\n\r\n\(row.answer.body)"
        let admin = try ScriptedAdmin([answer])
        defer { admin.close() }
        let changes = ["ADMIN_URL": admin.origin, "ADMIN_TOKEN": "t"]
        let words = row.words + ["--json"]
        let run = try ProgramRun(ours: "chancery", words, changes, complaints: false)
        #expect(run.code == row.code, "\(run.said)")
        let told = try JSONDecoder().decode(Told.self, from: Data(run.said.utf8)).error
        #expect(told.message.contains(row.said), "\(run.said)")
        #expect(told.exit_status == row.code)
        #expect(told.http_status == row.http && told.reason == row.reason, "\(run.said)")
        let whole = try ProgramRun(ours: "chancery", row.words, changes)
        #expect(whole.code == row.code)
        #expect(whole.said.contains(told.message), "\(whole.said)")
        if let remedy = told.remedy { #expect(whole.said.contains(remedy), "\(whole.said)") }
        #expect(!whole.said.contains("exit_status"), "\(whole.said)")
    }
}
