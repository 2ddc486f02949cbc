internal import Domain
internal import EventFormat

extension Relay {
    /// Publishes what is new, or waits for it.
    mutating func follow() async throws(RelayTrouble) {
        if isDue(.sample) { try await sample() }
        if isDue(.watermark), await announceWatermark() { return }
        guard let active else { return }
        let rows = try await fromLog { () throws(EventLogError) in
            try await log.rows(
                after: active.cursor.place,
                // Nobody writes with an old epoch any more.
                belowFence: !active.isInOldEpoch,
                limit: Self.batchMax
            )
        }
        guard !rows.isEmpty else { return try await idle() }
        var cursor = active.cursor
        let numbered = cursor.number(rows)
        do { try self.active?.check?.compare(numbered) } catch {
            throw .halt(.lostHistory(index: error.index))
        }
        let isAll = rows.count < Self.batchMax
        try await send(numbered, as: .rows(numbered, cursor: cursor, isAll: isAll))
    }

    /// Every row goes out or none: one that cannot be encoded is never skipped.
    mutating func send(
        _ rows: [NumberedRow],
        as cargo: ActiveRelay.Flight.Cargo
    ) async throws(RelayTrouble) {
        var records: [PublishedRecord] = []
        records.reserveCapacity(rows.count)
        for row in rows { records.append(try await record(of: row)) }
        await publisher.submit(records)
        let now = active?.now(clock.nanoseconds) ?? Instant(microseconds: 0)
        let oldest: Instant
        if case .rows = cargo {
            oldest = rows.first?.row.event.columns.occurredAt ?? now
        } else {
            oldest = now
        }
        active?.flight = ActiveRelay.Flight(cargo: cargo, oldest: oldest)
    }

    /// Waits for what is on its way, a little; then keeps what arrived.
    mutating func land() async throws(RelayTrouble) {
        let isSettled = try await fromKafka { () throws(PublisherError) in
            try await publisher.settled(within: .milliseconds(500))
        }
        guard isSettled, let active, let flight = active.flight else { return }
        switch flight.cargo {
        case .rows(let rows, let cursor, let isAll):
            try await fromLog { () throws(EventLogError) in
                try await log.record(rows, cursor: cursor, by: active.term.relayEpoch)
            }
            self.active?.cursor = cursor
            status.publishedCount += Int64(rows.count)
            try published(isAll: isAll)
        case .again(let next):
            if case .replaying(_, let cluster) = active.phase {
                self.active?.phase = .replaying(from: next, cluster: cluster)
            }
        case .watermark: break
        }
        self.active?.flight = nil
    }

    // MARK: - Nothing to publish

    private mutating func idle() async throws(RelayTrouble) {
        guard let active else { return }
        if active.isInOldEpoch {
            var cursor = active.cursor
            cursor.place = .start(of: cursor.place.epoch + 1)
            try await fromLog { () throws(EventLogError) in
                try await log.record([], cursor: cursor, by: active.term.relayEpoch)
            }
            self.active?.cursor = cursor
            return
        }
        try published(isAll: true)
        await log.news(within: .milliseconds(50))
    }

    private mutating func published(isAll: Bool) throws(RelayTrouble) {
        active?.isSound = true
        // Transactions of an old epoch say nothing about the present.
        guard let cursor = active?.cursor, active?.isInOldEpoch == false else { return }
        active?.sampling.published(upTo: cursor.place, isAll: isAll)
        guard isAll else { return }
        do { try active?.check?.drained(nextIndex: cursor.nextIndex) } catch {
            throw .halt(.lostHistory(index: error.index))
        }
        active?.check = nil
    }

    // MARK: - Watermark

    private mutating func sample() async throws(RelayTrouble) {
        let fence = try await fromLog { () throws(EventLogError) in try await log.fence() }
        let now = clock.nanoseconds
        active?.take(fence, at: now)
    }

    /// Says how far the log is complete; false when that is not known yet.
    private mutating func announceWatermark() async -> Bool {
        guard let active, let through = active.sampling.completeThrough else { return false }
        let now = active.now(clock.nanoseconds)
        let watermark = LogWatermark(
            log: active.term.log,
            completeThrough: through,
            index: active.cursor.nextIndex - 1
        )
        await publisher.announce(watermark.record(at: now))
        self.active?.flight = ActiveRelay.Flight(cargo: .watermark, oldest: now)
        return true
    }

    // MARK: - Form

    private mutating func record(of row: NumberedRow) async throws(RelayTrouble) -> PublishedRecord
    {
        let event = row.row.event
        guard let term = active?.term, let name = try await name(of: event.project) else {
            throw .halt(
                .unpublishable(row.row.place, reason: "project \(event.project.value) has no name")
            )
        }
        let place = PublishedForm.Place(
            log: term.log,
            logIndex: row.index,
            projectName: name,
            hash: row.row.hash,
            relayEpoch: term.relayEpoch
        )
        do { return try PublishedForm.record(of: event, at: place) } catch {
            throw .halt(.unpublishable(row.row.place, reason: "\(error)"))
        }
    }

    private mutating func name(of project: ProjectNumber) async throws(RelayTrouble) -> ProjectID? {
        if let name = active?.names[project] { return name }
        let names = try await fromLog { () throws(EventLogError) in try await log.projectNames() }
        active?.names = names
        return names[project]
    }
}
