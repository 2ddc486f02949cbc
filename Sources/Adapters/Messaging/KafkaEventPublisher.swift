package import EventFormat
internal import Kafka
package import Publishing
package import Runtime

// @unchecked: touched on `loop` alone.
/// The relay's way to `chancery.events`: one idempotent producer, renewed when it is finished.
///
/// It is finished with its connection: what was meant for one cluster must not come to another.
package final class KafkaEventPublisher: EventPublisher, @unchecked Sendable {
    private let topic: KafkaTopic
    private let partitions: Int32
    private let loop: Loop
    private let blocking: BlockingExecutor
    private let log: Log
    private let allowsDevelopmentBroker: Bool
    private var producer: Producer?
    /// What was begun and not told of, oldest first.
    private var deliveries: [(delivery: Delivery, isBatch: Bool)] = []
    /// Where the batches ended that were told of.
    package private(set) var acknowledged: [Int32: Int64] = [:]
    private var failure: KafkaError?
    private var isClosed = false
    private var lastProblem: KafkaError?

    /// Makes no connection yet; a topic with another number of partitions is refused, whenever that
    /// is seen: keys would go elsewhere than before, and lose their order.
    ///
    /// A development broker forgets everything when it ends, so it is refused unless allowed
    /// (Security 10.8).
    package init(
        _ topic: KafkaTopic,
        partitions: Int32,
        on loop: Loop,
        blocking: BlockingExecutor,
        log: Log,
        allowsDevelopmentBroker: Bool
    ) {
        self.allowsDevelopmentBroker = allowsDevelopmentBroker
        self.topic = topic
        self.partitions = partitions
        self.loop = loop
        self.blocking = blocking
        self.log = log
    }

    /// Gives up what is on its way and frees the clients, for good.
    ///
    /// A turn may still run, and learns that nothing of it has arrived.
    package func close() {
        isClosed = true
        deliveries = []
        producer?.close()
        producer = nil
    }

    package func clusterID() async throws(PublisherError) -> String {
        if let producer, producer.isCutOff { throw .broken }
        let id: String
        let count: Int32
        do throws(KafkaError) {
            let administration = asking(try connectedProducer())
            id = try await administration.clusterID()
            count = try await administration.partitionCount(of: topic.name)
        } catch {
            // A client may ask a leader that is gone for ever.
            producer?.close()
            producer = nil
            acknowledged = [:]
            throw give(up: error)
        }
        guard allowsDevelopmentBroker || !KafkaTopic.isDevelopment(cluster: id) else {
            throw .refused("the brokers are a development broker")
        }
        try requirePartitions(Int(count))
        return id
    }

    package func ends() async throws(PublisherError) -> TopicEnds {
        guard let producer, !producer.isCutOff else { throw .broken }
        let ends: TopicEnds
        do throws(KafkaError) {
            ends = TopicEnds(try await asking(producer).watermarks(of: topic.name))
        } catch {
            // Another connection, which may lead elsewhere: its cluster is asked for first.
            let answer = give(up: error)
            throw answer == .unavailable ? .broken : answer
        }
        try requirePartitions(ends.highs.count)
        return ends
    }

    package func tail(
        _ count: Int,
        before ends: TopicEnds
    ) async throws(PublisherError) -> [LogRecord] {
        do throws(KafkaError) {
            return try await TopicTail(topic, on: loop).last(count, before: ends)
        } catch .offsetOutOfRange {
            // Deleted since the ends were asked for: they are asked for again.
            throw .unavailable
        } catch { throw give(up: error) }
    }

    package func submit(_ records: [PublishedRecord]) async {
        begin(records.map { Record($0) }, isBatch: true)
    }

    package func announce(_ record: PublishedRecord) async {
        begin((0..<partitions).map { Record(record, partition: $0) }, isBatch: false)
    }

    package func settled(within time: Duration) async throws(PublisherError) -> Bool {
        let result: Result<Bool, KafkaError>
        if isClosed {
            // What was given up must not look like what was told of already.
            result = .failure(.closed)
        } else if let failure {
            result = .failure(failure)
        } else {
            // The clock's time: what is left of a long turn's would be no wait at all.
            result = await outcome(until: MonotonicInstant.now().advanced(by: time))
        }
        switch result {
        case .success(false): return false
        case .success(true):
            if !deliveries.isEmpty {
                let (delivery, isBatch) = deliveries.removeFirst()
                if isBatch { acknowledged.merge(delivery.ends) { max($0, $1) } }
            }
            lastProblem = nil
            return true
        case .failure(let error):
            deliveries = []
            failure = nil
            let answer = give(up: error)
            // A part of the batch may be missing: nothing may follow it.
            throw answer == .unavailable ? .broken : answer
        }
    }

    /// Ends the wait for a batch early: whoever waits has something else to do.
    package func nudge() { deliveries.first?.delivery.nudge() }

    package func renew() async {
        deliveries = []
        failure = nil
        acknowledged = [:]
        producer?.close()
        producer = nil
    }

    // MARK: - Parts

    private func begin(_ records: [Record], isBatch: Bool) {
        // It would follow a hole.
        guard failure == nil, !isClosed else { return }
        do throws(KafkaError) {
            // Not asked yet which cluster it reaches.
            guard let producer else { throw .closed }
            deliveries.append((producer.submit(records, to: topic.name), isBatch))
        } catch { failure = error }
    }

    private func connectedProducer() throws(KafkaError) -> Producer {
        guard !isClosed else { throw .closed }
        if let producer { return producer }
        let made = try Producer(topic.client, on: loop, endsWithConnection: true)
        producer = made
        return made
    }

    private func outcome(until instant: MonotonicInstant) async -> Result<Bool, KafkaError> {
        guard let delivery = deliveries.first?.delivery else { return .success(true) }
        do { return .success(try await delivery.settled(until: instant)) } catch {
            return .failure(error)
        }
    }

    private func requirePartitions(_ count: Int) throws(PublisherError) {
        guard count == Int(partitions) else {
            throw .refused("topic \(topic.name) has \(count) partitions, not \(partitions)")
        }
    }

    /// Whatever is asked is asked over the connection it is to speak of.
    private func asking(_ producer: Producer) -> Administration {
        Administration(over: producer, on: blocking, timeoutMilliseconds: 2000)
    }

    private func give(up error: KafkaError) -> PublisherError {
        if lastProblem != error {
            log.warning("Kafka is not usable now", .field("error", "\(error)"))
        }
        lastProblem = error
        return switch error {
        case .unavailable: .unavailable
        case .fatal, .closed: .broken
        case .configuration, .offsetOutOfRange, .unknownTopic, .topicExists, .unsupported,
            .refused:
            .refused("\(error)")
        }
    }
}

extension Record {
    /// The published form on the wire; without a key, the partition is anybody's.
    init(_ record: PublishedRecord, partition: Int32? = nil) {
        self.init(
            key: record.key.isEmpty ? nil : record.key,
            value: record.value,
            headers: Headers(bytes: record.headers.bytes, ends: record.headers.ends),
            partition: partition
        )
    }
}

extension ReceivedRecord {
    /// What was published.
    var published: PublishedRecord {
        PublishedRecord(
            key: key ?? [],
            headers: PublishedRecord.Headers(bytes: headers.bytes, ends: headers.ends),
            value: value ?? []
        )
    }
}
