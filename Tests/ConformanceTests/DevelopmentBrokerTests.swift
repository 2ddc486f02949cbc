import Foundation
import TestSupport
import Testing

/// Where `chancery dev` takes Kafka from.
@Suite("Kafka for development", .timeLimit(.minutes(2))) struct DevelopmentBrokerTests {
    @Test("is the one of KAFKA_HOME, or none: what cannot be started is said")
    func home() throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "no-kafka-\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(at: folder) }
        // Without the refusal it ends all the same: nobody can walk without the processes.
        let run = try ProgramRun(
            ours: "chancery",
            ["dev", "--port", "0", "--services", "--walk", "--directory", folder.path],
            ["KAFKA_BOOTSTRAP": "", "KAFKA_HOME": "/nowhere"]
        )
        #expect(run.code == 1, "\(run.said)")
        #expect(run.said.contains("KAFKA_HOME is /nowhere"), "\(run.said)")
    }
}
