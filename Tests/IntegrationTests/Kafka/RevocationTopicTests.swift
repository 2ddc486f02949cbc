import Domain
import Kafka
import Messaging
import Publishing
import Runtime
import TestSupport
import Testing

@Suite("The projector's way to its topic") struct RevocationTopicTests {
    @Test("what is meant for one cluster does not come to another under its address")
    func bound() async throws {
        let bench = try await KafkaBench(.development, topic: "sink")
        try await bench.run { bench in
            let name = "\(bench.topic).revocations"
            let topic = RevocationTopic(
                KafkaTopic(bench.settings, name: name),
                partitions: 12,
                on: bench.loop,
                blocking: bench.blocking
            )
            defer { topic.close() }
            await #expect(throws: ProjectionTrouble.unavailable) { try await topic.bury(["early"]) }
            let before = try await topic.place().cluster
            try await topic.bury(["first"])
            #expect(try await topic.place().cluster == before)

            bench.broker.kill()
            try bench.broker.restart()
            await #expect(throws: ProjectionTrouble.unavailable) { try await topic.bury(["lost"]) }
            try await Waiting.until("the other cluster answers") {
                (try? await topic.place()).map { $0.cluster != before } ?? false
            }
            try await topic.bury(["second"])
            var there = bench
            there.topic = name
            #expect(try await there.readAll().map(\.key) == [Array("second".utf8)])
        }
    }

    @Test(
        "shows where its partitions end, and what a broker lost that came back",
        .needsKafka,
        .needsOwnKafka
    )
    func ends() async throws {
        let bench = try await KafkaBench(.real, topic: "sink")
        try await bench.run { bench in
            let topic = RevocationTopic(
                KafkaTopic(bench.settings, name: bench.topic),
                partitions: 12,
                on: bench.loop,
                blocking: bench.blocking
            )
            defer { topic.close() }
            #expect(try await topic.place().ends.isUntouched)
            var acknowledged: [Int32: Int64] = [:]
            for _ in 1...3 {
                let records = (0..<60).map { Self.record(key: "\($0)") }
                acknowledged.merge(try await topic.publish(records)) { max($0, $1) }
            }
            #expect(acknowledged.values.reduce(0, +) == 180)
            #expect(try await topic.place().ends.highs.filter { $0.value > 0 } == acknowledged)
            try await topic.bury(["7"])
            #expect(try await topic.place().ends.highs.values.reduce(0, +) == 181)

            bench.broker.kill()
            try bench.broker.loseTails(of: bench.topic)
            try bench.broker.restart()
            // Over the connection of before nothing comes, and the next one is not taken for it.
            await #expect(throws: ProjectionTrouble.unavailable) { try await topic.bury(["8"]) }
            try await Waiting.until("it answers again") { (try? await topic.place()) != nil }
            #expect(try await topic.place().ends.end(before: acknowledged))
        }
    }

    private static func record(key: String) -> RevocationRecord {
        RevocationRecord(
            key: key,
            session: SessionID(Sample.stream(1)),
            client: nil,
            token: nil,
            subject: nil,
            revokedAt: Sample.time(0),
            issuedBefore: nil,
            expiresAt: Sample.time(60),
            reason: "logout",
            log: Sample.stream(2),
            index: 1
        )
    }

    @Test("keeps why nothing was taken, until something is") func problem() async throws {
        let bench = try await KafkaBench(.development, topic: "sink")
        try await bench.run { bench in
            let topic = RevocationTopic(
                KafkaTopic(bench.settings, name: "\(bench.topic).revocations"),
                partitions: 12,
                on: bench.loop,
                blocking: bench.blocking
            )
            defer { topic.close() }
            _ = try await topic.place()
            try await topic.bury(["first"])
            #expect(topic.problem == nil)
            bench.broker.kill()
            await #expect(throws: ProjectionTrouble.unavailable) { try await topic.bury(["lost"]) }
            #expect(try #require(topic.problem).hasPrefix("no broker can do it now ("))
            try bench.broker.restart()
            try await Waiting.until("it is taken again") {
                _ = try? await topic.place()
                return (try? await topic.bury(["second"])) != nil
            }
            #expect(topic.problem == nil)
        }
    }

    @Test("takes nothing to a topic that has another number of partitions, and says so")
    func partitions() async throws {
        let bench = try await KafkaBench(.development, topic: "sink")
        try await bench.run { bench in
            let name = "\(bench.topic).revocations"
            let topic = RevocationTopic(
                KafkaTopic(bench.settings, name: name),
                partitions: 6,
                on: bench.loop,
                blocking: bench.blocking
            )
            defer { topic.close() }
            let reason = "topic \(name) has 12 partitions, not 6"
            await #expect(throws: ProjectionTrouble.refused(reason)) { try await topic.place() }
            #expect(topic.problem == reason)
            await #expect(throws: ProjectionTrouble.unavailable) { try await topic.bury(["key"]) }
        }
    }
}
