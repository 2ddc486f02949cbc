import Foundation
import TestSupport
import Testing

/// A start of a developer's stack that ends while its broker is still awaited.
@Suite("A start of `chancery dev` that ends early", .timeLimit(.minutes(2)))
struct DevelopmentStartTests {
    /// A folder for the stack, and a Kafka whose broker never comes.
    private struct Place {
        let folder: URL

        /// `java`: what the broker's program does, and then sleeps.
        init(_ java: String) throws {
            folder = FileManager.default.temporaryDirectory
                .appending(path: "early-\(UUID().uuidString.prefix(8).lowercased())")
            let files = FileManager.default
            for name in ["bin", "kafka/libs", "stack"] {
                let path = folder.appending(path: name)
                try files.createDirectory(at: path, withIntermediateDirectories: true)
            }
            let script = """
                #!/bin/sh
                case "$*" in *StorageTool*) exit 0 ;; esac
                \(java)
                exec sleep 170
                """
            let program = folder.appending(path: "bin/java").path
            try script.write(toFile: program, atomically: true, encoding: .utf8)
            try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
        }

        func remove() { try? FileManager.default.removeItem(at: folder) }

        /// What is said, the exit status, and how long it takes.
        func start() throws -> (said: String, code: Int32, time: Duration) {
            let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
            let begin = ContinuousClock.now
            let run = try ProgramRun(
                ours: "chancery",
                [
                    "dev", "--port", "0", "--services", "--directory",
                    folder.appending(path: "stack").path,
                ],
                [
                    "KAFKA_BOOTSTRAP": "", "KAFKA_HOME": folder.appending(path: "kafka").path,
                    "PATH": "\(folder.appending(path: "bin").path):\(path)",
                ]
            )
            return (run.said, run.code, ContinuousClock.now - begin)
        }
    }

    @Test("is ended by the first Ctrl-C") func interrupted() throws {
        let place = try Place("sleep 3; kill -INT $PPID")
        defer { place.remove() }
        let (said, code, time) = try place.start()
        #expect(said.contains("Stopping"), "\(said)")
        #expect(time < .seconds(60), "\(code) after \(time): \(said)")
    }

    @Test("says at once why its database does not start") func database() throws {
        let place = try Place("")
        defer { place.remove() }
        // No cluster, though it looks like one.
        let data = place.folder.appending(path: "stack/postgres/data")
        try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
        try Data("0\n".utf8).write(to: data.appending(path: "PG_VERSION"))
        let (said, code, time) = try place.start()
        #expect(code == 1 && said.contains("PostgreSQL did not start"), "\(said)")
        #expect(time < .seconds(60), "\(time): \(said)")
    }
}
