import Domain
import Foundation
import Issuing
import Runtime
import Signing
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
            let made = Guarded<GeneratedKey?>(nil)
            let names = try IssuerStartTests.makeKeys(start) { directory in
                let vault = SigningKeyVault(directory, on: BlockingExecutor())
                made.replace(with: try vault.generateNow(.es256))
            }
            let key = try #require(made.current)
            try start.own(start.path("keys/\(key.kid).key"))
            let document = "id: shop\nname: Shop\nhttp: {public_origin: \"https://shop.example\"}\n"
            let filler = LogFiller(database: database)
            try await filler.addProject(
                Array(document.utf8),
                to: names.projectConfig(LogFiller.project)
            )
            try await filler.addKey(key, to: names.signingKeys(of: LogFiller.project))
            let child = try start.start()
            defer { child.signal(SIGKILL) }
            let limit = MonotonicInstant.soon
            while !start.output.contains("missing: \(topic)") {
                try #require(MonotonicInstant.now() < limit, "\(start.output)")
                try await database.loop.sleep(until: .after(.milliseconds(50)))
            }
            // It has asked more than once.
            try await database.loop.sleep(until: .after(.milliseconds(2500)))
            child.signal(SIGTERM)
            let end = await child.wait(on: database.loop)
            #expect(end == .exited(0), "\(start.output)")
            #expect(!start.output.contains("must not be used"), "\(start.output)")
        }
    }
}
