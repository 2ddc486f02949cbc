internal import CKafka
package import Runtime

/// Questions about a cluster and its topics, and making topics.
///
/// librdkafka answers these by blocking, so they run on the blocking executor; each is bounded by
/// the timeout, making and describing a topic by twice that and a second. A client that asks an old
/// leader for ever is helped by a new one: make a new value after
/// `.unavailable`.
package struct Administration: Sendable {
    private let client: Client
    private let blocking: BlockingExecutor
    private let timeout: Int32

    /// Makes a client of its own; connecting goes on in the background.
    ///
    /// - Throws: `.configuration`; `.unavailable` when the process is out of threads or
    ///   descriptors, or the disk with the key does not answer.
    package init(
        _ settings: KafkaClientSettings,
        on blocking: BlockingExecutor,
        timeoutMilliseconds: Int32 = 5000
    ) throws(KafkaError) {
        client = try Client(
            .producer,
            settings.properties,
            keyFile: settings.keyFile,
            events: 0
        )
        self.blocking = blocking
        timeout = timeoutMilliseconds
    }

    /// Asks over the connections of `producer`: what that one cannot reach, this cannot.
    package init(
        over producer: Producer,
        on blocking: BlockingExecutor,
        timeoutMilliseconds: Int32 = 5000
    ) {
        client = producer.client
        self.blocking = blocking
        timeout = timeoutMilliseconds
    }

    /// The id of the cluster: another one means another log under the same address.
    ///
    /// Asks a broker each time.
    /// - Throws: `.unavailable`.
    package func clusterID() async throws(KafkaError) -> String {
        try await run { client, timeout throws(KafkaError) in
            // The answer to any metadata request brings the id up to date.
            _ = try client.partitionCount(of: nil, within: timeout)
            return try client.lastClusterID(within: timeout)
        }
    }

    /// How many partitions a topic has.
    ///
    /// - Throws: `.unknownTopic`, but not by the development broker, which makes it with 4;
    ///   `.unavailable`.
    package func partitionCount(of topic: String) async throws(KafkaError) -> Int32 {
        try await run { client, timeout throws(KafkaError) in
            try client.partitionCount(of: topic, within: timeout)
        }
    }

    /// The ends of every partition of a topic.
    ///
    /// - Throws: `.unknownTopic`; `.unavailable`, after the timeout for all of it.
    package func watermarks(of topic: String) async throws(KafkaError) -> [Int32: Watermarks] {
        try await run { client, timeout throws(KafkaError) in
            let limit = MonotonicInstant.now().advanced(by: .milliseconds(Int64(timeout)))
            let count = try client.partitionCount(of: topic, within: timeout)
            guard count > 0 else { return [:] }
            let low = try client.offsets(of: .low, topic, partitions: count, until: limit)
            // Asked for last, so that it is not below the other.
            let high = try client.offsets(of: .high, topic, partitions: count, until: limit)
            return high.reduce(into: [:]) { watermarks, end in
                watermarks[end.key] = Watermarks(low: low[end.key] ?? end.value, high: end.value)
            }
        }
    }

    /// What a topic is like.
    ///
    /// - Throws: `.unknownTopic`, `.unavailable`; `.refused` without the right to ask.
    package func describe(_ topic: String) async throws(KafkaError) -> TopicDescription {
        try await run { client, timeout throws(KafkaError) in
            try client.describe(topic, within: timeout)
        }
    }

    /// Creates a topic.
    ///
    /// - Throws: `.topicExists`; `.unsupported` or `.unavailable` on the development broker, which
    ///   has its topics from its command line.
    package func create(_ topic: TopicSpecification) async throws(KafkaError) {
        try await run { client, timeout throws(KafkaError) in
            try client.create(topic, within: timeout)
        }
    }

    private func run<Answer: Sendable>(
        _ body: @escaping @Sendable (Client, Int32) throws(KafkaError) -> Answer
    ) async throws(KafkaError) -> Answer {
        let result: Result<Answer, KafkaError>
        do {
            result = try await blocking.run { [client, timeout] in
                Result { () throws(KafkaError) in try body(client, timeout) }
            }
        } catch {
            throw .unavailable(KafkaCode(RD_KAFKA_RESP_ERR__QUEUE_FULL))
        }
        return try result.get()
    }
}
