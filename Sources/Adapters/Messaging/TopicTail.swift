internal import Kafka
internal import Runtime

/// Reads the last records of every partition of a topic.
struct TopicTail {
    private static let timeMax = Duration.seconds(10)

    private let topic: EventTopic
    private let loop: Loop

    init(_ topic: EventTopic, on loop: Loop) {
        self.topic = topic
        self.loop = loop
    }

    /// At most `count` records of each partition, ending where `ends` says.
    ///
    /// - Throws: `.unavailable` when that takes longer than ten seconds.
    func last(
        _ count: Int,
        before ends: [Int32: Watermarks]
    ) async throws(KafkaError) -> [ReceivedRecord] {
        var open = ends.filter { $0.value.high > $0.value.low }.mapValues(\.high)
        guard !open.isEmpty else { return [] }
        let starts = ends.filter { open[$0.key] != nil }.mapValues { ends in
            max(ends.low, ends.high - Int64(count))
        }
        let reader = try Reader(topic.reading, from: starts, on: loop)
        defer { reader.close() }
        let deadline = loop.now.advanced(by: Self.timeMax)
        var records: [ReceivedRecord] = []
        while !open.isEmpty {
            let readings = try await reader.next(atMost: 500, until: deadline)
            if readings.isEmpty, MonotonicInstant.now() >= deadline {
                throw .unavailable(.timedOut)
            }
            for reading in readings {
                switch reading {
                case .record(let record):
                    records.append(record)
                    if let end = open[record.partition], record.offset + 1 >= end {
                        open[record.partition] = nil
                    }
                case .end(let partition, let next):
                    if let end = open[partition], next >= end { open[partition] = nil }
                }
            }
        }
        return records
    }
}
