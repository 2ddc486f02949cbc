package import Runtime

// @unchecked: touched on the producer's loop alone.
/// A batch on its way: settled when every in-sync replica has every record, or one has failed.
package final class Delivery: @unchecked Sendable {
    let topic: String
    /// Until all are given to librdkafka.
    var records: [Record]
    var progress: BatchProgress
    /// As `ends`, by the partition's number; 0: it has none.
    private var endsByPartition: [Int64] = []
    private let signal: LoopSignal
    private var abandoned: KafkaError?

    init(_ records: [Record], to topic: String, on loop: Loop) {
        self.topic = topic
        self.records = records
        progress = BatchProgress(count: records.count)
        signal = LoopSignal(on: loop)
    }

    var outcome: Result<Void, KafkaError>? {
        abandoned.map(Result.failure) ?? progress.outcome
    }

    /// Waits for the end of the batch, at most until `instant`, which may be past; true when it has
    /// come.
    ///
    /// May be asked again after a false. One task waits at a time.
    ///
    /// - Throws: the first failure of a record; the others may have been published.
    package func settled(until instant: MonotonicInstant) async throws(KafkaError) -> Bool {
        if outcome == nil, MonotonicInstant.now() < instant { await signal.wait(until: instant) }
        guard let outcome else { return false }
        try outcome.get()
        return true
    }

    /// Behind the last record of it that every in-sync replica has, of each partition that has one.
    package var ends: [Int32: Int64] {
        var ends: [Int32: Int64] = [:]
        for (partition, end) in endsByPartition.enumerated() where end > 0 {
            ends[Int32(partition)] = end
        }
        return ends
    }

    /// A record is published: where, is known unless it was published by an earlier try.
    func arrived(at offset: Int64, in partition: Int32) {
        guard offset >= 0, partition >= 0 else { return }
        // Of each record: no dictionary.
        let place = Int(partition)
        while endsByPartition.count <= place { endsByPartition.append(0) }
        endsByPartition[place] = max(endsByPartition[place], offset + 1)
    }

    /// Ends the wait without a report: the client is finished.
    func abandon(_ error: KafkaError) {
        abandoned = abandoned ?? error
        progress.failed(error)
        signal.raise()
    }

    /// Ends the wait under way, or the next one, before its end has come.
    package func nudge() { signal.raise() }

    func progressed() { if progress.outcome != nil { signal.raise() } }
}
