import Domain
import Foundation
import Kafka
import Messaging
import Runtime
import TestSupport
import Testing

/// What a reader of hints says of itself.
@Suite("What a reader of hints says", .timeLimit(.minutes(1))) struct HintReaderTests {
    @Test("that it reads, once it does; that it cannot, once", arguments: [true, false])
    func words(_ mayRead: Bool) async throws {
        let bench = try await KafkaBench(.development, topic: "hints")
        let said = try LogFile()
        defer { said.remove() }
        try await bench.run { bench in
            // Whoever asks for nothing is refused, and yet may see where the topic ends.
            var settings = bench.reading
            if !mayRead { settings.fetchBytesMin = 0 }
            let hints = HintReader(
                settings,
                on: bench.loop,
                blocking: bench.blocking,
                log: said.log,
                changed: { _, _ in }
            )
            bench.loop.spawn { await hints.run() }
            // The first word may take seconds, from brokers with much to do.
            let limit = MonotonicInstant.after(.seconds(20))
            while try said.lines().isEmpty, MonotonicInstant.now() < limit {
                try await bench.loop.sleep(until: .after(.milliseconds(20)))
            }
            // Whoever is refused asks again each second.
            try await bench.loop.sleep(until: .after(.milliseconds(2500)))
        }
        let lines = try said.lines()
        let reading = lines.count { $0.contains("reading hints") }
        let refused = lines.count { $0.contains("no hints") }
        #expect(reading == (mayRead ? 1 : 0) && refused == (mayRead ? 0 : 1), "\(lines)")
    }

    @Test("that there are none when the brokers went away in the middle, and that there are again")
    func away() async throws {
        let bench = try await KafkaBench(.development, topic: "hints")
        let way = try BrokerWay(to: bench.broker.bootstrapServers)
        defer { way.end() }
        let said = try LogFile()
        defer { said.remove() }
        try await bench.run { bench in
            var settings = bench.reading
            settings.client = KafkaClientSettings(bootstrapServers: way.address, clientID: "hints")
            let hints = HintReader(
                settings,
                on: bench.loop,
                blocking: bench.blocking,
                log: said.log,
                silenceMax: .seconds(1),
                changed: { _, _ in }
            )
            bench.loop.spawn { await hints.run() }
            let writing = try Producer(bench.settings, on: bench.loop)
            defer { writing.close() }
            func until(_ count: Int, _ words: String) async throws {
                try await Waiting.until("\(count) lines say \(words)") {
                    _ = writing.submit([Record(key: [1], value: [1])], to: bench.topic)
                    return try said.lines().count { $0.contains(words) } == count
                }
            }
            try await until(1, "reading hints")
            way.cut(.closed)
            try await until(1, "no hints")
            way.open()
            try await until(2, "reading hints")
        }
    }

    /// What a record says of the version, and what is heard of it; nil: that the stream has moved.
    static let versions: [(text: String, version: Int32?)] = [
        ("5", 5), ("+5", nil), ("-5", nil), ("5 ", nil), ("2147483648", nil), ("", nil), ("6", 6),
    ]

    @Test("of a version that is not digits alone, no more than that its stream has moved")
    func versions() async throws {
        let streams = try Self.versions.indices.map { index in
            try #require(StreamID(text: "0198c0de-0000-7000-8000-00000000000\(index)"))
        }
        let records = zip(streams, Self.versions).map { stream, row in
            let headers = Record.Headers([
                .init("ce_stream", stream.textBytes),
                .init("ce_streamversion", Array(row.text.utf8)),
            ])
            return Record(key: [1], value: [1], headers: headers)
        }
        let bench = try await KafkaBench(.development, topic: "hints")
        try await bench.run { bench in
            let heard = Guarded<[StreamID: [Int32?]]>([:])
            let hints = HintReader(
                bench.reading,
                on: bench.loop,
                blocking: bench.blocking,
                log: .discarding,
                changed: { stream, version in
                    heard.withLock { $0[stream, default: []].append(version) }
                }
            )
            bench.loop.spawn { await hints.run() }
            let writing = try Producer(bench.settings, on: bench.loop)
            defer { writing.close() }
            // What came before it read from the end is not heard.
            try await Waiting.until("the last one is heard of") {
                _ = writing.submit(records, to: bench.topic)
                return heard.current[streams[streams.count - 1]] != nil
            }
            for (stream, row) in zip(streams, Self.versions) {
                let told = heard.current[stream] ?? []
                #expect(Set(told) == [row.version], "\(row.text): \(told)")
            }
        }
    }

    /// A log that is read while it is written, where `SaidLog` is read at its end.
    private struct LogFile: Sendable {
        private let url: URL
        private let handle: FileHandle
        private let writer: LogWriter

        init() throws {
            url = FileManager.default.temporaryDirectory
                .appending(path: "chancery-hints-\(UUID().uuidString.prefix(8).lowercased())")
            try Data().write(to: url)
            handle = try FileHandle(forWritingTo: url)
            writer = LogWriter(descriptor: handle.fileDescriptor, level: .notice)
        }

        var log: Log { Log(writer) }

        func lines() throws -> [Substring] {
            writer.flush()
            return try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
        }

        func remove() { try? FileManager.default.removeItem(at: url) }
    }
}
