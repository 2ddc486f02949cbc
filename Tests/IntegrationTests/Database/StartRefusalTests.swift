import Foundation
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

/// Programs started as in production, each with one fault (security.md section 10).
@Suite("A program started in production", .keepsClusterOnFailure) struct StartRefusalTests {
    /// One fault, and the line it must end with exit code 78 for.
    struct Row: Sendable, CustomTestStringConvertible {
        var fault: String
        var line: String
        var program = "event-relay"
        var changes: [String: String] = [:]
        var isGuarded = true
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

    private static func role(_ program: String) -> String {
        switch program {
        case "event-relay": "event_relay"
        case "token-issuer": "token_issuer"
        default: "projector"
        }
    }

    /// Runs the program to its end; what it returned and what it said.
    private static func run(_ row: Row, _ database: ConnectionSettings) throws
        -> (code: Int32, text: String)
    {
        let programs = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "chancery-start-\(UUID().uuidString.prefix(8).lowercased())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "settings.yaml").path
        try settings(row.program, database, folder.path)
            .write(toFile: file, atomically: false, encoding: .utf8)
        let program = folder.appending(path: row.program)
        try reach(programs.appending(path: row.program), by: program)
        var command = ChildCommand(program.path, ["--config", file])
        var environment = ["PATH": "/usr/bin:/bin"]
        if row.isGuarded { environment["SWIFT_BACKTRACE"] = "enable=no" }
        for (name, value) in row.changes { environment["CHANCERY__\(name)"] = value }
        command.environment = environment
        command.outputFile = folder.appending(path: "output").path
        if geteuid() == 0 {
            // As whom the server runs: a user that is not root and may use its socket.
            let status = try FileManager.default.attributesOfItem(atPath: database.host)
            let user = status[.ownerAccountID] as? Int ?? 0
            let group = status[.groupOwnerAccountID] as? Int ?? 0
            command.user = .init(user: UInt32(user), group: UInt32(group))
        }
        let child = try Processes.start(command)
        let timer = DispatchSource.makeTimerSource()
        timer.setEventHandler { child.signal(SIGKILL) }
        timer.schedule(deadline: .now() + 60)
        timer.activate()
        defer { timer.cancel() }
        let end = child.waitBlocking()
        let text = try String(contentsOf: folder.appending(path: "output"), encoding: .utf8)
        guard case .exited(let code) = end else { return (-1, text) }
        return (code, text)
    }

    /// Another user may not be let into the folder of the build.
    private static func reach(_ program: URL, by other: URL) throws {
        do { try FileManager.default.linkItem(at: program, to: other) } catch {
            try FileManager.default.copyItem(at: program, to: other)
        }
    }

    private static func settings(
        _ program: String,
        _ database: ConnectionSettings,
        _ folder: String
    ) -> String {
        """
        node: {name: start-test, shutdown_notice_seconds: 0}
        admin: {listen: "127.0.0.1:0"}
        database:
          host: "\(database.host)"
          name: \(database.database)
          user: \(database.user)
          durability: single-node
        kafka: {bootstrap: "127.0.0.1:1", topology: single-node}
        \(program == "event-relay" ? "" : "listen: {public: [\"127.0.0.1:0\"]}")
        \(program == "token-issuer" ? issuerSettings(folder) : "")

        """
    }

    private static func issuerSettings(_ folder: String) -> String {
        """
        keys: {directory: "\(folder)/keys", kek_file: "\(folder)/kek"}
        mail: {relay: "127.0.0.1:25", sender: no-reply@example.com}
        """
    }
}
