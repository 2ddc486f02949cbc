import Foundation
import Postgres
import Runtime
import TestSupport
import Testing

@Suite("An operator's command", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct OperatorAddressTests {
    @Test("finds the database by its name, and may be tried again when it is away")
    func byName() throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "chancery-operator-\(UUID().uuidString.prefix(8).lowercased())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let authorities = folder.appending(path: "authorities.pem").path
        let file = folder.appending(path: "operator.yaml")
        // Nobody listens there.
        let text = """
            database: {host: localhost, port: 1, tls_authorities_file: "\(authorities)"}
            kafka: {bootstrap: "127.0.0.1:1"}

            """
        try text.write(to: file, atomically: false, encoding: .utf8)
        try Data().write(to: URL(filePath: authorities))
        let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "chancery").path
        var command = ChildCommand(program, ["migrate", "--dry-run", "--config", file.path])
        command.outputFile = folder.appending(path: "said").path
        #expect(try Processes.start(command).waitBlocking() == .exited(75))
        let said = try String(contentsOfFile: folder.appending(path: "said").path, encoding: .utf8)
        #expect(said.contains("Connection refused"), "\(said)")
    }

    @Test(
        "may be tried again by what a server names, in whatever language it says it",
        arguments: [
            ("57P03", "das Datenbanksystem startet", 75),
            ("53300", "tut mir leid, schon zu viele Verbindungen", 75),
            ("28000", "Rolle \u{201E}too many\u{201C} existiert nicht", 2), ("", "nichts", 75),
        ] as [(String, String, Int32)]
    )
    func translated(_ state: String, _ message: String, _ code: Int32) throws {
        let server = try RefusingServer(state: state, message: message)
        defer { server.close() }
        let settings = ConnectionSettings(
            host: server.folder.path,
            database: "chancery",
            user: "migrator",
            applicationName: "tests"
        )
        let one = try RelayProcess(
            "chancery",
            ["migrate", "--dry-run"],
            database: settings,
            bootstrap: "127.0.0.1:1",
            topic: "nowhere"
        )
        let end = one.child.waitBlocking()
        #expect(end == .exited(code), "\(one.log)")
        #expect(one.log.contains(message) && !one.log.contains("LOCATION"), "\(one.log)")
        _ = one.end()
    }

    @Test("may be tried again when the server has no room, and not when it refuses the role")
    func refused() async throws {
        try await TestDatabase.with { database in
            let owner = try await database.connect()
            defer { owner.close() }
            // The superuser's connection is not counted.
            let full = "ALTER DATABASE \(database.name) CONNECTION LIMIT 0"
            try await owner.run(script: Array(full.utf8), deadline: .soon)
            let rows: [(user: String, code: Int32, said: String)] = [
                ("migrator", 75, "too many connections"),
                ("nobody-of-this-name", 2, "does not exist"),
            ]
            for row in rows {
                let one = try RelayProcess(
                    "chancery",
                    ["migrate", "--dry-run", "--user", row.user],
                    database: database.settings(),
                    bootstrap: "127.0.0.1:1",
                    topic: "nowhere"
                )
                let end = await one.child.wait(on: database.loop)
                #expect(end == .exited(row.code), "\(one.log)")
                #expect(one.log.contains(row.said), "\(one.log)")
                _ = one.end()
            }
        }
    }
}
