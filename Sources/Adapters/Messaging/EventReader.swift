internal import Domain
internal import Kafka
package import Publishing
package import Runtime

// @unchecked: touched on `loop` alone.
/// Reads `chancery.events` from given offsets, record by record as published.
package final class EventReader: EventSource, @unchecked Sendable {
    /// How often the id of the cluster is asked while reading.
    private static let lookEvery = Duration.seconds(5)

    private let topic: KafkaTopic
    private let partitions: Int32
    private let allowsDevelopmentBroker: Bool
    private let loop: Loop
    private let blocking: BlockingExecutor
    private var reader: Reader?
    private var isLooking = false
    /// How often reading was begun: an answer from before says nothing of now.
    private var starts = 0
    /// Why the settings make no client any more, since reading was begun.
    private var refusal: KafkaError?
    /// The cluster that answered last.
    package private(set) var currentCluster: String?

    /// Makes no connection yet; a topic with another number of partitions is refused.
    ///
    /// A development broker forgets everything when it ends, so it is refused unless allowed
    /// (Security 10.8).
    package init(
        _ topic: KafkaTopic,
        partitions: Int32,
        on loop: Loop,
        blocking: BlockingExecutor,
        allowsDevelopmentBroker: Bool
    ) {
        self.topic = topic
        self.partitions = partitions
        self.loop = loop
        self.blocking = blocking
        self.allowsDevelopmentBroker = allowsDevelopmentBroker
    }

    package func ends() async throws(ProjectionTrouble) -> (cluster: String, topic: TopicEnds) {
        let cluster: String
        let ends: [Int32: Watermarks]
        do throws(KafkaError) {
            let administration = try administration()
            cluster = try await administration.clusterID()
            ends = try await administration.watermarks(of: topic.name)
        } catch { throw Self.trouble(error) }
        guard allowsDevelopmentBroker || !KafkaTopic.isDevelopment(cluster: cluster) else {
            throw .refused("the brokers are a development broker")
        }
        guard ends.count == Int(partitions) else {
            throw .refused("topic \(topic.name) has \(ends.count) partitions, not \(partitions)")
        }
        currentCluster = cluster
        return (cluster, TopicEnds(ends))
    }

    package func tail(
        _ count: Int,
        before ends: TopicEnds
    ) async throws(ProjectionTrouble) -> [LogRecord] {
        let suited = currentCluster.map { topic.suited(toCluster: $0) } ?? topic
        do throws(KafkaError) {
            return try await TopicTail(suited, on: loop).last(count, before: ends)
        } catch { throw Self.trouble(error) }
    }

    package func start(
        from offsets: [Int32: Int64],
        onCluster id: String
    ) async throws(ProjectionTrouble) {
        await stop()
        starts += 1
        refusal = nil
        do throws(KafkaError) {
            reader = try Reader(topic.suited(toCluster: id).reading, from: offsets, on: loop)
        } catch { throw Self.trouble(error) }
        look()
    }

    package func next(
        atMost limit: Int,
        within time: Duration
    ) async throws(ProjectionTrouble) -> [EventSourceRecord] {
        guard let reader else { throw .unavailable }
        if let refusal { throw Self.trouble(refusal) }
        let instant = MonotonicInstant.now().advanced(by: time)
        do throws(KafkaError) {
            return try await reader.next(atMost: limit, until: instant).compactMap { reading in
                guard case .record(let record) = reading else { return nil }
                return EventSourceRecord(
                    partition: record.partition,
                    offset: record.offset,
                    record: record.published
                )
            }
        } catch { throw Self.trouble(error) }
    }

    package func stop() async {
        reader?.close()
        reader = nil
    }

    /// Asks for the cluster beside the reading, which must not wait for the answer.
    ///
    /// Settings that make no client any more end the reading, as they would not begin it: nobody
    /// would notice that the address leads to another cluster.
    private func look() {
        guard !isLooking else { return }
        isLooking = true
        loop.spawn { [weak self, loop] in
            while !loop.isStopping {
                try? await loop.sleep(until: loop.now.advanced(by: Self.lookEvery))
                guard let self, reader != nil else { break }
                // A client of its own each time: one that stays connected would go on to hear of a
                // cluster whose address has moved, or ask a leader that is gone for ever.
                let begun = starts
                do throws(KafkaError) {
                    let id = try await administration().clusterID()
                    if begun == starts { currentCluster = id }
                } catch {
                    // Brokers that are away are no other cluster.
                    if case .configuration = error, begun == starts { refusal = error }
                }
            }
            self?.isLooking = false
        }
    }

    private func administration() throws(KafkaError) -> Administration {
        try Administration(topic.client, on: blocking, timeoutMilliseconds: 2000)
    }

    private static func trouble(_ error: KafkaError) -> ProjectionTrouble {
        switch error {
        case .unavailable, .fatal, .closed: .unavailable
        case .offsetOutOfRange: .missedHistory
        case .configuration, .unknownTopic, .topicExists, .unsupported, .refused:
            .refused("\(error)")
        }
    }
}
