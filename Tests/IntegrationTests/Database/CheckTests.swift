import Foundation
import Postgres
import Runtime
import TestSupport
import Testing

/// What `--check` says of a database and of brokers that it could not look at.
@Suite("A process that is only to be checked", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct CheckTests {
    static let programs = [
        ("token-issuer", "token_issuer"), ("event-relay", "event_relay"),
        ("revocation-projector", "projector"),
    ]
    /// What is wrong with the settings, and what the server says of it.
    static let wrong = [
        ("DATABASE__NAME", "nowhere", "3D000: "), ("DATABASE__USER", "nobody_here", "28000: "),
    ]

    @Test("a database or a role that is not there is wrong", arguments: programs, wrong)
    func refused(
        _ program: (name: String, role: String),
        _ change: (name: String, value: String, state: String)
    ) async throws {
        try await TestDatabase.with { database in
            let changes = [change.name: change.value]
            let settings = database.settings(as: program.role)
            let (code, text) = try Self.check(program.name, settings, changes)
            #expect(code == 78, "\(text)")
            #expect(text.contains("database: \(change.state)"), "\(text)")
            #expect(text.contains("does not exist"), "\(text)")
            #expect(!text.contains("the configuration is right"), "\(text)")
        }
    }

    @Test("a database that is away was not looked at, and that is said", arguments: programs)
    func away(_ program: (name: String, role: String)) async throws {
        try await TestDatabase.with { database in
            let changes = ["DATABASE__HOST": "/nowhere"]
            let settings = database.settings(as: program.role)
            let (code, text) = try Self.check(program.name, settings, changes)
            #expect(code == 0, "\(text)")
            let verdict = "the configuration is right; the database was not looked at yet: "
            #expect(text.contains(verdict), "\(text)")
            #expect(!text.contains("cannotConnect("), "\(text)")
        }
    }

    @Test("brokers that are away are said", arguments: programs)
    func brokers(_ program: (name: String, role: String)) async throws {
        try await TestDatabase.with { database in
            let settings = database.settings(as: program.role)
            let (code, text) = try Self.check(program.name, settings)
            #expect(code == 0, "\(text)")
            #expect(text.contains("the topics could not be checked yet"), "\(text)")
            #expect(text.contains("no broker can do it now (_T"), "\(text)")
        }
    }

    @Test("a step that has no record is named, and no newer program is asked for")
    func unrecorded() async throws {
        try await TestDatabase.with { database in
            let owner = try await database.connect()
            defer { owner.close() }
            let change = "DELETE FROM chancery.migrations WHERE version = 20"
            try await owner.run(script: Array(change.utf8), deadline: .soon)
            let settings = database.settings(as: "event_relay")
            let (code, text) = try Self.check("event-relay", settings)
            #expect(code == 78, "\(text)")
            #expect(text.contains("lacks 0020_opened_unasked.sql, although a later"), "\(text)")
            // The brokers were asked all the same.
            #expect(text.contains("the topics could not be checked yet"), "\(text)")
        }
    }

    /// How it is started, and whether it has keys.
    static let interrupted: [(words: [String], hasKeys: Bool)] = [
        (["--check"], true), (["--check"], false), ([], false),
    ]

    @Test(
        "who is told to end while looking says nothing of what was not seen, and makes no keys",
        arguments: interrupted
    )
    func toldToEnd(_ row: (words: [String], hasKeys: Bool)) async throws {
        try await TestDatabase.with { database in
            var start = try ProductionStart("token-issuer", database.settings(as: "token_issuer"))
            defer { start.remove() }
            if row.hasKeys {
                _ = try IssuerStartTests.makeKeys(start)
            } else {
                try start.write(Array(UInt8(1)...32), to: "kek")
            }
            let owner = try await database.connect()
            defer { owner.close() }
            let kept = "BEGIN; LOCK TABLE es.events"
            try await owner.run(script: Array(kept.utf8), deadline: .soon)
            start.arguments = row.words
            let child = try start.start()
            defer { child.signal(SIGKILL) }
            try await database.untilOneWaits()
            child.signal(SIGTERM)
            let limit = MonotonicInstant.soon
            while !start.output.contains("asked to end"), MonotonicInstant.now() < limit {
                try await database.loop.sleep(until: .after(.milliseconds(5)))
            }
            try await owner.run(script: Array("ROLLBACK".utf8), deadline: .soon)
            let (code, text) = try start.end(of: child)
            // A check that was cut short has found nothing to be right.
            #expect((code == 0) == row.words.isEmpty, "\(code): \(text)")
            #expect(!text.contains("the configuration is right"), "\(text)")
            let hasKeys = FileManager.default.fileExists(atPath: start.path("keys"))
            #expect(hasKeys == row.hasKeys)
        }
    }

    /// What a program does that is to unwrap the key, and how the issuer ends.
    static let unwrapping: [(script: String, code: Int32, said: String)] = [
        ("cat", 0, "the configuration is right"), ("exit 4", 75, "unwrap ended with status 4"),
        ("echo no", 78, "unwrap must write 32 bytes"),
    ]

    @Test(
        "a key that a program unwraps may be had later; one that is no key may not",
        arguments: unwrapping,
        [["--check"], []]
    )
    func unwraps(_ row: (script: String, code: Int32, said: String), _ words: [String])
        async throws
    {
        // A start that goes well does not end.
        if row.code == 0, words.isEmpty { return }
        try await TestDatabase.with { database in
            var start = try ProductionStart("token-issuer", database.settings(as: "token_issuer"))
            defer { start.remove() }
            _ = try IssuerStartTests.makeKeys(start)
            let script = "#!/bin/sh\n\(row.script)\n"
            let (code, said) = try Self.run(&start, unwrappingBy: script, words)
            #expect(code == row.code && said.contains(row.said), "\(code): \(said)")
        }
    }

    @Test(
        "a key that is had once and not again makes no issuer take itself for the first",
        arguments: [["--check"], []],
        [true, false]
    )
    func unwrapsOnce(_ words: [String], _ hasKeys: Bool) async throws {
        // A check without keys needs the key once.
        if !hasKeys, !words.isEmpty { return }
        try await TestDatabase.with { database in
            var start = try ProductionStart("token-issuer", database.settings(as: "token_issuer"))
            defer { start.remove() }
            if hasKeys { _ = try IssuerStartTests.makeKeys(start) }
            if !hasKeys { try start.write(Array(UInt8(1)...32), to: "kek") }
            let ran = start.path("ran")
            let script = "#!/bin/sh\ntest -e \(ran) && exit 4\ntouch \(ran)\ncat\n"
            let (code, said) = try Self.run(&start, unwrappingBy: script, words)
            #expect(code == 75 && said.contains("unwrap ended with status 4"), "\(code): \(said)")
            #expect(!said.contains("the first start"), "\(said)")
            let root = start.path("keys/root.key")
            #expect(FileManager.default.fileExists(atPath: root) == hasKeys)
        }
    }

    /// Runs an issuer whose key a program with this script unwraps.
    private static func run(
        _ start: inout ProductionStart,
        unwrappingBy script: String,
        _ words: [String]
    ) throws -> (code: Int32, text: String) {
        try start.write(Array(script.utf8), to: "unwrap", mode: 0o755)
        let file = start.folder.appending(path: "settings.yaml")
        let program = "kek_unwrap_command: [\"\(start.path("unwrap"))\"]"
        let text = try String(contentsOf: file, encoding: .utf8)
            .replacing("kek_file: ", with: "\(program), kek_file: ")
        try text.write(to: file, atomically: false, encoding: .utf8)
        start.arguments = words
        return try start.run()
    }

    private static func check(
        _ program: String,
        _ database: ConnectionSettings,
        _ changes: [String: String] = [:]
    ) throws -> (code: Int32, text: String) {
        var start = try ProductionStart(program, database)
        defer { start.remove() }
        if program == "token-issuer" { _ = try IssuerStartTests.makeKeys(start) }
        start.changes = changes
        start.arguments = ["--check"]
        return try start.run()
    }
}
