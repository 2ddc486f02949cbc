import Domain
import Foundation
import Kafka
import Postgres
import Publishing
import Runtime
import TestSupport
import Testing

/// The projector between the topic and its read model (invariant I11).
@Suite("Projector", .serialized, .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct ProjectorTests {
    static let kind = KafkaBench.Kind.available.last ?? .development

    @Test("the read model is that of the log, whoever is killed") func killed() async throws {
        try await RelayBench.withRelay(Self.kind) { bench in
            var projectors = [try bench.projector(), try bench.projector()]
            defer { for projector in projectors { _ = projector.end() } }
            for round in 0..<4 {
                for _ in 0..<10 {
                    try await bench.filler.append(
                        LogFiller.session(LogFiller.newStream(), versions: 1...4, ends: true)
                    )
                }
                try await bench.database.loop.sleep(until: .after(.milliseconds(500)))
                _ = projectors[round % 2].end()
                projectors[round % 2] = try bench.projector()
            }
            // Each ended session once, and nothing left to publish.
            try await bench.wait(for: 40, "SELECT count(*) FROM revocation.revocations")
            try await bench.wait(for: 0, "SELECT count(*) FROM revocation.outbox")
            try await bench.wait(for: 160, "SELECT frontier FROM revocation.progress")
            let published = try await bench.revocations()
            #expect(published.count == 40)
        }
    }

    @Test("a broker that comes back as another cluster, or a topic that is gone, costs nothing")
    func lostLog() async throws {
        try await RelayBench.withPrograms(.development) { bench, _ in
            try await bench.endSessions(3)
            try await bench.wait(for: 3, "SELECT count(*) FROM revocation.revocations")
            bench.kafka.broker.kill()
            // Committed while there is no Kafka; its log is lost.
            try await bench.endSessions(2)
            try bench.kafka.broker.restart()
            try await bench.wait(for: 5, "SELECT count(*) FROM revocation.revocations")
            try await bench.wait(for: 0, "SELECT count(*) FROM revocation.outbox")
            try await bench.wait(for: 15, "SELECT frontier FROM revocation.progress")
            // The three that only the lost cluster had come onto the new one, too, once the
            // projector has looked where it is: it does so every five seconds (decision 0096).
            var published: Set<[UInt8]> = []
            for _ in 0..<60 where published.count < 5 {
                try await bench.database.loop.sleep(until: .after(.milliseconds(500)))
                published = try await bench.revocations()
            }
            #expect(published.count == 5)
        }
    }

    @Test("a rebuild gives the same rows byte for byte, and the projector goes on with them")
    func rebuild() async throws {
        try await RelayBench.withPrograms(Self.kind) { bench, projector in
            try await bench.endSessions(20)
            try await bench.filler.append(
                LogFiller.session(LogFiller.newStream(), versions: 1...5, ends: false)
            )
            try await bench.wait(for: 65, "SELECT frontier FROM revocation.progress")
            try await bench.wait(for: 0, "SELECT count(*) FROM revocation.outbox")
            let before = try await bench.model()
            try await bench.allowSchemas()
            let first = try await bench.replay()
            #expect(first.contains("\"generation\":2,\"events\":66"), "\(first)")
            #expect(first.contains("\"added\":0,\"gone\":0"), "\(first)")
            #expect(try await bench.model() == before)

            // What the model in service lost is there again, and published again.
            let connection = try await bench.database.connect()
            defer { connection.close() }
            try await connection.run(
                script: Array(
                    """
                    DELETE FROM revocation.revocations
                     WHERE key IN (SELECT key FROM revocation.revocations ORDER BY key LIMIT 3);
                    """.utf8
                ),
                deadline: .soon
            )
            let second = try await bench.replay()
            #expect(second.contains("\"added\":3,\"gone\":0"), "\(second)")
            #expect(try await bench.model() == before)
            try await bench.wait(for: 0, "SELECT count(*) FROM revocation.outbox")
            try await bench.wait(for: 3, "SELECT late_number FROM revocation.progress")

            // The same process goes on, in the new model.
            try await bench.endSessions(1)
            try await bench.wait(for: 21, "SELECT count(*) FROM revocation.revocations")
            try await bench.wait(for: 3, "SELECT generation::bigint FROM revocation.progress")
            #expect(projector.log.contains("another model has been put in place"))
        }
    }
}

extension RelayBench {
    /// Runs `body` beside a relay that publishes to both topics.
    static func withRelay(
        _ kind: KafkaBench.Kind,
        _ body: @escaping @Sendable (RelayBench) async throws -> Void
    ) async throws {
        try await with(kind) { bench in
            try await bench.makeRevocationsTopic()
            let relay = try bench.process()
            defer { _ = relay.end() }
            try await body(bench)
        }
    }

    /// Runs `body` beside a relay and a projector.
    static func withPrograms(
        _ kind: KafkaBench.Kind,
        _ body: @escaping @Sendable (RelayBench, _ projector: RelayProcess) async throws -> Void
    ) async throws {
        try await withRelay(kind) { bench in
            let projector = try bench.projector()
            defer { _ = projector.end() }
            try await body(bench, projector)
        }
    }

    func projector(over way: BrokerWay? = nil) throws -> RelayProcess {
        try RelayProcess(
            "revocation-projector",
            database: database.settings(as: "projector"),
            bootstrap: way?.address ?? kafka.broker.bootstrapServers,
            topic: kafka.topic
        )
    }

    /// Sessions of three events each, with an end.
    func endSessions(_ count: Int) async throws {
        for _ in 0..<count {
            try await filler.append(
                LogFiller.session(LogFiller.newStream(), versions: 1...3, ends: true)
            )
        }
    }

    /// Every row of the read models as text, without what only tells when it came.
    func model() async throws -> [String] {
        let connection = try await database.connect()
        defer { connection.close() }
        return try await connection.query(
            .texts(
                """
                SELECT to_jsonb(r)::text FROM (
                  SELECT key, to_jsonb(v) - 'late_number' FROM revocation.revocations AS v
                  UNION ALL SELECT sid::text, to_jsonb(s) FROM revocation.sessions AS s
                ) AS r ORDER BY 1
                """
            ),
            deadline: .soon
        )
    }

    /// A database made from a template has not the rights that its migration gave.
    func allowSchemas() async throws {
        let connection = try await database.connect()
        defer { connection.close() }
        let text = "GRANT CREATE ON DATABASE \(database.name) TO chancery_owner;"
        try await connection.run(script: Array(text.utf8), deadline: .soon)
    }

    /// Runs `chancery replay`; what it says.
    func replay(_ words: [String] = []) async throws -> String {
        let process = try replayProcess(words)
        _ = await process.child.wait(on: database.loop)
        let said = process.log
        _ = process.end()
        return said
    }

    func replayProcess(_ words: [String] = []) throws -> RelayProcess {
        try RelayProcess(
            "chancery",
            ["replay", "revocation", "--json"] + words,
            database: database.settings(),
            bootstrap: kafka.broker.bootstrapServers,
            topic: kafka.topic
        )
    }

    func makeRevocationsTopic() async throws {
        guard kafka.broker.isReal else { return }
        let administration = try Administration(kafka.settings, on: kafka.blocking)
        let name = "\(kafka.topic).revocations"
        try await administration.create(TopicSpecification(name: name, partitions: 12))
        try await administration.wait(for: name)
    }

    /// Waits until a count is what it should be.
    func wait(for count: Int64, _ sql: String) async throws {
        let connection = try await database.connect()
        defer { connection.close() }
        let limit = MonotonicInstant.soon
        var found: Int64 = -1
        while found != count {
            try #require(MonotonicInstant.now() < limit, "\(sql) stays at \(found)")
            try await database.loop.sleep(until: .after(.milliseconds(50)))
            found = try await connection.query(.number(sql), deadline: .soon).first ?? -1
        }
    }

    /// The keys on the revocations topic, watermarks left out.
    func revocations() async throws -> Set<[UInt8]> {
        var bench = kafka
        bench.topic += ".revocations"
        let keys = try await bench.readAll().compactMap(\.key)
        return Set(keys.filter { $0.first != UInt8(ascii: "~") })
    }
}
