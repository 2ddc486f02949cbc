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
        try await RelayBench.with(Self.kind) { bench in
            try await bench.makeRevocationsTopic()
            let relay = try bench.process()
            defer { _ = relay.end() }
            var projectors = [try bench.projector(), try bench.projector()]
            defer { for projector in projectors { _ = projector.end() } }
            for round in 0..<4 {
                for _ in 0..<10 {
                    try await bench.filler.append(
                        LogFiller.session(LogFiller.newStream(), versions: 1...4, ends: true)
                    )
                }
                try await bench.database.loop.sleep(until: .inSeconds(0.5))
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
}

extension RelayBench {
    func projector() throws -> RelayProcess {
        try RelayProcess(
            "revocation-projector",
            database: database.settings(as: "projector"),
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
        let limit = MonotonicInstant.inSeconds(40)
        var found: Int64 = -1
        while found != count {
            try #require(MonotonicInstant.now() < limit, "\(sql) stays at \(found)")
            try await database.loop.sleep(until: .inSeconds(0.05))
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
