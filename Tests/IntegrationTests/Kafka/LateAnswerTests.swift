import Kafka
import Runtime
import TestSupport
import Testing

@Suite("Questions whose answer does not come", .timeLimit(.minutes(2))) struct LateAnswerTests {
    @Test(
        "end when their time is over, also over the one connection of a producer",
        arguments: BrokerWay.Cut.allCases,
        [true, false]
    )
    func late(_ cut: BrokerWay.Cut, _ endsWithConnection: Bool) async throws {
        let bench = try await KafkaBench(.development, topic: "late")
        let way = try BrokerWay(to: bench.broker.bootstrapServers)
        defer { way.end() }
        try await bench.run { bench in
            let settings = KafkaClientSettings(bootstrapServers: way.address, clientID: "late")
            let producer = try Producer(
                settings,
                on: bench.loop,
                endsWithConnection: endsWithConnection
            )
            defer { producer.close() }
            let questions = Administration(
                over: producer,
                on: bench.blocking,
                timeoutMilliseconds: 1000
            )
            _ = try await questions.watermarks(of: bench.topic)
            // In the middle of one of those that follow each other.
            let cutting = Task.detached {
                try await Task.sleep(for: .milliseconds(100))
                way.cut(cut)
            }
            var begin = ContinuousClock.now
            await #expect(throws: KafkaError.self) {
                while true {
                    begin = ContinuousClock.now
                    _ = try await questions.watermarks(of: bench.topic)
                }
            }
            try await cutting.value
            let took = ContinuousClock.now - begin
            #expect(took < .seconds(20), "\(took)")
        }
    }
}
