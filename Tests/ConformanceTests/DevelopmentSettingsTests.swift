import Foundation
import TestSupport
import Testing

/// The operator's commands on the settings of a development stack whose brokers are elsewhere.
@Suite("An operator's settings for development", .timeLimit(.minutes(2)))
struct DevelopmentSettingsTests {
    /// Each ends at once and changes nothing: there is no such role.
    static let commands = [
        ["doctor"], ["migrate", "--dry-run"], ["replay", "revocation"], ["verify"],
    ].map { $0 + ["--user", "nobody-of-this-name"] }

    @Test("are refused, and taken with --insecure-dev", arguments: commands)
    func brokers(_ command: [String]) throws {
        let stack = try RunningStack.running()
        let path = "\(IssuerProcess.folder(of: stack))/config/operator.yaml"
        var text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.contains("bootstrap: \""))
        text.replace("bootstrap: \"", with: "bootstrap: \"kafka.example.com:9092,")
        let file = FileManager.default.temporaryDirectory
            .appending(path: "chancery-operator-\(UUID().uuidString.prefix(8)).yaml")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let words = command + ["--config", file.path]
        let plain = try ProgramRun(ours: "chancery", words)
        #expect(plain.code == 78, "\(plain.said)")
        #expect(plain.said.contains("kafka.tls_authorities_file"), "\(plain.said)")
        let insecure = try ProgramRun(ours: "chancery", words + ["--insecure-dev"])
        // Of these two 1 is an answer, and this is none.
        let isAnswer = ["migrate", "verify"].contains(command.first)
        #expect(insecure.code == (isAnswer ? 2 : 1), "\(insecure.said)")
        #expect(insecure.said.contains("nobody-of-this-name"), "\(insecure.said)")
        // The doctor says what was allowed.
        let isWarned = insecure.said.contains("kafka.tls_authorities_file")
        #expect(isWarned == (command.first == "doctor"), "\(insecure.said)")
    }
}
