import TestSupport
import Testing

@Suite("Numbers on a command line", .timeLimit(.minutes(2))) struct CommandNumberTests {
    /// Behind each number of dev-broker's is a word that ends it, were the number taken.
    static let rows: [(program: String, words: [String], line: String)] = [
        ("dev-broker", ["--port", "+9092", "--end"], "+9092 is not a port"),
        ("dev-broker", ["--topic", "a:+3", "--end"], "a:+3 is not NAME:PARTITIONS"),
        (
            "chancery", ["keys", "list", "--admin", "http://localhost:+1"],
            "http://localhost:+1 is not http:// on this machine"
        ),
    ]

    @Test("are digits and nothing else", arguments: rows)
    func digits(_ row: (program: String, words: [String], line: String)) throws {
        let run = try ProgramRun(ours: row.program, row.words, ["ADMIN_TOKEN": "t"])
        #expect(run.code == 64 && run.said.contains(row.line), "\(run.said)")
    }
}
