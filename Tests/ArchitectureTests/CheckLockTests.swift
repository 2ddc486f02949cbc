import Foundation
import Glibc
import Testing

/// `deploy/test` and its lock.
@Suite("One deploy/test in a checkout") struct CheckLockTests {
    @Test("a second one ends at once and says why, but prints its help")
    func second() throws {
        let lock = SourceTree.root.appending(path: ".build/test.lock")
        if !FileManager.default.fileExists(atPath: lock.path) {
            #expect(FileManager.default.createFile(atPath: lock.path, contents: nil))
        }
        let file = try FileHandle(forWritingTo: lock)
        defer { try? file.close() }
        // Without it whoever started this test holds it.
        _ = flock(file.fileDescriptor, LOCK_EX | LOCK_NB)
        let (said, code) = try Self.run(["format"])
        #expect(code == 75, "\(said)")
        #expect(said.contains("runs in this checkout already"), "\(said)")
        let (help, end) = try Self.run(["--help"])
        #expect(end == 0 && help.contains("deploy/test --quick"), "\(help)")
    }

    private static func run(_ words: [String]) throws -> (said: String, code: Int32) {
        let process = Process()
        process.executableURL = SourceTree.root.appending(path: "deploy/test")
        process.arguments = words
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (String(decoding: bytes, as: UTF8.self), process.terminationStatus)
    }
}
