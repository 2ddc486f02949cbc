import Kafka
import Runtime

// @unchecked: touched on its loop alone.
/// Notes when each event arrives at a consumer of `chancery.events`.
final class EventTap: @unchecked Sendable {
    /// Microseconds since 1970, by log index.
    private(set) var arrivals: [Int64: Int64] = [:]
    /// When the relay handed each to its producer, likewise, exact to a millisecond.
    private(set) var handedOver: [Int64: Int64] = [:]
    private let reader: Reader
    private var isRunning = true

    /// Reads from the topic's end on.
    init(_ brokers: String, topic: String = "chancery.events", on loop: Loop) async throws {
        let client = KafkaClientSettings(bootstrapServers: brokers, clientID: "benchmark")
        let administration = try Administration(client, on: BlockingExecutor())
        let ends = try await administration.watermarks(of: topic)
        reader = try Reader(
            ReaderSettings(client, topic: topic),
            from: ends.mapValues(\.high),
            on: loop
        )
    }

    /// Notes arrivals until `stop`.
    func run() async throws {
        while isRunning {
            let limit = MonotonicInstant.now().advanced(by: .milliseconds(200))
            let readings = try await reader.next(atMost: 1000, until: limit)
            let now = WallTime.nowMicroseconds()
            for case .record(let record) in readings { note(record, at: now) }
        }
        reader.close()
    }

    private func note(_ record: ReceivedRecord, at now: Int64) {
        if let sent = Self.number(record.header(FloorProducer.header)) {
            let index = Int64(arrivals.count)
            (handedOver[index], arrivals[index]) = (sent, now)
        } else if let index = Self.number(record.header("ce_id")) {  // A watermark has none.
            arrivals[index] = now
            // The middle of the millisecond that Kafka keeps.
            handedOver[index] = record.createdMilliseconds.map { $0 * 1000 + 500 }
        }
    }

    private static func number(_ text: [UInt8]?) -> Int64? {
        text.flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
    }

    func forget() {
        arrivals = [:]
        handedOver = [:]
    }

    func stop() { isRunning = false }
}
