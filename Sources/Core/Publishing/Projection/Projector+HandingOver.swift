/// A projector for which Kafka does nothing, though there is something to do, leaves the lead to
/// one that may have it (decision 0197).
extension Projector {
    /// The cluster that answers, and the ends of the topic.
    mutating func askForEnds() async throws(ProjectionTrouble) -> (String, TopicEnds) {
        waitsForKafka = true
        let (cluster, ends) = try await source.ends()
        waitsForKafka = false
        return (cluster, ends)
    }

    /// To be asked when what has come was taken.
    mutating func watchReading() async throws(ProjectionTrouble) {
        guard let next = active?.progress.offsets else { return }
        let now = clock.nanoseconds
        let isInDoubt = active?.watch.doubts(next, at: now) == true
        if active?.watch.hasMoved == true { readingHandOvers = 0 }
        if isInDoubt { return try await askForMore(behind: next) }
        let patience = KafkaPatience.nanoseconds(afterHandOvers: readingHandOvers)
        guard active?.watch.isStuck(next, at: now, after: patience) == true else { return }
        readingHandOvers += 1
        throw handOver(.standsStill)
    }

    /// Asks over another connection than the reader's.
    ///
    /// When the brokers answer and have no more, it is the relay that is silent, and nobody else
    /// would read more. What they have may be on its way by now: reading goes on, and tells.
    private mutating func askForMore(behind next: [Int32: Int64]) async throws(ProjectionTrouble) {
        guard let active else { return }
        try await store.showLife()
        let cluster: String
        let ends: TopicEnds
        do throws(ProjectionTrouble) { (cluster, ends) = try await askForEnds() } catch {
            guard error == .unavailable else { throw error }
            throw handOver(.noAnswer)
        }
        try await store.showLife()
        guard cluster.utf8.elementsEqual(active.cluster.utf8) else { throw .superseded }
        let now = clock.nanoseconds
        self.active?.watch.hear(ends, next, at: now)
    }

    /// The feed goes on without the topic of revocations, and handing over interrupts it: so each
    /// time later, while that helps nobody.
    mutating func watchSink() throws(ProjectionTrouble) {
        guard status.isSinkAway else {
            active?.sinkTook()
            sinkHandOvers = 0
            return
        }
        guard let active, case .following = active.phase, !isSinkDue,
            let since = active.sinkAwaySince
        else { return }
        let now = clock.nanoseconds
        let patience = KafkaPatience.nanoseconds(afterHandOvers: sinkHandOvers)
        guard now >= since, now - since >= patience else { return }
        sinkHandOvers += 1
        throw handOver(.sinkTakesNothing)
    }

    /// Notes why the lead is left; what is thrown then gives it back.
    private mutating func handOver(_ reason: ProjectorStatus.HandOver) -> ProjectionTrouble {
        status.handOver = reason
        status.handOverCount += 1
        restsUntil = clock.nanoseconds + KafkaPatience.restNanoseconds
        return .unavailable
    }
}
