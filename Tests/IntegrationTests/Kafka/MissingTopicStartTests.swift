import Foundation
import Runtime
import TestSupport
import Testing

@Suite("An issuer whose topic is missing", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct MissingTopicStartTests {
    @Test("starts in production, says so by name, and ends in order", .needsKafka)
    func starts() async throws {
        try await TestDatabase.with { database in
            let broker = try PrivateBroker.real()
            var start = try ProductionStart("token-issuer", database.settings(as: "token_issuer"))
            defer { start.remove() }
            let topic = "gone-\(UUID().uuidString.prefix(8).lowercased())"
            start.changes = [
                "KAFKA__BOOTSTRAP": broker.bootstrapServers,
                "KAFKA__EVENTS_TOPIC": topic,
            ]
            _ = try await start.addProject(to: database)
            let child = try start.start()
            defer { child.signal(SIGKILL) }
            try await start.says("missing: \(topic)", on: database.loop)
            // It has asked more than once.
            try await database.loop.sleep(until: .after(.milliseconds(2500)))
            child.signal(SIGTERM)
            let end = await child.wait(on: database.loop)
            #expect(end == .exited(0), "\(start.output)")
            #expect(!start.output.contains("must not be used"), "\(start.output)")
        }
    }
}
