internal import Kafka
internal import Publishing
internal import Runtime

/// Reads the last records of every partition of a topic.
struct TopicTail {
    /// Shorter than a silence after which a relay or a projector is deposed.
    private static let timeMax = Duration.seconds(8)

    private let topic: KafkaTopic
    private let loop: Loop

    init(_ topic: KafkaTopic, on loop: Loop) {
        self.topic = topic
        self.loop = loop
    }

    /// At most `count` records of each partition, ending where `ends` says.
    ///
    /// - Throws: `.unavailable` when that takes longer than eight seconds.
    func last(_ count: Int, before ends: TopicEnds) async throws(KafkaError) -> [LogRecord] {
        var starts: [Int32: Int64] = [:]
        var open: [Int32: Int64] = [:]
        for (partition, high) in ends.highs {
            guard let low = ends.lows[partition], low < high else { continue }
            starts[partition] = max(low, high - Int64(count))
            open[partition] = high
        }
        guard !open.isEmpty else { return [] }
        let reader = try Reader(topic.reading, from: starts, on: loop)
        defer { reader.close() }
        let deadline = loop.now.advanced(by: Self.timeMax)
        var records: [LogRecord] = []
        while !open.isEmpty {
            let readings = try await reader.next(atMost: 500, until: deadline)
            // Also while records keep coming: of a busy topic they may be others than asked for.
            guard MonotonicInstant.now() < deadline else { throw .unavailable(.timedOut) }
            for reading in readings {
                switch reading {
                case .record(let record):
                    guard let end = open[record.partition] else { continue }
                    if record.offset < end { records.append(LogRecord(record.published)) }
                    if record.offset + 1 >= end { open[record.partition] = nil }
                case .end(let partition, let next):
                    if let end = open[partition], next >= end { open[partition] = nil }
                }
            }
        }
        return records
    }
}

extension TopicEnds {
    init(_ ends: [Int32: Watermarks]) {
        self.init(lows: ends.mapValues(\.low), highs: ends.mapValues(\.high))
    }
}
