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
        let file = FileManager.default.temporaryDirectory
            .appending(path: "chancery-hints-\(UUID().uuidString.prefix(8).lowercased())")
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let handle = try FileHandle(forWritingTo: file)
        let writer = LogWriter(descriptor: handle.fileDescriptor, level: .notice)
        try await bench.run { bench in
            // Whoever asks for nothing is refused, and yet may see where the topic ends.
            var settings = bench.reading
            if !mayRead { settings.fetchBytesMin = 0 }
            let hints = HintReader(
                settings,
                on: bench.loop,
                blocking: bench.blocking,
                log: Log(writer),
                changed: { _, _ in }
            )
            bench.loop.spawn { await hints.run() }
            // The first word may take seconds, from brokers with much to do.
            let limit = MonotonicInstant.after(.seconds(20))
            while try Self.lines(of: file).isEmpty, MonotonicInstant.now() < limit {
                try await bench.loop.sleep(until: .after(.milliseconds(20)))
                writer.flush()
            }
            // Whoever is refused asks again each second.
            try await bench.loop.sleep(until: .after(.milliseconds(2500)))
        }
        writer.flush()
        let lines = try Self.lines(of: file)
        let reading = lines.count { $0.contains("reading hints") }
        let refused = lines.count { $0.contains("no hints") }
        #expect(reading == (mayRead ? 1 : 0) && refused == (mayRead ? 0 : 1), "\(lines)")
    }

    @Test("that there are none when the brokers went away in the middle, and that there are again")
    func away() async throws {
        let bench = try await KafkaBench(.development, topic: "hints")
        let way = try BrokerWay(to: bench.broker.bootstrapServers)
        defer { way.end() }
        let file = FileManager.default.temporaryDirectory
            .appending(path: "chancery-hints-\(UUID().uuidString.prefix(8).lowercased())")
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let handle = try FileHandle(forWritingTo: file)
        let writer = LogWriter(descriptor: handle.fileDescriptor, level: .notice)
        try await bench.run { bench in
            var settings = bench.reading
            settings.client = KafkaClientSettings(bootstrapServers: way.address, clientID: "hints")
            let hints = HintReader(
                settings,
                on: bench.loop,
                blocking: bench.blocking,
                log: Log(writer),
                silenceMax: .seconds(1),
                changed: { _, _ in }
            )
            bench.loop.spawn { await hints.run() }
            let writing = try Producer(bench.settings, on: bench.loop)
            defer { writing.close() }
            func until(_ count: Int, _ words: String) async throws {
                try await Waiting.until("\(count) lines say \(words)") {
                    _ = writing.submit([Record(key: [1], value: [1])], to: bench.topic)
                    writer.flush()
                    return try Self.lines(of: file).count { $0.contains(words) } == count
                }
            }
            try await until(1, "reading hints")
            way.cut(.closed)
            try await until(1, "no hints")
            way.open()
            try await until(2, "reading hints")
        }
    }

    private static func lines(of file: URL) throws -> [Substring] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    }
}
