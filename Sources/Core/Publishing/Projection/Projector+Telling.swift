extension Projector {
    /// A topic that is new, by its cluster or its name, or has lost records, lacks revocations: all
    /// of them go there once more, some a turn, and nothing is called complete before they are
    /// there (decisions 0096, 0140, 0204).
    mutating func queueAgain() async throws(ProjectionTrouble) {
        guard let active, let key = active.queuesAfter else { return }
        let last = try await store.queueAgain(
            after: key,
            in: active.progress.generation,
            forCluster: active.cluster
        )
        self.active?.queuesAfter = last
    }

    /// Empties the outbox, a batch at a time.
    mutating func publish() async throws(ProjectionTrouble) {
        guard let generation = active?.progress.generation else { return }
        let records = try await store.outbox()
        if !records.isEmpty {
            var reached: [Int32: Int64] = [:]
            let isTaken = try await offer { (sink) throws(ProjectionTrouble) in
                reached = try await sink.publish(records)
            }
            guard isTaken else { return }
            tell(.published, records.map(\.revokedAt))
            active?.reached(reached)
            try await store.published(
                records,
                in: generation,
                acknowledged: active?.acknowledged ?? reached
            )
        }
        active?.hasOutbox = records.count >= RevocationRecord.batchMax
        status.publishedCount += Int64(records.count)
    }

    /// A compacted topic keeps the last record of every key: those of erased subjects are taken
    /// away, when nobody needs them any more (Events 10.3).
    mutating func bury() async throws(ProjectionTrouble) {
        // Until what it lost is queued nothing may move its ends: whoever comes next looks there.
        guard isSinkDue, active?.queuesAfter == nil else { return }
        let keys = try await store.toBury()
        guard !keys.isEmpty else { return }
        let isTaken = try await offer { (sink) throws(ProjectionTrouble) in
            try await sink.bury(keys)
        }
        if isTaken { try await store.buried(keys) }
    }

    var isSinkDue: Bool { clock.nanoseconds >= active?.sinkAt ?? 0 }

    /// Publishes to our cluster, and puts off all publishing for five seconds when that fails.
    ///
    /// A topic that takes nothing must not keep the feed from what is read: later again.
    ///
    /// - Returns: Whether it was taken.
    /// - Throws: `.otherCluster` when another is reached: what is told there would be missing here.
    @discardableResult mutating func offer(
        _ publish: (Sink) async throws(ProjectionTrouble) -> Void
    ) async throws(ProjectionTrouble) -> Bool {
        guard let active else { return false }
        do throws(ProjectionTrouble) {
            let place = try await sink.place()
            guard place.cluster.utf8.elementsEqual(active.cluster.utf8) else {
                throw .otherCluster
            }
            guard !place.ends.end(before: active.acknowledged) else {
                // It has lost revocations that nobody keeps for it (decision 0204).
                status.sinkLossCount += 1
                self.active?.queuesAll()
                return false
            }
            try await publish(sink)
            status.isSinkAway = false
            return true
        } catch {
            status.isSinkAway = true
            let now = clock.nanoseconds
            self.active?.sinkFailed(at: now)
            if error == .otherCluster { throw error }
            return false
        }
    }
}
