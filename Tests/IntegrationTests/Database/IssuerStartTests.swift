import Domain
import EventFormat
import Foundation
import Issuing
import Kafka
import Postgres
import Publishing
import Runtime
import Signing
import TestSupport
import Testing

/// `token-issuer` started as in production, with faults of keys and projects (Security 10,
/// points 1, 3 and 9).
@Suite("A token-issuer started in production", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct IssuerStartTests {
    /// What is done to files of keys that were right, and the line that names it.
    struct KeyFault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let line: String
        let spoil: @Sendable (ProductionStart) throws -> Void
    }

    static let keyFaults = [
        KeyFault(
            testDescription: "a key encryption key that others may read",
            line: "/kek may be read by others: chmod 600"
        ) { try $0.write(key, to: "kek", mode: 0o640) },
        KeyFault(
            testDescription: "a link to a key encryption key",
            line: "/kek is a symbolic link: name the file itself"
        ) { start in
            try FileManager.default.moveItem(atPath: start.path("kek"), toPath: start.path("real"))
            try FileManager.default.createSymbolicLink(
                atPath: start.path("kek"),
                withDestinationPath: start.path("real")
            )
        },
        KeyFault(
            testDescription: "a key encryption key of 31 bytes",
            line: "/kek must hold 32 bytes or 64 hexadecimal digits"
        ) { try $0.write(Array(key.dropLast()), to: "kek") },
        KeyFault(
            testDescription: "another key encryption key",
            line: "/keys/root.key does not open under this key encryption key"
        ) { try $0.write(Array(key.reversed()), to: "kek") },
        KeyFault(
            testDescription: "no key encryption key",
            line: "/kek does not exist"
        ) { try FileManager.default.removeItem(atPath: $0.path("kek")) },
        KeyFault(
            testDescription: "a root secret that others may read",
            line: "/keys/root.key may be read by others: chmod 600"
        ) { start in
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o644],
                ofItemAtPath: start.path("keys/root.key")
            )
        },
        KeyFault(
            testDescription: "a key directory that others may write",
            line: "/keys may be written by others (mode 770): chmod go-w "
        ) { start in
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o770],
                ofItemAtPath: start.path("keys")
            )
        },
        KeyFault(
            testDescription: "a root secret that was cut",
            line: "/keys/root.key does not open under this key encryption key"
        ) { start in
            let file = URL(filePath: start.path("keys/root.key"))
            try start.write(Array(try Data(contentsOf: file).prefix(64)), to: "keys/root.key")
        },
    ]

    private static let key = Array(UInt8(1)...32)

    @Test("refuses keys that are not private, whole and its own", arguments: keyFaults)
    func keys(_ fault: KeyFault) async throws {
        try await TestDatabase.with { database in
            var start = try ProductionStart("token-issuer", database.settings(as: "token_issuer"))
            defer { start.remove() }
            try start.write(Self.key, to: "kek")
            // Makes the keys, and ends for a reason that is looked for after them.
            start.changes = ["DATABASE__DURABILITY": "synchronous-standby"]
            let first = try start.run()
            try #require(first.code == 78 && first.text.contains("database.durability: "))
            start.changes = [:]
            try fault.spoil(start)
            let (code, text) = try start.run()
            #expect(code == 78, "\(text)")
            #expect(text.contains("token-issuer: keys: "), "\(text)")
            #expect(text.contains(fault.line), "\(text)")
        }
    }

    /// A project's issuer, flags, and the line that refuses it.
    static let issuers: [(issuer: String, arguments: [String], line: String)] = [
        ("http://localhost:8080", [], "project shop: http.public_origin: "),
        ("http://shop.example", [], "project shop: http.public_origin: "),
        ("https://shop.example/auth", [], "project shop: http.public_origin: "),
        (
            "https://shop.example", ["--check"], "keys: project shop has no active signing key"
        ),
        (
            "https://shop.example", ["--insecure-dev"],
            "project shop: http.public_origin: https://shop.example is no name of this machine"
        ),
    ]

    @Test("refuses an issuer it must not serve, or cannot sign for", arguments: issuers)
    func issuer(_ row: (issuer: String, arguments: [String], line: String)) async throws {
        try await TestDatabase.with { database in
            let document = """
                id: shop
                name: Shop
                http: {public_origin: "\(row.issuer)"}

                """
            var start = try ProductionStart("token-issuer", database.settings(as: "token_issuer"))
            defer { start.remove() }
            let names = try Self.makeKeys(start)
            try await LogFiller(database: database).addProject(
                Array(document.utf8),
                to: names.projectConfig(LogFiller.project)
            )
            start.arguments = row.arguments
            let (code, text) = try start.run()
            #expect(code == 78, "\(text)")
            #expect(text.contains(row.line), "\(text)")
        }
    }

    /// What is done to the file of a project's active key, and what the start says of it.
    struct RingFault: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var line: String
        var spoil: @Sendable (String) throws -> Void
    }

    static let ringFaults = [
        RingFault(testDescription: "that others may read", line: ".key may be read by others") {
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: $0)
        },
        RingFault(testDescription: "that is damaged", line: ".key does not open under this") {
            try Data(Data(contentsOf: URL(filePath: $0)).prefix(64)).write(to: URL(filePath: $0))
        },
    ]

    @Test("refuses a project whose active key has a file", arguments: ringFaults)
    func ring(_ fault: RingFault) async throws {
        try await TestDatabase.with { database in
            let start = try ProductionStart("token-issuer", database.settings(as: "token_issuer"))
            defer { start.remove() }
            let key = try await start.addProject(to: database)
            try fault.spoil(start.path("keys/\(key.kid).key"))
            let (code, text) = try start.run()
            #expect(code == 78, "\(text)")
            let line = "keys.directory: project shop signs with \(key.kid): "
            #expect(text.contains(line), "\(text)")
            #expect(text.contains(fault.line), "\(text)")
        }
    }

    /// What `--check` meets of a database, and what it says.
    struct Obstacle: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var code: Int32
        var line: String
        /// Of the project's document.
        var more = ""
        /// Of the database.
        var change = ""
        var keysMode = 0o700
    }

    static let obstacles = [
        Obstacle(
            testDescription: "that has no key",
            code: 78,
            line: "keys: project shop has no active signing key"
        ),
        Obstacle(
            testDescription: "with a document that it refuses",
            code: 78,
            line: "project shop: new: unknown key",
            more: "new: 1\n"
        ),
        Obstacle(
            testDescription: "whose log its role may not read",
            code: 78,
            line: "database: 42501: permission denied for table events",
            change: "REVOKE SELECT ON es.events FROM token_issuer"
        ),
        Obstacle(
            testDescription: "while somebody keeps the log",
            code: 75,
            line: "ask again; chancery doctor says what holds it up",
            change: "BEGIN; LOCK TABLE es.events"
        ),
        Obstacle(
            testDescription: "with a key directory that cannot be written",
            code: 78,
            line: "keys.directory cannot be written: no key can be made",
            keysMode: 0o500
        ),
    ]

    @Test("--check says what it found of a project", arguments: obstacles)
    func check(_ obstacle: Obstacle) async throws {
        try await TestDatabase.with { database in
            var start = try ProductionStart("token-issuer", database.settings(as: "token_issuer"))
            defer { start.remove() }
            let names = try Self.makeKeys(start)
            let document = "id: shop\nname: Shop\nhttp: {public_origin: \"https://shop.example\"}\n"
            try await LogFiller(database: database).addProject(
                Array((document + obstacle.more).utf8),
                to: names.projectConfig(LogFiller.project)
            )
            try FileManager.default.setAttributes(
                [.posixPermissions: obstacle.keysMode],
                ofItemAtPath: start.path("keys")
            )
            let owner = try await database.connect()
            defer { owner.close() }
            try await owner.run(script: Array(obstacle.change.utf8), deadline: .soon)
            start.arguments = ["--check"]
            let (code, text) = try start.run()
            #expect(code == obstacle.code, "\(text)")
            #expect(text.contains(obstacle.line), "\(text)")
        }
    }

    /// The keys of an installation, as its first start makes them; the streams that they name.
    static func makeKeys(
        _ start: ProductionStart,
        _ make: (KeyDirectory) throws -> Void = { _ in }
    ) throws -> StreamNames {
        // Ours while we make them: nobody opens the secrets of another user.
        var ours = start
        ours.user = nil
        try ours.write(key, to: "kek")
        let directory = try KeyDirectory.make(
            at: start.path("keys"),
            unlockedBy: .credential(path: start.path("kek"))
        )
        let names = StreamNames(RootDigester(try directory.rootSecrets()))
        try make(directory)
        for name in ["kek", "keys", "keys/salt", "keys/root.key"] {
            try start.own(start.path(name))
        }
        return names
    }
}
