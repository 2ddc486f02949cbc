package import EventFormat
internal import Kafka
package import Runtime

// @unchecked: touched on `loop` alone.
/// Reads `chancery.events` from given offsets, record by record as published.
package final class EventReader: @unchecked Sendable {
    /// A record and where it stood.
    package struct Item: Sendable {
        package let partition: Int32
        package let offset: Int64
        package let record: PublishedRecord
    }

    /// Why nothing more can be read.
    package enum Failure: Error, Hashable, Sendable {
        /// Brokers are away; again later.
        case unavailable
        /// What stood at the offset is deleted: the read model has missed history.
        case missedHistory(partition: Int32)
        /// An operator has to act.
        case refused(String)
    }

    private let topic: EventTopic
    private let loop: Loop
    private let blocking: BlockingExecutor
    private var reader: Reader?

    /// Makes no connection yet.
    package init(_ topic: EventTopic, on loop: Loop, blocking: BlockingExecutor) {
        self.topic = topic
        self.loop = loop
        self.blocking = blocking
    }

    /// The cluster that answers, and the first offset of each partition.
    package func ends() async throws(Failure) -> (cluster: String, lows: [Int32: Int64]) {
        do throws(KafkaError) {
            let administration = try Administration(
                topic.client,
                on: blocking,
                timeoutMilliseconds: 3000
            )
            let cluster = try await administration.clusterID()
            let ends = try await administration.watermarks(of: topic.name)
            return (cluster, ends.mapValues(\.low))
        } catch { throw Self.failure(error) }
    }

    /// Starts reading each partition at its offset.
    package func start(from offsets: [Int32: Int64], onCluster id: String) throws(Failure) {
        stop()
        do throws(KafkaError) {
            let settings = topic.suited(toCluster: id).reading
            reader = try Reader(settings, from: offsets, on: loop)
        } catch { throw Self.failure(error) }
    }

    /// The next records, at most `limit`; none at `instant`.
    package func next(
        atMost limit: Int,
        until instant: MonotonicInstant
    ) async throws(Failure) -> [Item] {
        guard let reader else { throw .unavailable }
        do throws(KafkaError) {
            return try await reader.next(atMost: limit, until: instant).compactMap { reading in
                guard case .record(let record) = reading else { return nil }
                return Item(
                    partition: record.partition,
                    offset: record.offset,
                    record: record.published
                )
            }
        } catch { throw Self.failure(error) }
    }

    /// Stops reading.
    package func stop() {
        reader?.close()
        reader = nil
    }

    private static func failure(_ error: KafkaError) -> Failure {
        switch error {
        case .unavailable, .fatal, .closed: .unavailable
        case .offsetOutOfRange(let partition): .missedHistory(partition: partition)
        case .configuration, .unknownTopic, .topicExists, .unsupported, .refused:
            .refused("\(error)")
        }
    }
}
