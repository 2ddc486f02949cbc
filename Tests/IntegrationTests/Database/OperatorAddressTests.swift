import Foundation
import Runtime
import TestSupport
import Testing

@Suite("An operator's command", .timeLimit(.minutes(1))) struct OperatorAddressTests {
    @Test("finds the database by its name, as a process does") func byName() throws {
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
        #expect(try Processes.start(command).waitBlocking() == .exited(1))
        let said = try String(contentsOfFile: folder.appending(path: "said").path, encoding: .utf8)
        #expect(said.contains("Connection refused"), "\(said)")
    }
}
