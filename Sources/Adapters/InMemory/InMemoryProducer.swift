package import EventFormat
package import Publishing
internal import Runtime

/// One relay's producer for a topic in memory, bound to the cluster that was asked for its id.
package final class InMemoryProducer: EventPublisher {
    private enum Outcome {
        /// Behind the last record of it, of each partition.
        case settled([Int32: Int64])
        case broken
        case waiting([(Int, PublishedRecord)], isBatch: Bool)
    }

    private let topic: InMemoryTopic
    /// Batches that were begun and not told of, oldest first.
    private let outcomes = Guarded<[Outcome]>([])
    private let cluster = Guarded<String?>(nil)
    private let reached = Guarded<[Int32: Int64]>([:])

    init(of topic: InMemoryTopic) { self.topic = topic }

    package func clusterID() async throws(PublisherError) -> String {
        let id = try reachable { $0.clusterID }
        if cluster.replace(with: id) != id { reached.replace(with: [:]) }
        return id
    }

    package func ends() async throws(PublisherError) -> TopicEnds { try reachable(\.ends) }

    package func tail(
        _ count: Int,
        before ends: TopicEnds
    ) async throws(PublisherError) -> [LogRecord] {
        try reachable { $0.tail(count, before: ends) }
    }

    package func submit(_ records: [PublishedRecord]) async {
        let count = topic.contents.withLock { $0.partitions.count }
        begin(records.map { (Self.partition(of: $0.key, count), $0) }, isBatch: true)
    }

    package func announce(_ record: PublishedRecord) async {
        let count = topic.contents.withLock { $0.partitions.count }
        begin((0..<count).map { ($0, record) }, isBatch: false)
    }

    package func settled(within time: Duration) async throws(PublisherError) -> Bool {
        sendWaiting()
        return try outcomes.withLock { outcomes throws(PublisherError) in
            switch outcomes.first {
            case nil: return true
            case .settled(let ends):
                outcomes.removeFirst()
                reached.withLock { $0.merge(ends) { max($0, $1) } }
                return true
            case .waiting: return false
            case .broken: throw .broken
            }
        }
    }

    package var acknowledged: [Int32: Int64] { get async { reached.current } }

    package func renew() async {
        outcomes.replace(with: [])
        reached.replace(with: [:])
        cluster.replace(with: nil)
    }

    private func begin(_ records: [(Int, PublishedRecord)], isBatch: Bool) {
        outcomes.withLock { $0.append(.waiting(records, isBatch: isBatch)) }
        sendWaiting()
    }

    /// In order: nothing passes a batch that waits, and nothing follows a broken one.
    private func sendWaiting() {
        outcomes.withLock { outcomes in
            for index in outcomes.indices {
                if case .broken = outcomes[index] { return }
                guard case .waiting(let records, let isBatch) = outcomes[index] else { continue }
                outcomes[index] = arrive(records, isBatch: isBatch)
                if case .settled = outcomes[index] { continue }
                return
            }
        }
    }

    private func arrive(_ records: [(Int, PublishedRecord)], isBatch: Bool) -> Outcome {
        let cluster = cluster.current
        return topic.contents.withLock { contents in
            guard let cluster, cluster.utf8.elementsEqual(contents.clusterID.utf8) else {
                return .broken
            }
            guard !contents.isDown else { return .waiting(records, isBatch: isBatch) }
            let fault = contents.faults.isEmpty ? nil : contents.faults.removeFirst()
            let count =
                switch fault {
                case .broken: records.count / 2
                case .answerLost, nil: records.count
                }
            for (partition, record) in records.prefix(count) {
                contents.partitions[partition].append(record)
            }
            guard fault == nil else { return .broken }
            let highs = contents.ends.highs
            let batch = isBatch ? records : []
            let ends = batch.map { (Int32($0.0), highs[Int32($0.0)] ?? 0) }
            return .settled(Dictionary(ends) { first, _ in first })
        }
    }

    private func reachable<Answer>(
        _ body: (InMemoryTopic.Contents) -> Answer
    ) throws(PublisherError) -> Answer {
        try topic.contents.withLock { contents throws(PublisherError) in
            guard !contents.isDown else { throw .unavailable }
            return body(contents)
        }
    }

    /// Any function of the key will do, as long as it is the same for equal keys.
    private static func partition(of key: [UInt8], _ count: Int) -> Int {
        Int(key.reduce(UInt32(5381)) { $0 &* 33 &+ UInt32($1) } % UInt32(clamping: count))
    }
}
