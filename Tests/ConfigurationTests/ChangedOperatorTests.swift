import Assembly
import Configuration
import TestSupport
import Testing

@testable import Runtime

/// What SIGHUP says of operators that changed.
@Suite("A change of the operators") struct ChangedOperatorTests {
    private static func settings(_ operators: String) throws -> TokenIssuerSettings {
        let text = """
            listen: {public: ["127.0.0.1:8080"]}
            keys: {directory: d, kek_file: k}
            mail: {relay: "127.0.0.1:25", sender: a@example.com, plain: true}
            admin: {listen: "127.0.0.1:9080", operators: [\(operators)]}
            """
        let environment = ["CHANCERY__KAFKA__BOOTSTRAP": "127.0.0.1:9092"]
        let document = try SettingsDocument(Array(text.utf8), environment: environment)
        return try TokenIssuerSettings(document)
    }

    private static func entry(_ name: String, _ role: String, _ digit: Character) -> String {
        let digest = String(repeating: digit, count: 64)
        return "{name: \(name), role: \(role), token_sha256: \"\(digest)\"}"
    }

    struct Row: Sendable {
        var name: String
        var former: [String] = []
        var current: [String] = []
        /// Of each line: what it says, of whom, and as what.
        var said: [[String]] = []
    }
    static let rows = [
        Row(
            name: "nothing, in another order",
            former: [entry("ann", "read", "1"), entry("bob", "operate", "2")],
            current: [entry("bob", "operate", "2"), entry("ann", "read", "1")]
        ),
        Row(
            name: "who came and who went",
            former: [entry("bob", "operate", "2"), entry("ann", "read", "1")],
            current: [entry("ann", "read", "1"), entry("eve", "configure", "3")],
            said: [
                ["an operator was taken out", "bob", "operate"],
                ["an operator was added", "eve", "configure"],
            ]
        ),
        Row(
            name: "another role and another token of one who stays",
            former: [entry("ann", "read", "1")],
            current: [entry("ann", "configure", "2")],
            said: [
                ["an operator has another role", "ann", "configure", "read"],
                ["an operator has another token or certificate", "ann", "configure"],
            ]
        ),
        Row(
            name: "a second token",
            former: [entry("ann", "read", "1")],
            current: [entry("ann", "read", "1"), entry("ann", "read", "2")],
            said: [["an operator has another token or certificate", "ann", "read"]]
        ),
    ]

    @Test("names them, with their roles and nothing that proves them", arguments: rows)
    func told(_ row: Row) async throws {
        let said = SaidLog(level: .notice)
        let new = try Self.settings(row.current.joined(separator: ", "))
        let component = Component.settings(
            try Self.settings(row.former.joined(separator: ", ")),
            rereading: { new },
            on: BlockingExecutor(),
            log: said.log
        ) { _ in }
        try await component.reload()
        let lines = said.end().split(separator: "\n").dropFirst()
        try #require(lines.count == row.said.count, "\(row.name): \(lines)")
        for (line, words) in zip(lines, row.said) {
            for word in words { #expect(line.contains("\"\(word)\""), "\(row.name): \(line)") }
            #expect(!line.contains("1111") && !line.contains("2222"), "\(row.name): \(line)")
        }
    }
}
