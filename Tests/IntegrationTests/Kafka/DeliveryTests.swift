import Kafka
import Runtime
import TestSupport
import Testing

@Suite("A delivery", .timeLimit(.minutes(1))) struct DeliveryTests {
    @Test("says where it ended", arguments: KafkaBench.Kind.available)
    func ends(_ kind: KafkaBench.Kind) async throws {
        let bench = try await KafkaBench(kind, topic: "delivery")
        try await bench.run { bench in
            let producer = try Producer(bench.settings, on: bench.loop)
            defer { producer.close() }
            let administration = try Administration(bench.settings, on: bench.blocking)
            var ends: [Int32: Int64] = [:]
            for batch in 1...3 {
                let records = (0..<UInt8(40 * batch)).map { Record(key: [$0], value: [$0]) }
                let delivery = producer.submit(records, to: bench.topic)
                #expect(try await delivery.settled(until: .soon))
                ends.merge(delivery.ends) { max($0, $1) }
                let found = try await administration.watermarks(of: bench.topic)
                #expect(ends == found.mapValues(\.high).filter { $0.value > 0 })
            }
        }
    }
}
