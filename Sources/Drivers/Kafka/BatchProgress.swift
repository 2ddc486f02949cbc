/// How far one batch is: which records librdkafka has taken, and which it has reported on.
///
/// A batch settles once, when nothing of it can be reported on any more.
package struct BatchProgress: Sendable {
    /// Records of the batch.
    package let count: Int
    /// Records given to librdkafka, and so reported on one day.
    package private(set) var taken = 0
    private var reported = 0
    private var failure: KafkaError?

    /// A batch of which nothing has happened yet.
    package init(count: Int) { self.count = count }

    /// The next record to give to librdkafka; nil when there is none left to give.
    package var next: Int? { taken < count && failure == nil ? taken : nil }

    /// How it ended; nil while reports are due or records wait to be given.
    package var outcome: Result<Void, KafkaError>? {
        guard reported == taken, next == nil else { return nil }
        return failure.map(Result.failure) ?? .success(())
    }

    /// Notes that librdkafka has taken the next record.
    package mutating func took() { taken += 1 }

    /// Notes that the rest will not be given: it would follow a hole.
    ///
    /// The first error counts.
    package mutating func failed(_ error: KafkaError) { failure = failure ?? error }

    /// Notes the report on one record, an error or none.
    package mutating func report(_ error: KafkaError?) {
        reported += 1
        if let error { failed(error) }
    }
}
