import Domain
import Foundation
import Issuing
import Runtime
import Signing
import Testing

/// Who may write in a key directory, and what a crash leaves there.
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
        let keys = scratch.source
        try expect(row.isOpen ? refused : nil) { _ = try KeyDirectory(at: path, unlockedBy: keys) }
        try expect(row.isOpen ? refused : nil) {
            _ = try KeyDirectory.make(at: path, unlockedBy: keys)
        }
        try expect(row.isOpen ? refused : nil) {
            _ = try KeyDirectory.check(at: path, unlockedBy: keys)
        }
        let said = "\(path) may be written by others (mode 770): chmod go-w \(path)"
        #expect((refused.description == said) == (row.mode == 0o770))
    }

    private func expect(_ refused: KeyFileError?, _ open: () throws -> Void) throws {
        var found: KeyFileError?
        do { try open() } catch let error as KeyFileError { found = error }
        #expect(found == refused)
    }

    @Test(
        "that is empty and another user's gets no keys",
        .enabled(if: geteuid() == 0, "only root can give a directory away")
    )
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

    /// What of the drafts is looked at: the start, and the next key.
    enum Moment: CaseIterable { case start, key }

    @Test("loses the drafts that a crash has left, and nothing else", arguments: Moment.allCases)
    func drafts(_ moment: Moment) throws {
        let scratch = try ScratchKeys()
        let kid = try scratch.vault().generateNow(.es256).kid
        let path = "\(scratch.root)/keys"
        let left = [
            "\(kid).key.new-3", "root.key.mine-5", "root.key.mine-5.new-9", "root.key.new-17",
            "salt.mine-8",
        ]
        // Of no file of ours, or of no process of ours.
        let kept = ["\(kid).key.old-3", "notes.new-2", "root.key.new-", "tls.key.new-1"]
        let young = "root.key.new-18"
        for name in left + kept + [young] {
            try FileWriting.replace("\(path)/\(name)", with: [1])
            let age: TimeInterval = name == young ? 0 : 3_600
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -age)],
                ofItemAtPath: "\(path)/\(name)"
            )
        }
        switch moment {
        case .start: _ = try KeyDirectory.make(at: path, unlockedBy: scratch.source)
        case .key: _ = try scratch.vault().generateNow(.edDSA)
        }
        let names = try FileReading.names(inDirectory: path)
        #expect(names.filter(left.contains) == [])
        #expect(Set(names).isSuperset(of: kept + [young, "salt", "root.key", "\(kid).key"]))
    }
}
