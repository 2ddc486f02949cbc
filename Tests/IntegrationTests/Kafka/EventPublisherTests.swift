import EventFormat
import Messaging
import Publishing
import Runtime
import TestSupport
import Testing

@Suite("The relay's way to its topic") struct EventPublisherTests {
    @Test("what was on its way when it was closed is never taken for confirmed")
    func closed() async throws {
        let bench = try await KafkaBench(.development, topic: "publisher")
        try await bench.run { bench in
            let publisher = KafkaEventPublisher(
                KafkaTopic(bench.settings, name: bench.topic),
                partitions: 12,
                on: bench.loop,
                blocking: bench.blocking,
                log: .discarding,
                allowsDevelopmentBroker: true
            )
            _ = try await publisher.clusterID()
            let record = PublishedRecord(key: [1], headers: .init([]), value: [2])
            await publisher.submit([record])
            await publisher.submit([record])
            publisher.close()
            for _ in 1...2 {
                await #expect(throws: PublisherError.broken) {
                    try await publisher.settled(within: .zero)
                }
            }
            // A turn that still runs makes no new client.
            await publisher.renew()
            await #expect(throws: PublisherError.broken) { try await publisher.clusterID() }
            await #expect(throws: PublisherError.broken) { try await publisher.ends() }
        }
    }

    @Test("a topic that has another number of partitions is refused, whenever it is asked for")
    func partitions() async throws {
        let bench = try await KafkaBench(.development, topic: "publisher")
        try await bench.run { bench in
            let publisher = KafkaEventPublisher(
                KafkaTopic(bench.settings, name: bench.topic),
                partitions: 6,
                on: bench.loop,
                blocking: bench.blocking,
                log: .discarding,
                allowsDevelopmentBroker: true
            )
            defer { publisher.close() }
            let refused = PublisherError.refused("topic \(bench.topic) has 12 partitions, not 6")
            await #expect(throws: refused) { try await publisher.clusterID() }
            await #expect(throws: refused) { try await publisher.ends() }
        }
    }
}
