import Assembly
import Configuration
import Foundation
import Runtime
import Testing

/// The files that settings name (Security 10.3).
@Suite("Files of a start", .serialized) struct StartFilesTests {
    /// A folder with a key encryption key, a password and a broker's key, all right.
    private static func folder() throws -> String {
        let folder = NSTemporaryDirectory() + "start-files-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true
        )
        for name in ["kek", "password", "broker.key", "broker.pem", "ca.pem"] {
            try Data(repeating: 0x41, count: 32).write(to: URL(filePath: "\(folder)/\(name)"))
            try protect("\(folder)/\(name)", 0o600)
        }
        return folder
    }

    private static func protect(_ path: String, _ mode: Int) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    private static func files(
        _ folder: String,
        _ more: String = "",
        keys: String? = nil
    ) throws -> StartFiles {
        let text = """
            listen: {public: ["127.0.0.1:8080"]\(more)}
            database: {host: db.example.com, password_file: \(folder)/password, \
            tls_authorities_file: \(folder)/ca.pem}
            kafka: {bootstrap: "kafka.example.com:9093", tls_authorities_file: \(folder)/ca.pem, \
            tls_certificate_file: \(folder)/broker.pem, tls_key_file: \(folder)/broker.key}
            keys: {directory: \(folder)/keys, \(keys ?? "kek_file: \(folder)/kek")}
            mail: {relay: "127.0.0.1:25", sender: a@example.com, plain: true}
            """
        return try TokenIssuerSettings(try SettingsDocument(Array(text.utf8))).startFiles
    }

    @Test("that are right are passed, and nothing is made") func right() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let files = try Self.files(folder)
        #expect(files.refusals == [])
        #expect(files.lookAtKeys() == .absent)
        #expect(!FileManager.default.fileExists(atPath: "\(folder)/keys"))
    }

    @Test("a password for the database or the relay ends before its file's newline")
    func password() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = "\(folder)/password"
        try Data("word\n".utf8).write(to: URL(filePath: path))
        try Self.protect(path, 0o600)
        #expect(try Secret.inFile(path).count == 4)
    }

    @Test(
        "that others may read, or that are links, are refused by their setting",
        arguments: [
            ("password", "database.password_file"), ("broker.key", "kafka.tls_key_file"),
        ]
    )
    func secrets(_ name: String, _ setting: String) throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let files = try Self.files(folder)
        let path = "\(folder)/\(name)"
        try Self.protect(path, 0o640)
        #expect(files.refusals.count == 1)
        #expect(files.refusals.first?.hasPrefix("\(setting): ") == true, "\(files.refusals)")
        try Self.protect(path, 0o600)
        #expect(files.refusals == [])
        try FileManager.default.moveItem(atPath: path, toPath: "\(path).real")
        #expect(files.refusals.count == 1)
        try FileManager.default.createSymbolicLink(
            atPath: path,
            withDestinationPath: "\(path).real"
        )
        #expect(files.refusals.count == 1)
    }

    @Test("a brokers' key that is longer than a client takes is refused") func longKey() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let files = try Self.files(folder)
        let path = "\(folder)/broker.key"
        for count in [65_536, 65_537] {
            try Data(repeating: 0x41, count: count).write(to: URL(filePath: path))
            try Self.protect(path, 0o600)
            let refusal = "kafka.tls_key_file: \(path): it is longer than 65536 bytes"
            #expect(files.refusals == (count > 65_536 ? [refusal] : []))
        }
    }

    @Test("certificates must be there") func certificates() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let files = try Self.files(folder)
        for name in ["ca.pem", "broker.pem"] {
            try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        }
        let settings = files.refusals.map { $0.prefix { $0 != ":" } }
        #expect(
            settings == [
                "database.tls_authorities_file", "kafka.tls_authorities_file",
                "kafka.tls_certificate_file",
            ]
        )
    }

    @Test("a listener's pair must be one") func pairs() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let pair = ", tls_certificate_file: \(folder)/ca.pem, tls_key_file: \(folder)/broker.key"
        let refusals = try Self.files(folder, pair).refusals
        #expect(refusals.count == 1)
        #expect(refusals.first?.hasPrefix("listen: \(folder)/ca.pem: ") == true, "\(refusals)")
    }

    @Test("a key directory must open under its key") func keys() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let files = try Self.files(folder)
        try FileManager.default.createDirectory(
            atPath: "\(folder)/keys",
            withIntermediateDirectories: false
        )
        try Self.protect("\(folder)/keys", 0o700)
        for name in ["salt", "root.key"] {
            let path = "\(folder)/keys/\(name)"
            try Data(repeating: 7, count: 32).write(to: URL(filePath: path))
            try Self.protect(path, 0o600)
        }
        guard case .refused(let line) = files.lookAtKeys() else {
            Issue.record("a foreign root secret was taken")
            return
        }
        #expect(line.hasPrefix("keys: ") && line.contains("root.key"), "\(line)")
    }

    @Test("a key encryption key that others may read, or that is a link, is refused")
    func encryptionKey() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let files = try Self.files(folder)
        let (path, real) = ("\(folder)/kek", "\(folder)/kek.real")
        try Self.protect(path, 0o640)
        let mode = "keys: \(path) may be read by others: chmod 600 \(path)"
        #expect(files.lookAtKeys() == .refused(mode))
        try Self.protect(path, 0o600)
        #expect(files.lookAtKeys() == .absent)
        try FileManager.default.moveItem(atPath: path, toPath: real)
        #expect(files.lookAtKeys() == .refused("keys: \(path) does not exist"))
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: real)
        let link = "keys: \(path) is a symbolic link: name the file itself"
        #expect(files.lookAtKeys() == .refused(link))
    }

    @Test("a program that unwraps the key runs once a look; one that fails may do better later")
    func unwrapping() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (program, runs) = ("\(folder)/unwrap", "\(folder)/runs")
        // Read by a shell, not run: a file that another test's fork has open cannot be.
        let command = "kek_unwrap_command: [/bin/sh, \(program), word]"
        let files = try Self.files(folder, keys: "kek_file: \(folder)/kek, \(command)")
        let rows: [(script: String, found: StartFiles.Keys)] = [
            ("cat", .absent),
            (
                "exit 4",
                .away(
                    "keys: /bin/sh ended with status 4: it says why above, or when this user gives "
                        + "it kek_file as input"
                )
            ),
            (
                "echo $1",
                .refused(
                    "keys: /bin/sh must write 32 bytes or 64 hexadecimal digits, and nothing else"
                )
            ),
        ]
        for (count, row) in rows.enumerated() {
            try Data("echo >> \(runs)\n\(row.script)\n".utf8).write(to: URL(filePath: program))
            #expect(files.lookAtKeys() == row.found)
            #expect(try Data(contentsOf: URL(filePath: runs)).count == count + 1)
        }
        try Self.protect(program, 0o720)
        let open = try Self.files(
            folder,
            keys: "kek_file: \(folder)/kek, kek_unwrap_command: [\(program)]"
        )
        let remedy = "chown it to root, and chmod go-w \(program)"
        #expect(
            open.lookAtKeys() == .refused("keys: \(program) may be changed by others: \(remedy)")
        )
        #expect(!FileManager.default.fileExists(atPath: "\(folder)/keys"))
    }
}
