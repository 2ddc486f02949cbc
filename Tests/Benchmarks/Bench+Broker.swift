import Foundation
import Kafka
import Runtime

/// What commit to consumer takes at least: records of the same size at the same rate, straight from
/// a producer to the broker to a consumer, on the same CPUs beside the same refreshes.
extension Bench {
    func brokerFloor(_ rate: Double, beside load: FixedRate) async throws {
        for program in ["revocation-projector", "event-relay"] { stack.stop(program) }
        // As the product's topic, and in one request where that takes one for each partition.
        for partitions in [12, 1] as [Int32] {
            let topic = "floor-\(partitions)"
            try await makeTopic(topic, partitions)
            let tap = try await EventTap(stack.brokers, topic: topic, on: loop)
            let reading = loop.spawn { try? await tap.run() }
            let producer = try Subprocess.run(
                "/usr/bin/taskset",
                [
                    "-c", Machine.serverCPU, CommandLine.arguments[0], "--floor-producer",
                    stack.brokers, topic, "\(partitions)", "\(rate)",
                ]
            )
            // It knows no other end.
            defer { kill(producer.processIdentifier, SIGKILL) }
            try await loop.sleep(until: loop.now.advanced(by: .seconds(3)))
            tap.forget()
            load.reset()
            let way = WayMeter(stack)
            try await loop.sleep(until: loop.now.advanced(by: .seconds(options.seconds)))
            let profile = way.finish()
            report.note(
                "floor of it, \(partitions) partitions, producer to consumer alone: "
                    + Self.text(Self.latencies(from: tap.handedOver, to: tap.arrivals))
            )
            if let shares = profile.first { report.note(shares) }
            reportLoad(load)
            tap.stop()
            await reading.value
        }
    }

    private func makeTopic(_ name: String, _ partitions: Int32) async throws {
        let administration = try Administration(
            KafkaClientSettings(bootstrapServers: stack.brokers, clientID: "benchmark"),
            on: BlockingExecutor()
        )
        do {
            try await administration.create(
                TopicSpecification(name: name, partitions: partitions)
            )
        } catch KafkaError.topicExists {}
        // Until every partition has its leader.
        let limit = MonotonicInstant.now().advanced(by: .seconds(20))
        while (try? await administration.watermarks(of: name)) == nil {
            guard MonotonicInstant.now() < limit else {
                throw Subprocess.Failed(description: "topic \(name) has no leaders")
            }
            try await loop.sleep(until: MonotonicInstant.now().advanced(by: .milliseconds(100)))
        }
    }
}
