extension Relay {
    /// One step of the active relay.
    mutating func work() async throws(RelayTrouble) {
        if isDue(.heartbeat) { try await showLife() }
        try await land()
        try losePatience()
        // Not while something is on its way: that arrives at the cluster that was asked, or breaks.
        if active?.flights.isEmpty == true,
            active?.phase == .arriving || active?.isClusterAsked == false || isDue(.cluster)
        {
            try await lookAtCluster()
            guard active?.isClusterAsked == true else { return }
        }
        switch active?.phase {
        case .replaying(let replay): try await self.replay(replay)
        case .following: try await follow()
        case .arriving, nil: break
        }
    }

    private func showLife() async throws(RelayTrouble) {
        guard let term = active?.term else { return }
        try await fromLog { () throws(EventLogError) in
            try await log.showLife(of: term.relayEpoch)
        }
    }

    mutating func isDue(_ work: RelaySchedule.Work) -> Bool {
        let now = clock.nanoseconds
        return active?.schedule.takes(work, at: now) ?? false
    }

    func fromLog<Answer>(
        _ ask: () async throws(EventLogError) -> Answer
    ) async throws(RelayTrouble) -> Answer {
        do { return try await ask() } catch { throw .log(error) }
    }

    func fromKafka<Answer>(
        _ ask: () async throws(PublisherError) -> Answer
    ) async throws(RelayTrouble) -> Answer {
        do { return try await ask() } catch { throw .publisher(error) }
    }

    // MARK: - Cluster

    private mutating func lookAtCluster() async throws(RelayTrouble) {
        // Until it is answered nothing is sent: the question may have reached another cluster.
        active?.isClusterAsked = false
        let id: String
        do { id = try await publisher.clusterID() } catch {
            // Who answers next may not have what this one had: its end is looked at, too.
            if active?.phase == .following { active?.phase = .arriving }
            throw .publisher(error)
        }
        guard let active else { return }
        if case .replaying(let replay) = active.phase, replay.cluster.utf8.elementsEqual(id.utf8) {
            // What has arrived of it may be gone again.
            if try await ends().end(before: replay.acknowledged) {
                return try await beginAgain(on: id)
            }
        } else if let known = active.clusterID, known.utf8.elementsEqual(id.utf8) {
            if active.phase != .following, try await !resume() {
                return try await beginAgain(on: id)
            }
        } else {
            beginReplay(to: id)
        }
        self.active?.isClusterAsked = true
    }

    /// The new id is kept when all of it is there: a relay that dies before begins again.
    private mutating func beginReplay(to cluster: String) {
        let replay = ActiveRelay.Replay(to: cluster, from: replayStart)
        active?.begin(replay)
        // What was lost was on its way to what is gone.
        let now = clock.nanoseconds
        active?.patience = KafkaPatience(at: now)
    }

    /// The cluster is the same, but what it has acknowledged is there no more.
    ///
    /// Which records a reader has seen, and which only this topic had, nobody knows: all of them go
    /// there again (decision 0204).
    private mutating func beginAgain(on cluster: String) async throws(RelayTrouble) {
        // Whoever goes on after an interruption must not take the half for the whole.
        try await adopt(nil)
        status.lossCount += 1
        beginReplay(to: cluster)
        // What was acknowledged over this connection is what was lost: by another one.
        active?.isClusterAsked = false
        await publisher.renew()
    }

    /// Where the partitions end.
    private func ends() async throws(RelayTrouble) -> TopicEnds {
        // Before each question: brokers that are slow to answer must not look like a frozen relay.
        try await showLife()
        return try await fromKafka { () throws(PublisherError) in try await publisher.ends() }
    }

    /// Looks at the end of the topic and goes on behind it; false where something that it
    /// acknowledged is gone.
    private mutating func resume() async throws(RelayTrouble) -> Bool {
        let ends = try await ends()
        guard let active else { return true }
        let (log, next) = (active.term.log, active.cursor.nextIndex)
        if next > 0, ends.isUntouched { return false }
        try await showLife()
        var check = TailCheck(of: log, nextIndex: next, try await tail(Self.tailMin, ends))
        if check.needsMore {
            try await showLife()
            check = TailCheck(of: log, nextIndex: next, try await tail(Self.tailMax, ends))
            do { try check.verifiable() } catch { throw .halt(.lostHistory(index: error.index)) }
        }
        if ends.end(before: active.acknowledged) {
            // What it shows all the same will be behind the records of all others.
            try await verify(check)
            return false
        }
        self.active?.check = check
        self.active?.phase = .following
        return true
    }

    /// Compares at once what Kafka names at or above the cursor: it was final when it was sent.
    private func verify(_ check: TailCheck) async throws(RelayTrouble) {
        guard let active else { return }
        var (check, cursor) = (check, active.cursor)
        while check.names(atOrAbove: cursor.nextIndex) {
            try await showLife()
            let (place, isOld) = (cursor.place, cursor.place.epoch < active.term.currentEpoch)
            let rows = try await fromLog { () throws(EventLogError) in
                try await log.rows(after: place, belowFence: !isOld)
            }
            if rows.isEmpty, isOld {
                cursor.place = .start(of: place.epoch + 1)
                continue
            }
            do throws(TailCheck.LostHistory) {
                if rows.isEmpty { throw TailCheck.LostHistory(index: cursor.nextIndex) }
                try check.compare(cursor.number(rows))
            } catch { throw .halt(.lostHistory(index: error.index)) }
        }
    }

    private func tail(
        _ count: Int,
        _ ends: TopicEnds
    ) async throws(RelayTrouble) -> [LogRecord] {
        try await fromKafka { () throws(PublisherError) in
            try await publisher.tail(count, before: ends)
        }
    }

    // MARK: - Publishing again

    /// Reads the next page while those before it are on their way, as `follow` does.
    private mutating func replay(_ replay: ActiveRelay.Replay) async throws(RelayTrouble) {
        guard let active else { return }
        let end = active.cursor.nextIndex
        let isFull = active.rowsOnTheirWay >= rowsOnTheirWayMax
        if !active.flights.isEmpty, isFull || replay.ahead >= end {
            return try await awaitArrival(.milliseconds(500))
        }
        guard replay.ahead < end else { return try await finish(replay) }
        let page = try await fromLog { () throws(EventLogError) in
            try await log.published(in: replay.ahead..<end)
        }
        // Years may be gone with their partitions: a page a step, and signs of life between them.
        if !page.rows.isEmpty { try await send(page.rows, as: .again(next: page.next)) }
        self.active?.read(replay, upTo: page.next)
    }

    /// All of it has arrived, and is there.
    private mutating func finish(_ replay: ActiveRelay.Replay) async throws(RelayTrouble) {
        guard try await !ends().end(before: replay.acknowledged) else {
            return try await beginAgain(on: replay.cluster)
        }
        try await adopt(replay.cluster, replay.acknowledged)
        active?.phase = .following
    }

    private mutating func adopt(
        _ cluster: String?,
        _ acknowledged: [Int32: Int64] = [:]
    ) async throws(RelayTrouble) {
        guard let term = active?.term else { return }
        try await fromLog { () throws(EventLogError) in
            try await log.adopt(
                cluster: cluster,
                acknowledged: acknowledged,
                by: term.relayEpoch
            )
        }
        active?.adopted(cluster, acknowledged)
    }
}
