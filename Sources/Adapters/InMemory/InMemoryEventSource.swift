internal import Domain
package import Publishing
internal import Runtime

/// One projector's reader of a topic in memory.
package final class InMemoryEventSource: EventSource {
    private let topic: InMemoryTopic
    private let reading = Guarded<(cluster: String, offsets: [Int32: Int64])?>(nil)

    init(of topic: InMemoryTopic) { self.topic = topic }

    package func ends() async throws(ProjectionTrouble) -> (cluster: String, topic: TopicEnds) {
        try reachable { ($0.clusterID, $0.ends) }
    }

    package func tail(
        _ count: Int,
        before ends: TopicEnds
    ) async throws(ProjectionTrouble) -> [LogRecord] {
        try reachable { $0.tail(count, before: ends) }
    }

    package func start(
        from offsets: [Int32: Int64],
        onCluster id: String
    ) async throws(ProjectionTrouble) {
        reading.replace(with: (id, offsets))
    }

    package func next(
        atMost limit: Int,
        within time: Duration
    ) async throws(ProjectionTrouble) -> [EventSourceRecord] {
        guard let offsets = reading.current?.offsets else { throw .unavailable }
        // As librdkafka: brokers that are away are no error, there is nothing to read.
        guard let contents = try? reachable({ $0 }) else { return [] }
        var items: [EventSourceRecord] = []
        var next = offsets
        for (partition, offset) in offsets.sorted(by: { $0.key < $1.key }) {
            let records = contents.partitions[Int(partition)]
            guard offset >= contents.lows[Int(partition)], offset <= records.count else {
                throw .missedHistory
            }
            for (place, record) in records.enumerated().dropFirst(Int(offset))
            where items.count < limit {
                items.append(
                    EventSourceRecord(
                        partition: partition,
                        offset: Int64(place),
                        record: record
                    )
                )
                next[partition] = Int64(place) + 1
            }
        }
        let advanced = next
        reading.withLock { $0?.offsets = advanced }
        return items
    }

    package var currentCluster: String? { topic.clusterID }

    package func stop() async { reading.replace(with: nil) }

    private func reachable<Answer>(
        _ body: (InMemoryTopic.Contents) -> Answer
    ) throws(ProjectionTrouble) -> Answer {
        try topic.contents.withLock { contents throws(ProjectionTrouble) in
            guard !contents.isDown else { throw .unavailable }
            return body(contents)
        }
    }
}
