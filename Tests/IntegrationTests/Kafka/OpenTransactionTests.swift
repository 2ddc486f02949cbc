import Foundation
import Kafka
import Runtime
import TestSupport
import Testing

/// Who may write to a topic may begin a transaction there, and leave it open.
@Suite("A transaction of a stranger") struct OpenTransactionTests {
    private static let script = """
        import sys, time
        from confluent_kafka import Producer
        stranger = Producer({"bootstrap.servers": sys.argv[1], "transactional.id": "stranger"})
        stranger.init_transactions(30)
        stranger.begin_transaction()
        stranger.produce(sys.argv[2], b"stranger", partition=0)
        stranger.flush(30)
        print("open", flush=True)
        time.sleep(120)
        """

    @Test("hides neither what stands behind it nor where a partition ends", .needsKafka)
    func hidesNothing() async throws {
        let bench = try await KafkaBench(.real, topic: "driver-open")
        let output = FileManager.default.temporaryDirectory
            .appending(path: "stranger-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: output) }
        var command = ChildCommand(
            "/usr/bin/python3",
            ["-c", Self.script, bench.broker.bootstrapServers, bench.topic]
        )
        command.outputFile = output
        let stranger = try Processes.start(command)
        defer {
            stranger.signal(SIGKILL)
            _ = stranger.waitBlocking()
        }
        try await bench.run { bench in
            try await Waiting.until("the transaction is open") {
                (try? String(contentsOfFile: output, encoding: .utf8)) == "open\n"
            }
            let producer = try Producer(bench.settings, on: bench.loop)
            defer { producer.close() }
            let record = Record(key: nil, value: Array("ours".utf8), partition: 0)
            try await producer.publish([record], to: bench.topic)
            for administration in [
                try Administration(bench.settings, on: bench.blocking),
                Administration(over: producer, on: bench.blocking),
            ] {
                let ends = try await administration.watermarks(of: bench.topic)
                #expect(ends[0] == Watermarks(low: 0, high: 2))
            }
            let values = try await bench.readAll().map(\.value)
            #expect(values == [Array("stranger".utf8), Array("ours".utf8)])
        }
    }
}
