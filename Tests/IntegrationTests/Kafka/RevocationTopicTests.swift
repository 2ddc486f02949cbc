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
}
