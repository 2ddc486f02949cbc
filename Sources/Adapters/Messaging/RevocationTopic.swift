internal import Kafka
package import Publishing
package import Runtime

// @unchecked: touched on `loop` alone.
/// The projector's way to `chancery.revocations`.
///
/// A producer ends with its connection: what was meant for one cluster must not come to another
/// (decision 0039).
package final class RevocationTopic: RevocationSink, @unchecked Sendable {
    /// Longer would keep the feed waiting.
    private static let answerMax = Duration.seconds(2)
    private static let questionMilliseconds: Int32 = 2000
    private static let endsMilliseconds: Int32 = 1000

    private let topic: KafkaTopic
    private let loop: Loop
    private let blocking: BlockingExecutor
    private let partitions: Int32
    private var connection: (producer: Producer, place: RevocationPlace)?
    private var isClosed = false
    /// Why nothing could be asked or sent the last time; nil once it could again.
    package private(set) var problem: String?

    /// Makes no connection yet; a topic with another number of partitions is refused.
    package init(
        _ topic: KafkaTopic,
        partitions: Int32,
        on loop: Loop,
        blocking: BlockingExecutor
    ) {
        self.topic = topic
        self.partitions = partitions
        self.loop = loop
        self.blocking = blocking
    }

    package func place() async throws(ProjectionTrouble) -> RevocationPlace {
        if let connection, !connection.producer.isCutOff { return connection.place }
        await leave()
        let made: (producer: Producer, place: RevocationPlace)
        do throws(KafkaError) { made = try await connect() } catch {
            problem = "\(error)"
            throw .unavailable
        }
        let count = made.place.ends.highs.count
        guard count == Int(partitions) else {
            made.producer.close()
            let reason = "topic \(topic.name) has \(count) partitions, not \(partitions)"
            problem = reason
            throw .refused(reason)
        }
        connection = made
        problem = nil
        return made.place
    }

    private func connect() async throws(KafkaError) -> (producer: Producer, place: RevocationPlace)
    {
        let producer = try Producer(topic.client, on: loop, endsWithConnection: true)
        let place: RevocationPlace
        do throws(KafkaError) {
            func asking(_ milliseconds: Int32) -> Administration {
                Administration(over: producer, on: blocking, timeoutMilliseconds: milliseconds)
            }
            let cluster = try await asking(Self.questionMilliseconds).clusterID()
            let ends = try await asking(Self.endsMilliseconds).watermarks(of: topic.name)
            place = RevocationPlace(cluster: cluster, ends: TopicEnds(ends))
        } catch {
            producer.close()
            throw error
        }
        guard !isClosed else {
            producer.close()
            throw .closed
        }
        return (producer, place)
    }

    package func publish(
        _ records: [RevocationRecord]
    ) async throws(ProjectionTrouble) -> [Int32: Int64] {
        try await send(records.map { Record(key: Array($0.key.utf8), value: $0.value) })
    }

    package func bury(_ keys: [String]) async throws(ProjectionTrouble) {
        _ = try await send(keys.map { Record(key: Array($0.utf8), value: nil) })
    }

    package func publish(_ watermark: LogWatermark) async throws(ProjectionTrouble) {
        _ = try await send(
            (0..<partitions).map {
                Record(
                    key: Array("~watermark/\($0)".utf8),
                    value: watermark.value,
                    partition: $0
                )
            }
        )
    }

    package func leave() async {
        connection?.producer.close()
        connection = nil
    }

    /// Frees the client, for good.
    package func close() {
        isClosed = true
        connection?.producer.close()
        connection = nil
    }

    /// A broker that restarts costs a connection, and no time: once it is tried over another one.
    private func send(_ records: [Record]) async throws(ProjectionTrouble) -> [Int32: Int64] {
        let before = connection
        do { return try await deliver(records) } catch {
            guard let before, before.producer.isCutOff else { throw error }
            let place = try await place()
            let isSame = place.cluster.utf8.elementsEqual(before.place.cluster.utf8)
            guard isSame, !place.ends.end(before: before.place.ends.highs) else {
                // Nothing more goes there before somebody has asked again.
                if isSame { problem = "it lacks records that it had acknowledged" }
                await leave()
                throw error
            }
        }
        return try await deliver(records)
    }

    private func deliver(_ records: [Record]) async throws(ProjectionTrouble) -> [Int32: Int64] {
        do throws(KafkaError) {
            // Not asked yet which cluster it reaches.
            guard let producer = connection?.producer else { throw .closed }
            let delivery = producer.submit(records, to: topic.name)
            let limit = MonotonicInstant.now().advanced(by: Self.answerMax)
            while try await !delivery.settled(until: limit) {
                if MonotonicInstant.now() >= limit { throw .unavailable(.timedOut) }
            }
            connection?.place.ends.move(to: delivery.ends)
            problem = nil
            return delivery.ends
        } catch {
            problem = "\(error)"
            // What arrived of it arrives again, perhaps behind a newer value of the key: readers go
            // by its number (Events.md, rules for consumers).
            await leave()
            throw .unavailable
        }
    }
}
