import Foundation
import TestSupport
import Testing

/// Where `chancery dev` takes Kafka from.
@Suite("Kafka for development", .timeLimit(.minutes(2))) struct DevelopmentBrokerTests {
    /// Of a shell as it comes, and of one that has read the `dev.env` of a stack that ended.
    static let shells = [
        ["KAFKA_BOOTSTRAP": ""],
        ["KAFKA_BOOTSTRAP": "127.0.0.1:1", "DEV_KAFKA_BOOTSTRAP": "127.0.0.1:1"],
    ]

    @Test(
        "is the one of KAFKA_HOME, or none: what cannot be started is said",
        arguments: shells
    )
    func home(_ shell: [String: String]) throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "no-kafka-\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(at: folder) }
        // Without the refusal it ends all the same: nobody can walk without the processes.
        let run = try ProgramRun(
            ours: "chancery",
            ["dev", "--port", "0", "--services", "--walk", "--directory", folder.path],
            shell.merging(["KAFKA_HOME": "/nowhere"]) { $1 }
        )
        #expect(run.code == 1, "\(run.said)")
        #expect(run.said.contains("KAFKA_HOME is /nowhere"), "\(run.said)")
    }
}
