import Foundation
import Kafka
import Runtime
import TestSupport
import Testing

/// A broker, a topic of its own with 12 partitions, and a loop to work on.
struct KafkaBench: Sendable {
    let broker: PrivateBroker
    var topic: String
    let loop: Loop
    let blocking = BlockingExecutor()

    /// Which broker to work with.
    enum Kind: String, Sendable, CustomTestStringConvertible {
        case development, real
        var testDescription: String { rawValue }

        /// Those to be had; a test of its own reports the skip of the real one.
        static var available: [Kind] {
            PrivateBroker.isRealAvailable ? [.development, .real] : [.development]
        }
    }

    init(
        _ kind: Kind,
        topic: String,
        refusesGroups: Bool = false,
        loop: Loop? = nil
    ) async throws {
        self.topic = "\(topic)-\(UUID().uuidString.prefix(8).lowercased())"
        broker =
            switch kind {
            case .real: try .real()
            case .development:
                try .development(
                    [self.topic: 12, "\(self.topic).revocations": 12],
                    refusesGroups: refusesGroups
                )
            }
        self.loop = try loop ?? Loop(name: "kafka-test")
        if kind == .real {
            let administration = try Administration(settings, on: blocking)
            try await administration.create(
                TopicSpecification(name: self.topic, partitions: 12)
            )
            try await administration.wait(for: self.topic)
        }
    }

    var settings: KafkaClientSettings {
        KafkaClientSettings(bootstrapServers: broker.bootstrapServers, clientID: "tests")
    }

    var reading: ReaderSettings {
        ReaderSettings(settings, topic: topic, fetchWaitMilliseconds: broker.isReal ? 500 : 5)
    }

    /// Runs `body` on the loop; ends the broker when it was this bench's alone.
    func run(_ body: @escaping @Sendable (Self) async throws -> Void) async throws {
        loop.start()
        defer {
            loop.end()
            if !broker.isReal { broker.stop() }
        }
        try await loop.answer { try await body(self) }
    }

    /// Every record that is in the topic now, in order per partition.
    func readAll() async throws -> [ReceivedRecord] {
        let administration = try Administration(settings, on: blocking)
        let ends = try await administration.watermarks(of: topic)
        let reader = try Reader(reading, from: ends.mapValues(\.low), on: loop)
        defer { reader.close() }
        var open = Set(ends.filter { $0.value.high > $0.value.low }.keys)
        var records: [ReceivedRecord] = []
        let limit = MonotonicInstant.soon
        while !open.isEmpty {
            try #require(MonotonicInstant.now() < limit, "partitions \(open) have no end")
            for reading in try await reader.next(atMost: 500, until: limit) {
                let place: (partition: Int32, next: Int64)
                switch reading {
                case .record(let record):
                    records.append(record)
                    place = (record.partition, record.offset + 1)
                case .end(let partition, let next): place = (partition, next)
                }
                // The last records may have been compacted away: the end tells, too.
                if let end = ends[place.partition]?.high, place.next >= end {
                    open.remove(place.partition)
                }
            }
        }
        return records
    }
}

extension Administration {
    /// Waits until a new topic has a leader for every partition.
    func wait(for topic: String) async throws {
        try await Waiting.until("\(topic) has leaders") {
            (try? await watermarks(of: topic).isEmpty) == false
        }
    }
}
