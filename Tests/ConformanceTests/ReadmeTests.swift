import Foundation
import TestSupport
import Testing

/// The README's first sign-in, as a newcomer pastes it.
@Suite("The README", .timeLimit(.minutes(2))) struct ReadmeTests {
    private static let file = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "README.md")

    @Test("its curl walk signs in, refreshes, revokes and reads the feed") func walk() throws {
        let stack = try RunningStack.running()
        let text = try String(contentsOf: Self.file, encoding: .utf8)
        let walk = try #require(Self.block(in: text))
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "chancery-readme-\(UUID().uuidString.prefix(8).lowercased())")
        let facts = folder.appending(path: ".chancery")
        try FileManager.default.createDirectory(at: facts, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var lines = stack.facts.filter { walk.contains("$\($0.key)") }.map { "\($0)='\($1)'" }
        lines.append("ISSUER='\(stack.issuer)'")
        try lines.joined(separator: "\n").write(
            to: facts.appending(path: "dev.env"),
            atomically: false,
            encoding: .utf8
        )
        // Beside many other tests a node may be busy for a moment, and says so.
        try "retry = 5\n".write(
            to: folder.appending(path: ".curlrc"),
            atomically: false,
            encoding: .utf8
        )
        // A newcomer's shell goes on after a mistake; here the first one ends it.
        let (output, complaints, status) = try Self.run("set -e\n" + walk, in: folder)
        #expect(
            status == 0 && Self.isSilent(complaints),
            "\(complaints)\(Self.answers(below: folder))"
        )
        let said = output.split(separator: "\n").map(String.init).suffix(6)
        try #require(said.count == 6, "\(output)")
        let last = Array(said)
        #expect(last[0].contains(#""email":"ann-"#), "userinfo: \(last[0])")
        #expect(last[1].hasPrefix("rt_") && last[1] == last[2], "two refreshes: \(last[1...2])")
        #expect(last[3].contains(#""active":true"#), "introspection: \(last[3])")
        #expect(last[4] == #"{"active":false}"#, "after the end: \(last[4])")
        let feed = try JSONSerialization.jsonObject(with: Data(last[5].utf8)) as? [String: Any]
        #expect(feed?["items"] is [Any], "the feed: \(last[5])")
    }

    @Test("a walk is the first block of bash, without its fences") func reading() {
        let text = "a\n```\nno\n```\n```bash\none\ntwo\n```\n```bash\nthree\n```\n"
        #expect(Self.block(in: text) == "one\ntwo\n")
        #expect(Self.block(in: "```\nno\n```\n") == nil)
    }

    /// What curl says of a busy node is no complaint.
    private static func isSilent(_ complaints: String) -> Bool {
        complaints.split(separator: "\n").allSatisfy { $0.hasPrefix("Warning: Problem") }
    }

    /// The answers that the walk kept.
    private static func answers(below folder: URL) -> String {
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        let answers = (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "json" }
        return answers.map { file in
            "\n\(file.lastPathComponent): \((try? String(contentsOf: file, encoding: .utf8)) ?? "")"
        }.joined()
    }

    private static func block(in text: String) -> String? {
        guard let start = text.range(of: "\n```bash\n"),
            let end = text.range(of: "\n```\n", range: start.upperBound..<text.endIndex)
        else { return nil }
        return String(text[start.upperBound..<end.lowerBound]) + "\n"
    }

    private static func run(_ script: String, in folder: URL) throws
        -> (output: String, complaints: String, status: Int32)
    {
        let process = Process()
        // It waits for a mail: for ever, where the walk asked for none.
        process.executableURL = URL(filePath: "/usr/bin/timeout")
        process.arguments = ["60", "/bin/bash", "-c", script]
        process.currentDirectoryURL = folder
        // Its work folder is below ours, and goes with it.
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["TMPDIR": folder.path, "CURL_HOME": folder.path, "no_proxy": "*"]
        ) { $1 }
        let output = folder.appending(path: "output")
        let complaints = folder.appending(path: "complaints")
        for file in [output, complaints] {
            _ = FileManager.default.createFile(atPath: file.path, contents: nil)
        }
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: complaints)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return (
            try String(contentsOf: output, encoding: .utf8),
            try String(contentsOf: complaints, encoding: .utf8), process.terminationStatus
        )
    }
}
