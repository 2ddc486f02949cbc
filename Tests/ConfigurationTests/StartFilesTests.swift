import Assembly
import Configuration
import Foundation
import Runtime
import Testing

/// The files that settings name (security.md section 10.3).
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

    private static func files(_ folder: String, _ more: String = "") throws -> StartFiles {
        let text = """
            listen: {public: ["127.0.0.1:8080"]\(more)}
            database: {host: db.example.com, password_file: \(folder)/password, \
            tls_authorities_file: \(folder)/ca.pem}
            kafka: {bootstrap: "kafka.example.com:9093", tls_authorities_file: \(folder)/ca.pem, \
            tls_certificate_file: \(folder)/broker.pem, tls_key_file: \(folder)/broker.key}
            keys: {directory: \(folder)/keys, kek_file: \(folder)/kek}
            mail: {relay: "127.0.0.1:25", sender: a@example.com, plain: true}
            """
        return StartFiles(try TokenIssuerSettings(try SettingsDocument(Array(text.utf8))))
    }

    @Test("that are right are passed, and nothing is made") func right() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let files = try Self.files(folder)
        #expect(files.refusals == [])
        #expect(try !files.hasKeys())
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
            ("kek", "keys"),
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
        for name in ["salt", "root.key"] {
            let path = "\(folder)/keys/\(name)"
            try Data(repeating: 7, count: 32).write(to: URL(filePath: path))
            try Self.protect(path, 0o600)
        }
        #expect(files.refusals.count == 1)
        #expect(files.refusals.first?.contains("root.key") == true, "\(files.refusals)")
    }
}
