import Kafka
import Postgres
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
            let warning = "warning: topic \(bench.kafka.topic) retention.ms is 604800000"
            #expect(one.log.contains(warning), "\(one.log)")
            _ = one.end()
        }
    }

    @Test("but not of revocations, anew under a name that had them all", .needsKafka)
    func emptied() async throws {
        try await RelayBench.with(.real) { bench in
            let brokers = bench.kafka.broker.bootstrapServers
            let client = KafkaClientSettings(bootstrapServers: brokers, clientID: "tests")
            let administration = try Administration(client, on: BlockingExecutor())
            let name = "\(bench.kafka.topic).gone"
            let owner = try await bench.database.connect()
            defer { owner.close() }
            let told = """
                INSERT INTO chancery.revocation_topic (projection, cluster_id, topic)
                VALUES ('revocation', '\(try await administration.clusterID())',
                        '\(name).revocations');
                INSERT INTO revocation.revocations (key, project, sid, revoked_at, expires_at,
                                                    reason, log_id, log_index)
                VALUES ('1', 1, gen_random_uuid(), now(), now() + interval '1 hour',
                        'logout', gen_random_uuid(), 1)
                """
            try await owner.run(script: Array(told.utf8), deadline: .soon)
            let one = try Self.migrate(bench, name)
            #expect(await one.child.wait(on: bench.database.loop) == .exited(1))
            #expect(one.log.contains("topic \(name).revocations was deleted"))
            #expect(one.log.contains("kafka.revocations_topic"))
            _ = one.end()
            await #expect(throws: KafkaError.unknownTopic) {
                _ = try await administration.partitionCount(of: "\(name).revocations")
            }
            // Told on another cluster, it is one more topic to make.
            let moved = "UPDATE chancery.revocation_topic SET cluster_id = 'another'"
            try await owner.run(script: Array(moved.utf8), deadline: .soon)
            let next = try Self.migrate(bench, name)
            let end = await next.child.wait(on: bench.database.loop)
            #expect(end == .exited(0), "\(next.log)")
            _ = next.end()
        }
    }

    @Test("and the doctor looks at each by itself, also where one is missing", .needsKafka)
    func doctor() async throws {
        try await RelayBench.with(.real) { bench in
            try await bench.makeRevocationsTopic()
            let name = bench.kafka.topic
            let one = try RelayProcess(
                "chancery",
                ["doctor", "--json"],
                database: bench.database.settings(),
                bootstrap: bench.kafka.broker.bootstrapServers,
                topic: name
            )
            let end = await one.child.wait(on: bench.database.loop)
            #expect(end == .exited(1))
            #expect(one.log.contains("topic \(name).dlq is missing"), "\(one.log)")
            #expect(one.log.contains("topic \(name).revocations is not compacted"), "\(one.log)")
            #expect(one.log.contains("topic \(name) retention.ms is 604800000"), "\(one.log)")
            _ = one.end()
        }
    }

    @Test("later, where the brokers or the database are away", arguments: [true, false])
    func away(_ isKafka: Bool) async throws {
        try await TestDatabase.with { database in
            let owner = try await database.connect()
            defer { owner.close() }
            let grant = "GRANT CREATE ON DATABASE \(database.name) TO chancery_owner"
            try await owner.run(script: Array(grant.utf8), deadline: .soon)
            var nobody = database.settings()
            nobody.host = "/nonexistent"
            let replay = ["replay", "revocation", "--json"]
            for words in [["migrate", "--topics", "--json"], replay] {
                let one = try RelayProcess(
                    "chancery",
                    words,
                    database: isKafka ? database.settings() : nobody,
                    bootstrap: "127.0.0.1:1",
                    topic: "nowhere"
                )
                let end = await one.child.wait(on: database.loop)
                #expect(end == .exited(75), "\(words): \(one.log)")
                #expect(one.log.contains(isKafka ? "Kafka" : "/nonexistent"), "\(one.log)")
                _ = one.end()
            }
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
