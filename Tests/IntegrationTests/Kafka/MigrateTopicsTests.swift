import Kafka
import Runtime
import TestSupport
import Testing

/// `chancery migrate --topics`.
@Suite("Topics are made", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct MigrateTopicsTests {
    @Test("by two at once, which take turns", .needsKafka) func together() async throws {
        try await RelayBench.with(.real) { bench in
            let name = "\(bench.kafka.topic).new"
            let both = try (0..<3).map { _ in try Self.migrate(bench, name) }
            for one in both {
                let end = await one.child.wait(on: bench.database.loop)
                #expect(end == .exited(0), "\(one.log)")
                _ = one.end()
            }
        }
    }

    @Test("and one that a process would refuse is refused", .needsKafka) func wrong() async throws {
        try await RelayBench.with(.real) { bench in
            // With the partitions it must have, and nothing else.
            try await bench.makeRevocationsTopic()
            let one = try Self.migrate(bench, bench.kafka.topic)
            let end = await one.child.wait(on: bench.database.loop)
            #expect(end == .exited(1))
            #expect(one.log.contains("\(bench.kafka.topic).revocations is not compacted"))
            _ = one.end()
        }
    }

    private static func migrate(_ bench: RelayBench, _ name: String) throws -> RelayProcess {
        try RelayProcess(
            "chancery",
            ["migrate", "--topics", "--json"],
            database: bench.database.settings(),
            bootstrap: bench.kafka.broker.bootstrapServers,
            topic: name
        )
    }
}
