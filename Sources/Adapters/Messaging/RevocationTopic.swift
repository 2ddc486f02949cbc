internal import Kafka
package import Publishing
package import Runtime

// @unchecked: touched on `loop` alone.
/// The projector's way to `chancery.revocations`.
package final class RevocationTopic: RevocationSink, @unchecked Sendable {
    /// Longer would keep the feed waiting.
    private static let answerMax = Duration.seconds(2)

    private let topic: EventTopic
    private let loop: Loop
    private let partitions: Int32
    private var producer: Producer?

    /// Makes no connection yet.
    package init(_ topic: EventTopic, partitions: Int32, on loop: Loop) {
        self.topic = topic
        self.partitions = partitions
        self.loop = loop
    }

    package func publish(_ records: [RevocationRecord]) async throws(ProjectionTrouble) {
        try await send(records.map { Record(key: Array($0.key.utf8), value: $0.value) })
    }

    package func bury(_ keys: [String]) async throws(ProjectionTrouble) {
        try await send(keys.map { Record(key: Array($0.utf8), value: nil) })
    }

    package func publish(_ watermark: LogWatermark) async throws(ProjectionTrouble) {
        try await send(
            (0..<partitions).map {
                Record(
                    key: Array("~watermark/\($0)".utf8),
                    value: watermark.value,
                    partition: $0
                )
            }
        )
    }

    /// Frees the client.
    package func close() {
        producer?.close()
        producer = nil
    }

    private func send(_ records: [Record]) async throws(ProjectionTrouble) {
        do throws(KafkaError) {
            if producer == nil { producer = try Producer(topic.client, on: loop) }
            guard let delivery = producer?.submit(records, to: topic.name) else { return }
            let limit = MonotonicInstant.now().advanced(by: Self.answerMax)
            while try await !delivery.settled(until: limit) {
                if MonotonicInstant.now() >= limit { throw .unavailable(.timedOut) }
            }
        } catch {
            // What arrived of it arrives again, perhaps behind a newer value of the key: readers go
            // by its number (Events.md, rules for consumers).
            close()
            throw .unavailable
        }
    }
}
