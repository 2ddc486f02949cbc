import Kafka
import Runtime

/// Records of an event's size straight to Kafka, without log, relay or ledger.
enum FloorProducer {
    static let header = "sent"
    private static let everyMilliseconds: Int64 = 2
    private static let valueBytes = 400

    /// `BROKERS TOPIC PARTITIONS RATE`; publishes until it is killed.
    static func run(_ words: ArraySlice<String>) throws {
        let words = Array(words)
        guard words.count == 4, let partitions = Int32(words[2]), let rate = Double(words[3]) else {
            return
        }
        let loop = try Loop(name: "floor")
        let client = KafkaClientSettings(bootstrapServers: words[0], clientID: "floor")
        loop.spawn {
            if let producer = try? Producer(client, on: loop) {
                try? await publish(rate, to: words[1], partitions, by: producer, on: loop)
            }
            loop.stop()
        }
        loop.run()
    }

    private static func publish(
        _ rate: Double,
        to topic: String,
        _ partitions: Int32,
        by producer: Producer,
        on loop: Loop
    ) async throws {
        let begin = MonotonicInstant.now()
        let value = [UInt8](repeating: UInt8(ascii: "x"), count: valueBytes)
        var count = 0
        while true {
            let due = Int(MonotonicInstant.now().since(begin) / .seconds(1) * rate)
            let now = Array("\(WallTime.nowMicroseconds())".utf8)
            let records = (count..<max(count, due)).map { number in
                Record(
                    key: Array("\(number)".utf8),
                    value: value,
                    headers: Record.Headers([Record.Header(header, now)]),
                    partition: Int32.random(in: 0..<partitions)
                )
            }
            count = max(count, due)
            if !records.isEmpty { _ = producer.submit(records, to: topic) }
            try await loop.sleep(until: loop.now.advanced(by: .milliseconds(everyMilliseconds)))
        }
    }
}
