import Foundation
import TestSupport
import Testing

/// What `chancery` makes of output that nobody gets.
@Suite("An operator's output", .timeLimit(.minutes(2))) struct LostOutputTests {
    @Test(
        "is missed where the disk is full, so that a script does not go on",
        arguments: [["--help"], ["--version"]]
    )
    func full(_ words: [String]) throws {
        let full = try FileHandle(forWritingTo: URL(filePath: "/dev/full"))
        defer { try? full.close() }
        let (complaint, code) = try Self.run(words, to: full)
        #expect(code == 1, "\(complaint)")
        let line = "chancery: standard output could not be written: write: No space left on device"
        #expect(complaint == line + "\n")
    }

    @Test("is missed of a command that did its work, too") func command() throws {
        let file = try AdminClientTests.file(
            """
            id: shop
            name: Shop
            http: {public_origin: "https://auth.example.com", hosts: [auth.example.com]}
            oauth: {clients: []}
            """
        )
        defer { try? FileManager.default.removeItem(at: file) }
        let words = ["config", "validate", file.path]
        let valid = try ProgramRun(ours: "chancery", words)
        #expect(valid.code == 0, "\(valid.said)")
        let full = try FileHandle(forWritingTo: URL(filePath: "/dev/full"))
        defer { try? full.close() }
        #expect(try Self.run(words, to: full).code == 1)
    }

    @Test("is missed of a comparison, whose 1 is an answer") func compared() throws {
        let file = try AdminClientTests.file("id: store\n")
        defer { try? FileManager.default.removeItem(at: file) }
        let admin = try ScriptedAdmin([AdminClientTests.answer("id: other\n")])
        defer { admin.close() }
        let full = try FileHandle(forWritingTo: URL(filePath: "/dev/full"))
        defer { try? full.close() }
        let words = ["config", "diff", file.path, "--admin", admin.origin]
        #expect(try Self.run(words, to: full, ["ADMIN_TOKEN": "t"]).code == 2)
    }

    @Test("is missed of the doctor, whose 1 is an answer, too") func doctor() throws {
        let folder = IssuerProcess.folder(of: try RunningStack.running())
        let full = try FileHandle(forWritingTo: URL(filePath: "/dev/full"))
        defer { try? full.close() }
        let words = ["doctor", "--config", "\(folder)/config/operator.yaml"]
        let (complaint, code) = try Self.run(words, to: full)
        #expect(code == 2 && complaint.contains("standard output"), "\(complaint)")
    }

    @Test("is missed by nobody where its reader has read enough") func closed() throws {
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        let (complaint, code) = try Self.run(["--help"], to: pipe.fileHandleForWriting)
        #expect(code == 0 && complaint.isEmpty, "\(complaint)")
    }

    /// What it says on standard error, and what it returns.
    private static func run(
        _ words: [String],
        to output: FileHandle,
        _ changes: [String: String] = [:]
    ) throws -> (complaint: String, code: Int32) {
        let process = Process()
        process.executableURL = ProgramRun.ours("chancery")
        process.arguments = words
        process.environment = ProcessInfo.processInfo.environment.merging(changes) { $1 }
        process.standardOutput = output
        let complaints = Pipe()
        process.standardError = complaints
        try process.run()
        let bytes = try complaints.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (String(decoding: bytes, as: UTF8.self), process.terminationStatus)
    }
}
