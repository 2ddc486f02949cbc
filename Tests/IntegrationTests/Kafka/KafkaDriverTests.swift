import Kafka
import Runtime
import TestSupport
import Testing

/// The driver against Apache Kafka, and what it must also do against the development broker.
@Suite("Kafka driver", .serialized, .timeLimit(.minutes(4))) struct KafkaDriverTests {
    private func records(_ range: Range<Int>, keys: Int = 7) -> [Record] {
        range.map { number in
            Record(
                key: Array("key-\(number % keys)".utf8),
                value: Array("\(number)".utf8),
                headers: Record.Headers([
                    .init("number", Array("\(number)".utf8)), .init("empty", []),
                ])
            )
        }
    }

    @Test("brings every record in order per key", arguments: KafkaBench.Kind.available)
    func order(_ kind: KafkaBench.Kind) async throws {
        let bench = try await KafkaBench(kind, topic: "driver-order")
        try await bench.run { bench in
            let producer = try Producer(bench.settings, on: bench.loop)
            defer { producer.close() }
            // More than librdkafka takes at once.
            let count = Producer.queuedMax + 20_000
            let all = records(0..<count)
            let first = producer.submit(Array(all[..<(count - 5000)]), to: bench.topic)
            let second = producer.submit(Array(all[(count - 5000)...]), to: bench.topic)
            #expect(try await second.settled(until: .soon))
            #expect(try await first.settled(until: .soon))

            let read = try await bench.readAll()
            #expect(read.count == count)
            var last: [[UInt8]: Int] = [:]
            for record in read {
                let key = try #require(record.key)
                let value = try #require(record.value)
                let number = try #require(Int(String(decoding: value, as: UTF8.self)))
                #expect(last[key, default: -1] < number)
                last[key] = number
                #expect(record.header("number") == value)
                #expect(record.header("empty") == [])
                #expect(record.header("absent") == nil)
            }
        }
    }

    @Test(
        "writes tombstones, keyless records and chosen partitions",
        arguments: KafkaBench.Kind.available
    )
    func shapes(_ kind: KafkaBench.Kind) async throws {
        let bench = try await KafkaBench(kind, topic: "driver-shapes")
        try await bench.run { bench in
            let producer = try Producer(bench.settings, on: bench.loop)
            defer { producer.close() }
            try await producer.publish(
                [
                    Record(key: [1], value: nil, partition: 3),
                    Record(key: nil, value: [], partition: 3),
                    Record(key: nil, value: [2], partition: 4),
                ],
                to: bench.topic
            )
            let read = try await bench.readAll()
            #expect(read.filter { $0.partition == 3 }.map(\.key) == [[1], nil])
            #expect(read.filter { $0.partition == 3 }.map(\.value) == [nil, []])
            #expect(read.filter { $0.partition == 4 }.map(\.value) == [[2]])
        }
    }

    @Test(
        "starts where it is told and says where a partition ends",
        arguments: KafkaBench.Kind.available
    )
    func offsets(_ kind: KafkaBench.Kind) async throws {
        let bench = try await KafkaBench(kind, topic: "driver-offsets")
        try await bench.run { bench in
            let producer = try Producer(bench.settings, on: bench.loop)
            defer { producer.close() }
            let records = (0..<10).map { Record(key: nil, value: [UInt8($0)], partition: 2) }
            try await producer.publish(records, to: bench.topic)

            let reader = try Reader(bench.reading, from: [2: 7], on: bench.loop)
            defer { reader.close() }
            var values: [[UInt8]?] = []
            var ends: [Int64] = []
            while ends.isEmpty {
                for reading in try await reader.next(atMost: 2, until: .soon) {
                    switch reading {
                    case .record(let record): values.append(record.value)
                    case .end(_, let next): ends.append(next)
                    }
                }
            }
            #expect(values == [[7], [8], [9]])
            #expect(ends == [10])
            // Nothing more: the wait ends by itself.
            #expect(try await reader.next(atMost: 10, until: .after(.milliseconds(200))).isEmpty)
            // And it ends at once when something comes.
            async let next = reader.next(atMost: 10, until: .soon)
            try await producer.publish(
                [Record(key: nil, value: [99], partition: 2)],
                to: bench.topic
            )
            guard case .record(let late)? = try await next.first else {
                Issue.record("no record")
                return
            }
            #expect(late.value == [99])
        }
    }

    @Test("reads on where the brokers grant no right to a consumer group") func noGroups()
        async throws
    {
        let bench = try await KafkaBench(.development, topic: "driver-group", refusesGroups: true)
        try await bench.run { bench in
            let producer = try Producer(bench.settings, on: bench.loop)
            defer { producer.close() }
            let reader = try Reader(bench.reading, from: [2: 0], on: bench.loop)
            defer { reader.close() }
            // For as long as it takes librdkafka to ask, be refused and ask again.
            for number in UInt8(0)..<4 {
                try await bench.loop.sleep(until: .after(.seconds(1)))
                try await producer.publish(
                    [Record(key: nil, value: [number], partition: 2)],
                    to: bench.topic
                )
                var values: [[UInt8]?] = []
                while values.isEmpty {
                    for case .record(let record) in try await reader.next(atMost: 9, until: .soon) {
                        values.append(record.value)
                    }
                }
                #expect(values == [[number]])
            }
        }
    }

    @Test("reports an offset that is not there", arguments: KafkaBench.Kind.available)
    func outOfRange(_ kind: KafkaBench.Kind) async throws {
        let bench = try await KafkaBench(kind, topic: "driver-range")
        try await bench.run { bench in
            let reader = try Reader(bench.reading, from: [0: 1000], on: bench.loop)
            defer { reader.close() }
            await #expect(throws: KafkaError.offsetOutOfRange(partition: 0)) {
                for _ in 0..<60 {
                    _ = try await reader.next(atMost: 10, until: .after(.seconds(1)))
                }
            }
        }
    }

    @Test("waits for a broker that is away, and loses nothing", .needsKafka)
    func away() async throws {
        let bench = try await KafkaBench(.real, topic: "driver-away")
        try await bench.run { bench in
            let producer = try Producer(bench.settings, on: bench.loop)
            defer { producer.close() }
            try await producer.publish(records(0..<10), to: bench.topic)
            bench.broker.kill()
            let delivery = producer.submit(records(10..<20), to: bench.topic)
            #expect(try await !delivery.settled(until: .after(.milliseconds(500))))
            try bench.broker.restart()
            #expect(try await delivery.settled(until: .soon))
            #expect(try await bench.readAll().count == 20)
        }
    }

    @Test("a producer that ends with its connection gives nothing to who comes after")
    func cutOff() async throws {
        let bench = try await KafkaBench(.development, topic: "driver-cut")
        try await bench.run { bench in
            let producer = try Producer(
                bench.settings,
                on: bench.loop,
                endsWithConnection: true
            )
            defer { producer.close() }
            let before = try await Administration(over: producer, on: bench.blocking).clusterID()
            try await producer.publish(records(0..<10), to: bench.topic)
            #expect(!producer.isCutOff)
            bench.broker.kill()
            let delivery = producer.submit(records(10..<20), to: bench.topic)
            await #expect {
                _ = try await delivery.settled(until: .soon)
            } throws: { error in
                if case .fatal? = error as? KafkaError { true } else { false }
            }
            #expect(producer.isCutOff)
            try bench.broker.restart()
            let late = producer.submit(records(20..<30), to: bench.topic)
            await #expect(throws: KafkaError.self) {
                _ = try await late.settled(until: .soon)
            }
            // The one after it is let in, by a broker that has seen nothing.
            let next = try Producer(bench.settings, on: bench.loop, endsWithConnection: true)
            defer { next.close() }
            let after = try await Administration(over: next, on: bench.blocking).clusterID()
            #expect(after != before)
            try await next.publish(records(30..<31), to: bench.topic)
            #expect(try await bench.readAll().map(\.value) == [Array("30".utf8)])
        }
    }

    @Test("a broker that is away at first is no loss") func lateBroker() async throws {
        let bench = try await KafkaBench(.development, topic: "driver-late")
        try await bench.run { bench in
            bench.broker.kill()
            let producer = try Producer(
                bench.settings,
                on: bench.loop,
                endsWithConnection: true
            )
            defer { producer.close() }
            let delivery = producer.submit(records(0..<3), to: bench.topic)
            #expect(try await !delivery.settled(until: .after(.milliseconds(300))))
            try bench.broker.restart()
            #expect(try await delivery.settled(until: .soon))
            #expect(!producer.isCutOff)
        }
    }

    @Test("knows the cluster, its partitions and its ends", arguments: KafkaBench.Kind.available)
    func administration(_ kind: KafkaBench.Kind) async throws {
        let bench = try await KafkaBench(kind, topic: "driver-admin")
        try await bench.run { bench in
            let administration = try Administration(bench.settings, on: bench.blocking)
            #expect(try await administration.partitionCount(of: bench.topic) == 12)
            let id = try await administration.clusterID()
            #expect(try await administration.clusterID() == id)
            #expect(id.utf8.starts(with: "mockCluster".utf8) == (kind == .development))
            let ends = try await administration.watermarks(of: bench.topic)
            #expect(ends.count == 12)
            #expect(ends.values.allSatisfy { $0 == Watermarks(low: 0, high: 0) })
        }
    }

    @Test("sees that a development broker came back as another cluster") func newCluster()
        async throws
    {
        let bench = try await KafkaBench(.development, topic: "driver-new")
        try await bench.run { bench in
            let administration = try Administration(bench.settings, on: bench.blocking)
            let before = try await administration.clusterID()
            bench.broker.kill()
            try bench.broker.restart()
            var after = before
            let limit = MonotonicInstant.soon
            while after == before, MonotonicInstant.now() < limit {
                after = (try? await administration.clusterID()) ?? before
                try await bench.loop.sleep(until: .after(.milliseconds(100)))
            }
            #expect(after != before)
        }
    }

    @Test("creates a topic once", .needsKafka) func creation() async throws {
        let bench = try await KafkaBench(.real, topic: "driver-created")
        try await bench.run { bench in
            let administration = try Administration(bench.settings, on: bench.blocking)
            let topic = TopicSpecification(
                name: bench.topic + ".compacted",
                partitions: 3,
                settings: ["cleanup.policy": "compact,delete", "segment.ms": "3600000"]
            )
            await #expect(throws: KafkaError.unknownTopic) {
                try await administration.partitionCount(of: topic.name)
            }
            try await administration.create(topic)
            try await administration.wait(for: topic.name)
            #expect(try await administration.partitionCount(of: topic.name) == 3)
            await #expect(throws: KafkaError.topicExists) {
                try await administration.create(topic)
            }
        }
    }

    @Test("names the setting that is wrong") func configuration() async throws {
        let bench = try await KafkaBench(.development, topic: "driver-wrong")
        try await bench.run { bench in
            var settings = bench.settings
            settings.security = .tls(authorities: "/nonexistent", certificate: nil, key: nil)
            #expect {
                try Producer(settings, on: bench.loop)
            } throws: { error in
                guard case .configuration(let text)? = error as? KafkaError else { return false }
                return text.contains("ssl.ca.location")
            }
        }
    }
}
