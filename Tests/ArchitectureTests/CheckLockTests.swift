import Foundation
import Glibc
import TestSupport
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
        let isFree = flock(file.fileDescriptor, LOCK_EX | LOCK_NB) == 0
        let isOfDeployTest = ProcessInfo.processInfo.environment["DEPLOY_TEST_LOCKED"] != nil
        #expect(isFree != isOfDeployTest, "whoever runs this test holds the lock while it does")
        let script = SourceTree.root.appending(path: "deploy/test")
        let second = try ProgramRun(script, ["format"])
        #expect(second.code == 75, "\(second.said)")
        #expect(second.said.contains("runs in this checkout already"), "\(second.said)")
        let help = try ProgramRun(script, ["--help"])
        #expect(help.code == 0 && help.said.contains("deploy/test --quick"), "\(help.said)")
    }
}
