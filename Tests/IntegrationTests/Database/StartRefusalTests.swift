import Foundation
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

/// Programs started as in production, each with one fault (Security 10).
@Suite("A program started in production", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct StartRefusalTests {
    /// One fault, and the line it must end with exit code 78 for.
    struct Row: Sendable, CustomTestStringConvertible {
        var fault: String
        var line: String
        var program = "event-relay"
        var changes: [String: String] = [:]
        var isGuarded = true
        var openFilesMax: Int?
        var testDescription: String { "\(program): \(fault)" }
    }

    static let programs = ["event-relay", "revocation-projector"]

    static let rows =
        programs.flatMap { program in
            [
                Row(
                    fault: "crash reports",
                    line: "SWIFT_BACKTRACE: ",
                    program: program,
                    isGuarded: false
                ),
                Row(
                    fault: "too few descriptors",
                    line: "LimitNOFILE: 1024 open files; 16384 is the least",
                    program: program,
                    openFilesMax: 1024
                ),
                Row(
                    fault: "a superuser",
                    line: "database.user: postgres is a superuser",
                    program: program,
                    changes: ["DATABASE__USER": "postgres"]
                ),
                Row(
                    fault: "no standby, and no word about it",
                    line: "database.durability: ",
                    program: program,
                    changes: ["DATABASE__DURABILITY": "synchronous-standby"]
                ),
                Row(
                    fault: "an unknown key",
                    line: "database.pasword_file",
                    program: program,
                    changes: ["DATABASE__PASWORD_FILE": "/x"]
                ),
                Row(
                    fault: "a remote database without TLS",
                    line: "database.tls_authorities_file",
                    program: program,
                    changes: ["DATABASE__HOST": "db.example.com"]
                ),
                Row(
                    fault: "a remote database by its address without TLS, beside a socket",
                    line: "database.tls_authorities_file",
                    program: program,
                    changes: ["DATABASE__ADDRESS": "10.0.0.5"]
                ),
                Row(
                    fault: "remote brokers without TLS",
                    line: "kafka.tls_authorities_file",
                    program: program,
                    changes: ["KAFKA__BOOTSTRAP": "kafka.example.com:9092"]
                ),
                Row(
                    fault: "an admin listener for everybody",
                    line: "admin.listen",
                    program: program,
                    changes: ["ADMIN__LISTEN": "0.0.0.0:9080"]
                ),
            ]
        } + [
            Row(
                fault: "too few descriptors",
                line: "LimitNOFILE: 1024 open files; 16384 is the least",
                program: "token-issuer",
                openFilesMax: 1024
            ),
            Row(
                fault: "plain HTTP for everybody",
                line: "listen.public",
                program: "revocation-projector",
                changes: ["LISTEN__PUBLIC__0": "0.0.0.0:8080"]
            ),
            Row(
                fault: "mail without TLS",
                line: "mail.plain",
                program: "token-issuer",
                changes: ["MAIL__PLAIN": "true", "MAIL__RELAY": "mail.example.com:25"]
            ),
            Row(
                fault: "a key encryption key that is not there",
                line: "keys: ",
                program: "token-issuer"
            ),
        ]

    @Test("ends with 78 and a line that names the setting", arguments: rows)
    func refuses(_ row: Row) async throws {
        try await TestDatabase.with { database in
            let (code, text) = try Self.run(row, database.settings(as: Self.role(row.program)))
            #expect(code == 78, "\(text)")
            #expect(text.contains(row.line), "\(text)")
        }
    }

    @Test("a role that two processes share is refused") func sharedRole() async throws {
        try await TestDatabase.with { database in
            let role = "both_\(database.name)"
            let make = "CREATE ROLE \(role) LOGIN IN ROLE token_issuer, event_relay, log_reader"
            let own = try await database.connect()
            defer { own.close() }
            try await own.run(script: Array(make.utf8), deadline: .soon)
            var row = Row(fault: "a shared role", line: "")
            row.changes["DATABASE__USER"] = role
            let (code, text) = try Self.run(row, database.settings(as: role))
            try await own.run(script: Array("DROP ROLE \(role)".utf8), deadline: .soon)
            #expect(code == 78)
            #expect(text.contains("is shared with token-issuer"), "\(text)")
        }
    }

    @Test(
        "root is refused",
        .enabled(if: geteuid() == 0, "only root can run a program as root"),
        arguments: programs + ["token-issuer"]
    )
    func root(_ program: String) async throws {
        try await TestDatabase.with { database in
            var start = try ProductionStart(program, database.settings(as: Self.role(program)))
            defer { start.remove() }
            start.user = nil
            let (code, text) = try start.run()
            #expect(code == 78, "\(text)")
            #expect(text.contains("\(program): User: the process runs as root"), "\(text)")
        }
    }

    private static func role(_ program: String) -> String {
        switch program {
        case "event-relay": "event_relay"
        case "token-issuer": "token_issuer"
        default: "projector"
        }
    }

    private static func run(_ row: Row, _ database: ConnectionSettings) throws
        -> (code: Int32, text: String)
    {
        var start = try ProductionStart(row.program, database)
        defer { start.remove() }
        start.changes = row.changes
        start.isGuarded = row.isGuarded
        start.openFilesMax = row.openFilesMax
        return try start.run()
    }
}
