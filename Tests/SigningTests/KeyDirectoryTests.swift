import Foundation
import Runtime
import Signing
import Testing

/// Who may write in a key directory.
@Suite("A key directory") struct KeyDirectoryTests {
    /// A mode, and whether somebody else may write by it.
    static let modes: [(mode: UInt32, isOpen: Bool)] = [
        (0o700, false), (0o500, false), (0o755, false), (0o770, true), (0o702, true),
        (0o1777, true),
    ]

    @Test("that others may write is refused, and it is said what to do", arguments: modes)
    func open(_ row: (mode: UInt32, isOpen: Bool)) throws {
        let scratch = try ScratchKeys()
        let path = "\(scratch.root)/keys"
        let manager = FileManager.default
        try manager.setAttributes([.posixPermissions: Int(row.mode)], ofItemAtPath: path)
        defer { try? manager.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path) }
        let refused = KeyFileError.exposed(directory: path, .others(mode: row.mode))
        let opens: [() throws(KeyFileError) -> Void] = [
            { () throws(KeyFileError) in
                _ = try KeyDirectory(at: path, unlockedBy: scratch.source)
            },
            { () throws(KeyFileError) in
                _ = try KeyDirectory.make(at: path, unlockedBy: scratch.source)
            },
            { () throws(KeyFileError) in
                _ = try KeyDirectory.check(at: path, unlockedBy: scratch.source)
            },
        ]
        for open in opens {
            var found: KeyFileError?
            do throws(KeyFileError) { try open() } catch { found = error }
            #expect(found == (row.isOpen ? refused : nil))
        }
        let said = "\(path) may be written by others (mode 770): chmod go-w \(path)"
        #expect((refused.description == said) == (row.mode == 0o770))
    }

    @Test("that is empty and another user's gets no keys", .enabled(if: geteuid() == 0))
    func foreign() throws {
        let scratch = try ScratchKeys()
        let path = "\(scratch.root)/other"
        try FileWriting.makeDirectory(path)
        let number = NSNumber(value: 4711)
        try FileManager.default.setAttributes(
            [.ownerAccountID: number, .groupOwnerAccountID: number],
            ofItemAtPath: path
        )
        #expect(throws: KeyFileError.exposed(directory: path, .owner(4711))) {
            try KeyDirectory.make(at: path, unlockedBy: scratch.source)
        }
        #expect(try FileReading.names(inDirectory: path).isEmpty)
    }
}
