import Domain
import Messaging
import Persistence
import Postgres
import Publishing
import Runtime
import TestSupport
import Testing

/// What Kafka has acknowledged, kept in PostgreSQL, against what Kafka still has.
@Suite("What Kafka has acknowledged", .serialized, .timeLimit(.minutes(5)), .keepsClusterOnFailure)
struct LostTailTests {
    @Test(
        "is published again when a broker came back without its newest records",
        .needsKafka,
        .needsOwnKafka,
        arguments: [false, true]
    ) func again(_ leads: Bool) async throws {
        try await RelayBench.with(.real) { bench in
            try await bench.filler.append(
                LogFiller.session(LogFiller.newStream(), versions: 1...20, ends: true)
            )
            for _ in 1...20 {
                try await bench.filler.append(
                    LogFiller.session(LogFiller.newStream(), versions: 1...2, ends: true)
                )
            }
            let count: Int64 = 1 + 20 + 20 * 2
            var (first, publisher) = bench.relay()
            try await first.turns { try await bench.ledgerCount() == count }
            if !leads { await first.end() }
            bench.kafka.broker.kill()
            try bench.kafka.broker.loseTails(of: bench.kafka.topic)
            try bench.kafka.broker.restart()
            // A partition's leader is not there at once.
            func numbers() async -> Int? { try? await Set(bench.published().map(\.index)).count }
            try await Waiting.until("its topic can be read") { await numbers() != nil }
            #expect(try #require(await numbers()) < count)
            var (second, secondPublisher) = leads ? (first, publisher) : bench.relay()
            try await second.turns { await numbers().map(Int64.init) == count }
            try await bench.checkTopic()
            #expect(second.status.lossCount == 1)
            await second.end()
            publisher.close()
            secondPublisher.close()
        }
    }

    @Test("is kept with the numbers, for the topic of one name on one cluster") func kept()
        async throws
    {
        try await TestDatabase.with { database in
            func term(on topic: String, _ work: (PostgresRelayLog, RelayTerm) async throws -> Void)
                async throws
            {
                let log = database.relayLog(topic: topic)
                try await Waiting.until("the lead is free") { try await log.lead() != nil }
                try await work(log, try Fixture.some(try await log.lead()))
                await log.resign()
            }
            try await term(on: "one") { log, term in
                #expect(term.clusterID == nil)
                #expect(term.acknowledged == [:])
                let epoch = term.relayEpoch
                try await log.adopt(cluster: "c", acknowledged: [0: 5, 2: 1 << 40], by: epoch)
            }
            try await term(on: "one") { log, term in
                #expect(term.clusterID == "c")
                #expect(term.acknowledged == [0: 5, 2: 1 << 40])
                try await log.record(
                    [],
                    cursor: term.cursor,
                    acknowledged: [11: 3],
                    by: term.relayEpoch
                )
            }
            try await term(on: "two") { log, term in
                #expect(term.clusterID == nil)
                #expect(term.acknowledged == [11: 3])
                try await log.adopt(cluster: "c", acknowledged: [1: 1], by: term.relayEpoch)
            }
            try await term(on: "one") { _, term in #expect(term.clusterID == nil) }
        }
    }

    @Test("of a log published before names were kept, counts for the topic of the next relay")
    func nameless() async throws {
        try await TestDatabase.with { database in
            let owner = try await database.connect()
            defer { owner.close() }
            let script = "UPDATE es.relay_cursor SET cluster_id = 'c', next_index = 9"
            try await owner.run(script: Array(script.utf8), deadline: .soon)
            for (topic, cluster) in [("one", "c"), ("two", nil), ("one", "c")] {
                let log = database.relayLog(topic: topic)
                try await Waiting.until("\(topic) leads") {
                    try await log.lead().map { $0.clusterID == cluster } ?? false
                }
                await log.resign()
            }
        }
    }
}
