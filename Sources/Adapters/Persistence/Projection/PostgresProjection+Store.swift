package import Domain
internal import Issuing
internal import Postgres
package import Publishing
internal import Runtime

extension PostgresProjection: ProjectionStore {
    package func lead() async throws(ProjectionTrouble) -> Bool {
        _ = try await connect()
        return try await run(LeadLock.projector.take) == [true]
    }

    package func showLife() async throws(ProjectionTrouble) {
        _ = try await ask(Statement<Void>(PackageResources.beat_sql))
    }

    package func deposeHolder(
        silentFor silence: Duration
    ) async throws(ProjectionTrouble) -> Bool {
        let seconds = Double(silence.clampedNanoseconds) / 1_000_000_000
        let ended = try await run(.endSilent(LeadLock.projector, forSeconds: seconds))
        if !ended.isEmpty { log.warning("ended a projector that showed no life") }
        return !ended.isEmpty
    }

    package func resign() async { close() }

    package func position() async throws(ProjectionTrouble) -> ProjectionPosition {
        guard let state = try await ask(.projectionLog(Self.name)).first else {
            throw .unavailable
        }
        let rows = try await ask(.projectionState(Self.name, topic, state.log))
        let clusters = Set(rows.map { Array($0.clusterID.utf8) })
        let progress = ProjectionProgress(
            log: state.log,
            generation: state.generation,
            offsets: Dictionary(rows.map { ($0.partition, $0.nextOffset) }) { first, _ in first },
            applied: Dictionary(rows.map { ($0.partition, $0.lastIndex) }) { first, _ in first },
            frontier: state.frontier,
            late: state.late,
            complete: state.watermark,
            blocked: try await ask(.blocked(Self.name))
        )
        let told = try await ask(.revocationTopic(Self.name, revocationsTopic)).first
        lastProblem = nil
        return ProjectionPosition(
            progress: progress,
            cluster: clusters.count == 1 ? rows.first?.clusterID : nil,
            revocationsCluster: told?.cluster,
            acknowledged: told?.acknowledged ?? [:]
        )
    }

    package func versions(
        of sessions: [SessionID]
    ) async throws(ProjectionTrouble) -> [SessionID: Int32] {
        let rows = try await ask(.versions(of: sessions))
        return Dictionary(rows.map { ($0.session, $0.version) }) { first, _ in first }
    }

    package func history(
        of stream: StreamID,
        after version: Int32,
        upTo last: Int32
    ) async throws(ProjectionTrouble) -> StreamHistory {
        var events: [RecordedEvent] = []
        var reached = version
        while true {
            let rows = try await ask(.history(of: stream, after: reached, upTo: last))
            for row in rows {
                guard row.index != nil else {
                    // Of a stream without an end, the rest comes from Kafka.
                    guard last == .max else { return .unnumbered }
                    return .events(events, last: reached, isAll: false)
                }
                reached = row.version
                switch row.content {
                case .event(let event): events.append(event)
                case .nothing: break
                case .unreadable(let reason): return .unreadable(reason)
                }
            }
            // A full page is not known to be the last one.
            guard rows.count >= Self.historyPage else {
                return .events(events, last: reached, isAll: true)
            }
        }
    }

    package func stream(at index: Int64) async throws(ProjectionTrouble) -> StreamID? {
        try await ask(.ledgerStream(index)).first
    }

    package func published(
        after index: Int64
    ) async throws(ProjectionTrouble) -> PublishedRange? {
        let rows = try await ask(.published(after: index))
        return PublishedRange(rows)
    }

    package func apply(
        _ batch: ProjectionBatch,
        onCluster cluster: String
    ) async throws(ProjectionTrouble) {
        try await run(all: batch.statements(of: Self.name, on: topic, cluster: cluster))
    }

    package func outbox() async throws(ProjectionTrouble) -> [RevocationRecord] {
        try await ask(.outbox)
    }

    package func queueAgain(
        after key: String,
        in generation: Int32,
        forCluster cluster: String
    ) async throws(ProjectionTrouble) -> String? {
        // Only the holder of the lead adds keys.
        guard let last = try await ask(.lastRevocationKey(after: key)).first ?? nil else {
            try await run(
                all: [
                    .hold(Self.name, generation),
                    .tell(Self.name, cluster: cluster, revocationsTopic),
                ]
            )
            return nil
        }
        try await run(
            all: [.hold(Self.name, generation), .queueRevocations(after: key, through: last)]
        )
        return last
    }

    package func published(
        _ records: [RevocationRecord],
        in generation: Int32,
        acknowledged: [Int32: Int64]
    ) async throws(ProjectionTrouble) {
        try await run(
            all: [
                .hold(Self.name, generation),
                .clearOutbox(records.map(\.key)),
                .keepAcknowledged(Self.name, revocationsTopic, acknowledged),
            ]
        )
    }

    package func dropOld() async throws(ProjectionTrouble) {
        for drop in [Statement.dropOldRevocations, Statement.dropOldSessions] {
            // Transactions of their own, and not without end: the rest has time.
            for _ in 0..<5 {
                guard try await runUpkeep(drop(ourTime())).first == Self.upkeepRows else { break }
            }
        }
    }

    package func toBury() async throws(ProjectionTrouble) -> [String] {
        try await runUpkeep(.revocationsToBury(before: ourTime()))
    }

    package func buried(_ keys: [String]) async throws(ProjectionTrouble) {
        _ = try await runUpkeep(.dropBuriedRevocations(keys, before: ourTime()))
    }

    package func number(of project: ProjectID) -> ProjectNumber? { projects.number(of: project) }

    package func refreshProjects() async throws(ProjectionTrouble) {
        let deadline = Deadline(nanoseconds: deadline.nanoseconds)
        do { try await projects.refresh(by: deadline) } catch { throw .unavailable }
    }
}

extension PublishedRange {
    /// Nil of no rows; a stream is read up to its first row that cannot be.
    init?(_ rows: [ProjectedRow]) {
        guard let last = rows.last?.index else { return nil }
        var events: [RecordedEvent] = []
        var unreadable: [StreamID: BlockedKey] = [:]
        for row in rows where unreadable[row.stream] == nil {
            switch row.content {
            case .event(let event): events.append(event)
            case .nothing: break
            case .unreadable(let reason):
                unreadable[row.stream] = BlockedKey(
                    key: row.stream.textBytes,
                    partition: -1,
                    offset: -1,
                    index: row.index ?? last,
                    stream: row.stream,
                    reason: reason
                )
            }
        }
        self.init(
            events: events,
            unreadable: unreadable.values.sorted { $0.index < $1.index },
            last: last
        )
    }
}
