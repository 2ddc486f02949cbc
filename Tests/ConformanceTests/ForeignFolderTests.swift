import Foundation
import TestSupport
import Testing

/// What `chancery` finds in the folder that it is called in, and nobody named.
@Suite("A folder that somebody else may write in", .timeLimit(.minutes(2)))
struct ForeignFolderTests {
    /// What is changed of a folder that is ours alone; nil: nothing.
    struct Row {
        var path: String?
        var mode: Int?
        /// The number of another user, which root alone can give.
        var owner: Int?
        /// It is a link to what was there, which is ours as before.
        var isLink = false
        var said: String?
    }

    private static func rows(_ name: String) -> [Row] {
        let owned = Row(
            path: ".chancery",
            owner: 4711,
            said: ".chancery belongs to user 4711"
        )
        return [
            Row(),
            Row(
                path: ".chancery",
                mode: 0o770,
                said: ".chancery may be written by others (mode 770)"
            ),
            Row(
                path: ".chancery/\(name)",
                mode: 0o602,
                said: ".chancery/\(name) may be written by others (mode 602)"
            ),
            Row(path: ".chancery", isLink: true, said: ".chancery is a symbolic link"),
            Row(
                path: ".chancery/\(name)",
                isLink: true,
                said: ".chancery/\(name) is a symbolic link"
            ),
        ] + (geteuid() == 0 ? [owned] : [])
    }

    /// A folder with a file of ours below `.chancery`, as the row has it.
    private static func folder(_ name: String, _ text: String, _ row: Row) throws -> URL {
        let manager = FileManager.default
        let folder = manager.temporaryDirectory
            .appending(path: "chancery-foreign-\(UUID().uuidString.prefix(8).lowercased())")
        let file = folder.appending(path: ".chancery/\(name)")
        let parent = file.deletingLastPathComponent()
        try manager.createDirectory(at: parent, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
        for made in [folder.appending(path: ".chancery"), parent, file] {
            try manager.setAttributes([.posixPermissions: 0o700], ofItemAtPath: made.path)
        }
        guard let path = row.path.map({ folder.appending(path: $0).path }) else { return folder }
        if row.isLink {
            let place = folder.appending(path: "elsewhere").path
            try manager.moveItem(atPath: path, toPath: place)
            try manager.createSymbolicLink(atPath: path, withDestinationPath: place)
        }
        if let mode = row.mode {
            try manager.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }
        if let owner = row.owner.map({ NSNumber(value: $0) }) {
            try manager.setAttributes(
                [.ownerAccountID: owner, .groupOwnerAccountID: owner],
                ofItemAtPath: path
            )
        }
        return folder
    }

    /// A file that a command looks for, and the command.
    static let files: [(name: String, words: [String])] = [
        ("config/operator.yaml", ["migrate", "--dry-run"]),
        ("config/token-issuer.yaml", ["root-secret", "show"]),
    ]

    @Test("names no settings file to a command that was told none", arguments: files)
    func settings(_ file: (name: String, words: [String])) throws {
        for row in Self.rows(file.name) {
            let folder = try Self.folder(file.name, "new: 1\n", row)
            defer { try? FileManager.default.removeItem(at: folder) }
            let run = try ProgramRun(ours: "chancery", file.words, in: folder)
            #expect(run.code == 78, "\(run.said)")
            let said = row.said.map { ".chancery/\(file.name) is not taken unasked: \($0)" }
            #expect(said.map { run.said.contains($0) } ?? true, "\(run.said)")
            #expect(run.said.contains("new: unknown key") == (said == nil), "\(run.said)")
            let named = file.words + ["--config", ".chancery/\(file.name)"]
            let asked = try ProgramRun(ours: "chancery", named, in: folder)
            #expect(asked.said.contains("new: unknown key"), "\(asked.said)")
        }
    }

    @Test("names no listener and no token") func listener() throws {
        for row in Self.rows("dev.env") {
            let list = AdminClientTests.answer(#"{"result":{"keys":[]}}"#)
            let admin = try ScriptedAdmin([list])
            defer { admin.close() }
            let facts = "ADMIN_URL='\(admin.origin)'\nADMIN_TOKEN='dev'\n"
            let folder = try Self.folder("dev.env", facts, row)
            defer { try? FileManager.default.removeItem(at: folder) }
            let run = try ProgramRun(ours: "chancery", ["keys", "list"], in: folder)
            #expect(run.code == (row.said == nil ? 0 : 64), "\(run.said)")
            let said = row.said.map { ".chancery/dev.env is not taken: \($0)" }
            #expect(said.map { run.said.contains($0) } ?? true, "\(run.said)")
            #expect(admin.tokens == (row.said == nil ? ["Bearer dev"] : []))
        }
    }
}
