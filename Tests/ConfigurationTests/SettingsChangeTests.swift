import Assembly
import Configuration
import Testing

/// What SIGHUP says of settings that changed.
@Suite("A change of the settings") struct SettingsChangeTests {
    private static func settings(_ lines: String) throws -> TokenIssuerSettings {
        let text = """
            listen: {public: ["127.0.0.1:8080"]}
            keys: {directory: d, kek_file: k}
            mail: {relay: "127.0.0.1:25", sender: a@example.com, plain: true}
            \(lines)
            """
        let environment = ["CHANCERY__KAFKA__BOOTSTRAP": "127.0.0.1:9092"]
        let document = try SettingsDocument(Array(text.utf8), environment: environment)
        return try TokenIssuerSettings(document)
    }

    struct Row: Sendable {
        var name: String
        var started: String
        var last: String
        var new: String
        var used: [String] = []
        var waiting: [String] = []
    }
    static let rows = [
        Row(name: "nothing changed", started: "", last: "", new: ""),
        Row(
            name: "words stand elsewhere, between others",
            started: "log: {level: info}",
            last: "log: {level: info}",
            new: "\n# Quieter one day.\nlog:\n  level: \"info\""
        ),
        Row(
            name: "what may change is in use, what may not waits",
            started: "log: {level: info}",
            last: "log: {level: info}",
            new: "log: {level: debug}\nnode: {name: a, shutdown_notice_seconds: 2}",
            used: ["log.level"],
            waiting: ["node.name", "node.shutdown_notice_seconds"]
        ),
        Row(
            name: "what may change is compared with the last reading, what may not with the start",
            started: "",
            last: "rate_limits: {per_minute: {failed_request: 2}}\nnode: {name: a}",
            new: "rate_limits: {per_minute: {failed_request: 2}}\nnode: {name: a}",
            waiting: ["node.name"]
        ),
        Row(
            name: "what is taken back is in use, or waits for nothing",
            started: "node: {name: a}",
            last: "log: {level: debug}\nnode: {name: b}",
            new: "node: {name: a}",
            used: ["log.level"]
        ),
        Row(
            name: "a list is one setting",
            started: "admin: {listen: \"127.0.0.1:1\"}",
            last: "admin: {listen: \"127.0.0.1:1\"}",
            new: "admin: {listen: \"127.0.0.1:1\", operators: [{name: ann, role: read, "
                + "token_sha256: \(String(repeating: "ab", count: 32))}]}",
            used: ["admin.operators"]
        ),
    ]
    @Test("is told by the settings' names", arguments: rows) func told(_ row: Row) throws {
        let change = SettingsChange(
            try Self.settings(row.new),
            last: try Self.settings(row.last),
            started: try Self.settings(row.started)
        )
        #expect(change.used == row.used, "\(row.name)")
        #expect(change.waiting == row.waiting, "\(row.name)")
    }
}
