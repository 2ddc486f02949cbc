import Foundation
import Postgres
import Runtime
import Testing

/// A program between PostgreSQL and Kafka, started by a test.
final class RelayProcess: Sendable {
    let child: ChildProcess
    let directory: String

    init(
        _ program: String = "event-relay",
        _ words: [String] = [],
        database: ConnectionSettings,
        bootstrap: String,
        topic: String
    ) throws {
        let programs = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        directory =
            FileManager.default.temporaryDirectory
            .appending(path: "chancery-relay-\(UUID().uuidString.prefix(8).lowercased())").path
        try FileManager.default.createDirectory(
            atPath: directory,
            withIntermediateDirectories: true
        )
        let configuration = """
            node: {name: relay-test}
            database:
              host: "\(database.host)"
              name: \(database.database)
              user: \(database.user)
              durability: single-node
            kafka:
              bootstrap: "\(bootstrap)"
              events_topic: "\(topic)"
              revocations_topic: "\(topic).revocations"
              topology: single-node
            \(program == "revocation-projector" ? "listen: {public: [\"127.0.0.1:0\"]}" : "")

            """
        let file = "\(directory)/relay.yaml"
        try configuration.write(toFile: file, atomically: false, encoding: .utf8)
        var command = ChildCommand(
            programs.appending(path: program).path,
            words + ["--config", file, "--insecure-dev"]
        )
        // With the loop of the test, if the test itself does not end it.
        command.endsWithParent = true
        command.outputFile = "\(directory)/log"
        child = try Processes.start(command)
    }

    /// What it has logged.
    var log: String { (try? String(contentsOfFile: "\(directory)/log", encoding: .utf8)) ?? "" }

    /// Whether it has said that it is active.
    var isActive: Bool { log.contains("\"msg\":\"active\"") }

    func signal(_ signal: Int32) { child.signal(signal) }

    /// Ends it and removes its files.
    func end(_ signal: Int32 = SIGKILL) -> ChildProcess.End {
        child.signal(signal)
        let end = child.waitBlocking()
        try? FileManager.default.removeItem(atPath: directory)
        return end
    }
}
