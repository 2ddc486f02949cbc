internal import Domain
internal import EventFormat

extension Relay {
    /// Publishes what is new, or waits for it; what was begun before need not have arrived.
    ///
    /// A row's number follows from the rows before it alone, so what is begun and not yet kept gets
    /// the same numbers again if this relay dies.
    mutating func follow() async throws(RelayTrouble) {
        if isDue(.sample) { try await sample() }
        if isDue(.watermark) { await announceWatermark() }
        guard let active else { return }
        let isFull = active.rowsOnTheirWay >= rowsOnTheirWayMax
        if !active.flights.isEmpty, isFull || !isDue(.read) {
            return try await awaitArrival(.milliseconds(2))
        }
        let asked = clock.nanoseconds
        let rows = try await fromLog { () throws(EventLogError) in
            try await log.rows(
                after: active.ahead.place,
                // Nobody writes with an old epoch any more.
                belowFence: !active.isInOldEpoch
            )
        }
        guard !rows.isEmpty else { return try await idle() }
        passed(.read, since: asked)
        var cursor = active.ahead
        let numbered = cursor.number(rows)
        let isAll = rows.count < LogRow.batchMax
        try compare(numbered, isAll: isAll && !active.isInOldEpoch)
        try await send(numbered, as: .rows(numbered, cursor: cursor, isAll: isAll))
    }

    /// Before anything is sent: a number that Kafka shows is never given again for something else.
    private mutating func compare(
        _ rows: [NumberedRow],
        isAll: Bool
    ) throws(RelayTrouble) {
        do {
            try active?.check?.compare(rows)
            if isAll, let last = rows.last { try active?.check?.drained(nextIndex: last.index + 1) }
        } catch { throw .halt(.lostHistory(index: error.index)) }
    }

    /// Every row goes out or none: one that cannot be encoded is never skipped.
    mutating func send(
        _ rows: [NumberedRow],
        as cargo: ActiveRelay.Flight.Cargo
    ) async throws(RelayTrouble) {
        var records: [PublishedRecord] = []
        records.reserveCapacity(rows.count)
        for row in rows { records.append(try await record(of: row)) }
        let begun = clock.nanoseconds
        await publisher.submit(records)
        let now = active?.now(begun) ?? Instant(microseconds: 0)
        var flight = ActiveRelay.Flight(cargo: cargo, oldest: now, begunAt: begun)
        if case .rows(let rows, let cursor, let isAll) = cargo {
            flight.oldest = rows.first?.row.event.columns.occurredAt ?? now
            flight.closes = closable(cursor, isAll: isAll)
        }
        active?.begin(flight)
    }

    // MARK: - Arrival

    /// Waits for the next arrival, a little.
    mutating func awaitArrival(_ time: Duration) async throws(RelayTrouble) {
        let hasArrived = try await fromKafka { () throws(PublisherError) in
            try await publisher.settled(within: time)
        }
        if hasArrived { arrived() }
    }

    /// Keeps what has arrived: at once when that is all, and otherwise not after every flight.
    mutating func land() async throws(RelayTrouble) {
        while active?.flights.contains(where: { !$0.hasArrived }) == true {
            let isSettled = try await fromKafka { () throws(PublisherError) in
                try await publisher.settled(within: .zero)
            }
            guard isSettled else { break }
            arrived()
        }
        guard let flights = active?.flights, flights.first?.hasArrived == true else { return }
        let isAll = flights.allSatisfy(\.hasArrived)
        let isMuch = (active?.rowsOnTheirWay ?? 0) >= LogRow.batchMax
        guard isAll || isMuch || isDue(.ledger) else { return }
        try await keep(flights.prefix(while: \.hasArrived))
    }

    private mutating func keep(
        _ arrived: ArraySlice<ActiveRelay.Flight>
    ) async throws(RelayTrouble) {
        guard let active else { return }
        let begun = clock.nanoseconds
        var kept: [NumberedRow] = []
        var last: (cursor: RelayCursor, isAll: Bool)?
        for flight in arrived {
            guard case .rows(let rows, let cursor, let isAll) = flight.cargo else { continue }
            kept += rows
            last = (cursor, isAll)
        }
        let acknowledged = await publisher.acknowledged
        self.active?.reached(acknowledged)
        if let last {
            try await fromLog { () throws(EventLogError) in
                try await log.record(
                    kept,
                    cursor: last.cursor,
                    acknowledged: self.active?.acknowledged ?? acknowledged,
                    by: active.term.relayEpoch
                )
            }
            self.active?.cursor = last.cursor
            status.publishedCount += Int64(kept.count)
        }
        let landed = self.active?.landed() ?? []
        if let instant = landed.compactMap(\.closes).last {
            self.active?.sampling.close(through: instant)
        }
        if case .again(let next) = landed.last?.cargo { self.active?.arrived(upTo: next) }
        guard let last else { return }
        passed(.record, since: begun)
        try published(isAll: last.isAll)
    }

    private mutating func arrived() {
        let now = clock.nanoseconds
        active?.patience.delivered(at: now)
        guard let begun = active?.arrived() else { return }
        fruitlessHandOvers = 0
        passed(.acknowledge, since: begun)
    }

    private func passed(_ stage: RelayStage, since begin: UInt64) {
        guard let observer else { return }
        let now = clock.nanoseconds
        let passed = now > begin ? now - begin : 0
        observer.passed(stage, in: .nanoseconds(Int64(clamping: passed)))
    }

    // MARK: - Nothing to publish

    private mutating func idle() async throws(RelayTrouble) {
        guard let active else { return }
        // Whether more has come meanwhile is asked again when something has arrived.
        guard active.flights.isEmpty else { return try await awaitArrival(.milliseconds(10)) }
        if active.isInOldEpoch {
            var cursor = active.cursor
            cursor.place = .start(of: cursor.place.epoch + 1)
            try await fromLog { () throws(EventLogError) in
                try await log.record(
                    [],
                    cursor: cursor,
                    acknowledged: active.acknowledged,
                    by: active.term.relayEpoch
                )
            }
            self.active?.move(to: cursor)
            return
        }
        if let instant = closable(active.cursor, isAll: true) {
            self.active?.sampling.close(through: instant)
        }
        try published(isAll: true)
        await log.news(within: .milliseconds(50))
    }

    private func closable(_ cursor: RelayCursor, isAll: Bool) -> Instant? {
        // Transactions of an old epoch say nothing about the present.
        guard active?.isInOldEpoch == false else { return nil }
        return active?.sampling.closable(upTo: cursor.place, isAll: isAll)
    }

    private mutating func published(isAll: Bool) throws(RelayTrouble) {
        active?.isSound = true
        trials.succeeded(at: clock.nanoseconds)
        guard let cursor = active?.cursor, active?.isInOldEpoch == false, isAll else { return }
        do { try active?.check?.drained(nextIndex: cursor.nextIndex) } catch {
            throw .halt(.lostHistory(index: error.index))
        }
        active?.check = nil
    }

    // MARK: - Watermark

    private mutating func sample() async throws(RelayTrouble) {
        let fence = try await fence()
        try refuseEarlierNumbers(fence)
        let now = clock.nanoseconds
        active?.take(fence, at: now, isTrusted: !ClockSkew.isWrong(status.skewMilliseconds))
    }

    /// Asks for the fence, and sees how far the database's clock is from ours.
    mutating func fence() async throws(RelayTrouble) -> Fence {
        let before = clock.wallTime
        let fence = try await fromLog { () throws(EventLogError) in try await log.fence() }
        status.skewMilliseconds =
            ClockSkew.milliseconds(of: fence.at, askedAt: before, answeredAt: clock.wallTime)
        return fence
    }

    /// What is written with numbers below the cursor is never read, and must not count as complete.
    private func refuseEarlierNumbers(_ fence: Fence) throws(RelayTrouble) {
        guard let active, !active.isInOldEpoch else { return }
        let published = active.cursor.place.xid
        guard fence.nextToBegin <= published else { return }
        throw .halt(.numbersBeganAgain(next: fence.nextToBegin, published: published))
    }

    /// Says how far the log is complete, when that is known.
    private mutating func announceWatermark() async {
        // One that waits says all there is to say: more of them would only pile up.
        guard let active, !active.hasWatermarkOnItsWay,
            let through = active.sampling.completeThrough
        else { return }
        // It would hide a row that is on the topic already, and not recorded, from the next relay
        // that looks at the end.
        guard active.check?.names(atOrAbove: active.cursor.nextIndex) != true else { return }
        let begun = clock.nanoseconds
        let now = active.now(begun)
        let watermark = LogWatermark(
            log: active.term.log,
            completeThrough: through,
            index: active.cursor.nextIndex - 1
        )
        await publisher.announce(watermark.record(at: now))
        self.active?.begin(ActiveRelay.Flight(cargo: .watermark, oldest: now, begunAt: begun))
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
        let name = try await fromLog { () throws(EventLogError) in
            try await log.projectName(of: project)
        }
        active?.names[project] = name
        return name
    }
}
