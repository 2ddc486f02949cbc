import Kafka
import Runtime

// @unchecked: touched on its loop alone.
/// Notes when each event arrives at a consumer of `chancery.events`.
final class EventTap: @unchecked Sendable {
    /// Microseconds since 1970, by log index.
    private(set) var arrivals: [Int64: Int64] = [:]
    private let reader: Reader
    private var isRunning = true

    /// Reads from the topic's end on.
    init(_ brokers: String, on loop: Loop) async throws {
        let client = ClientSettings(bootstrapServers: brokers, clientID: "benchmark")
        let administration = try Administration(client, on: BlockingExecutor())
        let ends = try await administration.watermarks(of: "chancery.events")
        reader = try Reader(
            ReaderSettings(client, topic: "chancery.events"),
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
            for reading in readings {
                guard case .record(let record) = reading, let id = record.header("ce_id"),
                    let index = Int64(String(decoding: id, as: UTF8.self))
                else { continue }  // A watermark has no number.
                arrivals[index] = now
            }
        }
        reader.close()
    }

    func forget() { arrivals = [:] }
    func stop() { isRunning = false }
}
