import Foundation
import Runtime
import Testing

@Suite("Files") struct FileTests {
    private func withDirectory(_ body: (String) throws -> Void) throws {
        let path = NSTemporaryDirectory() + "files-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path)
    }

    private func failure(_ body: () throws(FileReading.Failure) -> Void) -> FileReading.Failure? {
        do throws(FileReading.Failure) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    @Test("a lock is held once, tells by whom, and ends with its holder") func lock() throws {
        try withDirectory { directory in
            let path = directory + "/lock"
            var held = try FileLock(path, note: "a long note")
            #expect(held != nil)
            held = nil
            held = try FileLock(path, note: "12")
            #expect(held != nil)
            #expect(try FileLock(path, note: "13") == nil)
            #expect(try FileReading.bytes(at: path, bytesMax: 99) == Array("12".utf8))
            withExtendedLifetime(held) {}
            #expect(throws: SystemError.self) { try FileLock(directory, note: "") }
        }
    }

    @Test("the end of a file is read, however long it is", arguments: [0, 1, 3, 4, 100_000])
    func end(_ count: Int) throws {
        try withDirectory { directory in
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
            try FileWriting.replace(directory + "/a", with: bytes)
            #expect(try FileReading.end(of: directory + "/a", bytesMax: 3) == bytes.suffix(3))
        }
    }

    @Test("what is written is read, whole, for its owner alone") func roundTrip() throws {
        try withDirectory { directory in
            let path = directory + "/a"
            try FileWriting.replace(path, with: [1, 2, 3])
            try FileWriting.replace(path, with: Array(repeating: 7, count: 100_000))
            #expect(try FileReading.bytes(at: path, bytesMax: 100_000).count == 100_000)
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
            #expect(mode as? Int == 0o600)
            #expect(try FileReading.names(inDirectory: directory) == ["a"])
        }
    }

    @Test(
        "a password ends before the newline that an editor left",
        arguments: [("word\n", "word"), ("word", "word"), ("a\n\n", "a\n"), ("\n", "")]
    )
    func password(_ content: String, _ password: String) throws {
        try withDirectory { directory in
            let path = directory + "/password"
            try FileWriting.replace(path, with: Array(content.utf8))
            let read = try FileReading.password(at: path, bytesMax: 9)
            let bytes = read.withBytes { span in span.indices.map { span[$0] } }
            #expect(bytes == Array(password.utf8))
        }
    }

    @Test(
        "a refusal is told in words",
        arguments: [
            (.notRegular, "it is no regular file"), (.tooLarge(bytesMax: 9), "longer than 9 bytes"),
            (.missing, "no such file"), (.system(SystemError(call: "open", number: 5)), "open: "),
        ] as [(FileReading.Failure, String)]
    )
    func words(_ failure: FileReading.Failure, _ words: String) {
        #expect("\(failure)".contains(words))
    }

    @Test("refusals") func refusals() throws {
        try withDirectory { directory in
            let path = directory + "/a"
            try FileWriting.replace(path, with: [1, 2, 3])
            unsafe symlink(path, directory + "/link")
            #expect(
                failure { () throws(FileReading.Failure) in
                    _ = try FileReading.bytes(at: path, bytesMax: 2)
                } == .tooLarge(bytesMax: 2)
            )
            #expect(
                failure { () throws(FileReading.Failure) in
                    _ = try FileReading.bytes(at: directory + "/none", bytesMax: 2)
                } == .missing
            )
            #expect(
                failure { () throws(FileReading.Failure) in
                    _ = try FileReading.bytes(at: directory, bytesMax: 2)
                } == .notRegular
            )
            #expect(
                failure { () throws(FileReading.Failure) in
                    _ = try FileReading.secret(at: directory + "/link", bytesMax: 9)
                } == .symbolicLink
            )
            #expect(try FileReading.secret(at: path, bytesMax: 9).count == 3)
            unsafe chmod(path, 0o640)
            #expect(
                failure { () throws(FileReading.Failure) in
                    _ = try FileReading.secret(at: path, bytesMax: 9)
                } == .wrongMode
            )
        }
    }
}
