import Kafka
import Messaging
import Publishing
import Runtime
import TestSupport
import Testing

/// What ends the reading of events.
@Suite(
    "A reader of events",
    .enabled(if: BrokerPairs.areAvailable, "needs the openssl program"),
    .timeLimit(.minutes(2))
)
struct EventReaderTests {
    /// Reads until that ends; nil when it does not.
    private static func end(of reader: EventReader) async -> ProjectionTrouble? {
        let limit = MonotonicInstant.soon
        do throws(ProjectionTrouble) {
            while MonotonicInstant.now() < limit {
                _ = try await reader.next(atMost: 1, within: .milliseconds(100))
            }
            return nil
        } catch { return error }
    }

    @Test("ends when others may read its key by now, names it, and may begin again")
    func exposedKey() async throws {
        let files = try BrokerPairs()
        defer { files.remove() }
        let loop = try Loop.running()
        defer { loop.end() }
        // Nobody answers there, which ends no reading.
        let client = KafkaClientSettings(
            bootstrapServers: "127.0.0.1:1",
            clientID: "tests",
            security: .tls(
                authorities: files.certificate,
                certificate: files.certificate,
                key: files.key
            )
        )
        try await loop.answer {
            let reader = EventReader(
                KafkaTopic(client, name: "events"),
                partitions: 1,
                on: loop,
                blocking: BlockingExecutor(threads: 1),
                allowsDevelopmentBroker: false
            )
            try await reader.start(from: [0: 0], onCluster: "one")
            #expect(try await reader.next(atMost: 1, within: .zero).isEmpty)
            try files.protect(files.key, 0o640)
            guard case .refused(let why)? = await Self.end(of: reader) else {
                Issue.record("the reading went on, or ended for another reason")
                return
            }
            #expect(why.contains("own.key: others may read or write it"), "\(why)")
            try files.protect(files.key, 0o600)
            try await reader.start(from: [0: 0], onCluster: "one")
            #expect(try await reader.next(atMost: 1, within: .zero).isEmpty)
            await reader.stop()
        }
    }
}
