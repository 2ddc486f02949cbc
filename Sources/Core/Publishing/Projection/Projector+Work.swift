internal import Domain
internal import Projections

extension Projector {
    /// How often a stream is looked at again whose events have no number yet.
    private static var numberTriesMax: Int { 20 }

    /// One step of the active projector: so what is committed shows before it is published.
    mutating func work() async throws(ProjectionTrouble) {
        switch active?.phase {
        case _ where active?.queuesAfter != nil: try await queueAgain()
        case _ where isSinkDue && active?.hasOutbox == true: try await publish()
        case .catchingUp(let target, let offsets): try await catchUp(to: target, then: offsets)
        case .following: try await follow()
        case nil: break
        }
        try await keepUp()
    }

    private mutating func follow() async throws(ProjectionTrouble) {
        if let pause = active?.pause(at: clock.nanoseconds) { await clock.pause(pause) }
        let isRetrySoon = active?.readsBeforeRetry == true
        let records = try await source.next(
            atMost: ProjectionBatch.recordsMax,
            within: isRetrySoon ? .zero : .milliseconds(500)
        )
        active?.readsBeforeRetry = false
        guard !records.isEmpty else { return try await watchReading() }
        let now = clock.nanoseconds
        // A full batch is followed at once: there is more.
        let isFull = records.count >= ProjectionBatch.recordsMax
        if !isFull { active?.reads(at: now) }
        try await apply(records)
        guard isFull else { return try await watchReading() }
        // What else there is waits for us, not we for Kafka.
        if let next = active?.progress.offsets { active?.watch.restart(next, at: now) }
    }

    // MARK: - From Kafka

    private mutating func apply(_ records: [EventSourceRecord]) async throws(ProjectionTrouble) {
        guard let progress = active?.progress else { return }
        let entries = try await entries(of: records, after: progress)
        let sessions = Set(entries.compactMap(\.session))
        let versions = sessions.isEmpty ? [:] : try await store.versions(of: Array(sessions))
        var batch = ProjectionBatch(after: progress, versions: versions, at: clock.wallTime)
        for entry in entries {
            switch batch.take(entry) {
            case nil: break
            case .gap(let session, let missing):
                try await fill(missing, of: session, before: entry, in: &batch)
            case .unreadable(let place, let reason):
                try await repair(entry, place, reason, in: &batch)
            }
        }
        try await commit(batch)
    }

    /// What cannot be read is tried three times: its project may be new.
    private func entries(
        of records: [EventSourceRecord],
        after progress: ProjectionProgress
    ) async throws(ProjectionTrouble) -> [ProjectionEntry] {
        var entries: [ProjectionEntry] = []
        for attempt in 1...3 {
            entries = records.map { item in
                ProjectionEntry(
                    item.record,
                    at: item.offset,
                    in: item.partition,
                    after: progress
                ) { store.number(of: $0) }
            }
            let isReadable = entries.allSatisfy { entry in
                if case .unreadable = entry.content {
                    progress.blocked[entry.key] != nil
                } else {
                    true
                }
            }
            if isReadable || attempt == 3 { break }
            try await store.refreshProjects()
        }
        return entries
    }

    private mutating func fill(
        _ missing: ClosedRange<Int32>,
        of session: SessionID,
        before entry: ProjectionEntry,
        in batch: inout ProjectionBatch
    ) async throws(ProjectionTrouble) {
        let history = try await numbered(
            session.stream,
            after: missing.lowerBound - 1,
            upTo: missing.upperBound
        )
        let problem: String
        switch history {
        case .events(let events, _, _) where events.count == missing.count:
            status.gapCount += 1
            batch.fill(events)
            _ = batch.take(entry)
            return
        case .events:
            problem = "versions \(missing.lowerBound) to \(missing.upperBound) are nowhere"
        case .unnumbered: problem = "a version before it has no number yet"
        case .unreadable(let reason): problem = reason
        }
        status.blockCount += 1
        batch.block(entry, stream: session.stream, reason: problem)
    }

    /// The record may be damaged, or none of ours: PostgreSQL has what was decided.
    private mutating func repair(
        _ entry: ProjectionEntry,
        _ place: PublishedPlace?,
        _ reason: String,
        in batch: inout ProjectionBatch
    ) async throws(ProjectionTrouble) {
        var stream = place?.stream ?? StreamID(text: entry.key)
        if stream == nil, let index = place?.index { stream = try await store.stream(at: index) }
        if let stream {
            var version = batch.version(of: SessionID(stream))
            if version == 0 {
                version = try await store.versions(of: [SessionID(stream)])[SessionID(stream)] ?? 0
            }
            // With the version it names: a record ahead of PostgreSQL is not repaired by it.
            let least = place?.version ?? 1
            let history = try await numbered(
                stream,
                after: version,
                upTo: place?.version ?? .max
            )
            if case .events(let events, let last, _) = history, last >= least {
                status.repairCount += 1
                batch.fill(events)
                batch.pass(entry)
                return
            }
        }
        status.blockCount += 1
        batch.block(entry, stream: stream, reason: reason)
    }

    /// Reads a stream; waits a little for the relay to record the numbers of what it has published.
    private func numbered(
        _ stream: StreamID,
        after version: Int32,
        upTo last: Int32
    ) async throws(ProjectionTrouble) -> StreamHistory {
        var history = StreamHistory.unnumbered
        for _ in 0..<Self.numberTriesMax {
            history = try await store.history(of: stream, after: version, upTo: last)
            guard history == .unnumbered else { break }
            await clock.pause(.milliseconds(50))
        }
        return history
    }

    // MARK: - From PostgreSQL

    private mutating func catchUp(
        to target: Int64,
        then offsets: [Int32: Int64]
    ) async throws(ProjectionTrouble) {
        active?.readsBeforeRetry = false
        guard let active else { return }
        let frontier = active.progress.frontier
        let now = clock.nanoseconds
        guard frontier < target, !active.hasWaited(at: now) else {
            var batch = ProjectionBatch(after: active.progress, versions: [:])
            batch.resume(at: offsets)
            try await commit(batch)
            try await source.start(from: offsets, onCluster: active.cluster)
            self.active?.phase = .following
            return
        }
        let range = try await store.published(after: frontier)
        if (range?.last ?? frontier) - frontier < PublishedRange.lengthMax {
            self.active?.seesHead(at: now)
        }
        // Nothing: the relay has published what it is about to record.
        guard let range else { return await clock.pause(.milliseconds(50)) }
        let sessions = Set(range.events.map { SessionID($0.stream) })
        let versions = sessions.isEmpty ? [:] : try await store.versions(of: Array(sessions))
        var batch = ProjectionBatch(after: active.progress, versions: versions)
        batch.take(range)
        status.blockCount += Int64(batch.blocked.count)
        try await commit(batch)
    }

    // MARK: - Upkeep

    /// What is done from time to time.
    private mutating func keepUp() async throws(ProjectionTrouble) {
        guard let active else { return }
        let now = clock.nanoseconds
        // What it did in this turn showed it, too, unless there was nothing to do.
        if now >= active.lifeAt {
            self.active?.lifeAt = now + 1_000_000_000
            try await store.showLife()
        }
        try watchSink()
        if now >= active.watermarkAt, isSinkDue, let complete = active.claim {
            self.active?.watermarkAt = now + 1_000_000_000
            try await offer { (sink) throws(ProjectionTrouble) in
                try await sink.publish(complete)
            }
        }
        if now >= active.upkeepAt {
            self.active?.upkeepAt = now + 5_000_000_000
            try await tidyUp()
            // Another log under the same address: begin there, numbers stay.
            if let current = source.currentCluster,
                !current.utf8.elementsEqual(active.cluster.utf8)
            {
                throw .superseded
            }
        }
        if now >= active.retryAt, !active.readsBeforeRetry { try await retry() }
    }

    /// What stays a little longer harms nobody; a lost lead would.
    private mutating func tidyUp() async throws(ProjectionTrouble) {
        do throws(ProjectionTrouble) {
            try await store.dropOld()
            try await bury()
        } catch {
            guard error == .unavailable else { throw error }
            status.upkeepFailureCount += 1
        }
    }

    mutating func commit(_ batch: ProjectionBatch) async throws(ProjectionTrouble) {
        guard let active else { return }
        try await store.apply(batch, onCluster: active.cluster)
        self.active?.takes(batch)
        if !batch.rows.isEmpty {
            self.active?.hasOutbox = true
            tell(.applied, batch.rows.map(\.revocation.revokedAt))
        }
        if batch.progress.hasHole { throw .missedHistory }
        status.eventCount += Int64(batch.eventCount)
        status.duplicateCount += Int64(batch.duplicateCount)
    }

    /// What is read again from PostgreSQL was heard of before, or is late for a known reason.
    func tell(_ stage: RevocationStage, _ instants: [Instant]) {
        guard let observer, case .following = active?.phase else { return }
        let now = clock.wallTime
        for instant in instants { observer.reached(stage, revokedAt: instant, at: now) }
    }
}
