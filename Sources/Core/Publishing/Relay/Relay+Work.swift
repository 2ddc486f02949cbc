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
        active?.isClusterAsked = true
        guard let active else { return }
        if case .replaying(let replay) = active.phase, replay.cluster.utf8.elementsEqual(id.utf8) {
            // What has arrived of it may be gone again.
            if try await ends().end(before: active.acknowledged) { try await beginAgain(on: id) }
            return
        }
        guard let known = active.clusterID, known.utf8.elementsEqual(id.utf8) else {
            return beginReplay(to: id)
        }
        if active.phase != .following { try await lookAtTail(of: id) }
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
        status.lossCount += 1
        // Whoever goes on after an interruption must not take the half for the whole.
        try await adopt(nil)
        beginReplay(to: cluster)
    }

    /// Where the partitions end.
    private func ends() async throws(RelayTrouble) -> TopicEnds {
        // Before each question: brokers that are slow to answer must not look like a frozen relay.
        try await showLife()
        return try await fromKafka { () throws(PublisherError) in try await publisher.ends() }
    }

    private mutating func lookAtTail(of cluster: String) async throws(RelayTrouble) {
        let ends = try await ends()
        guard let active else { return }
        let (log, next) = (active.term.log, active.cursor.nextIndex)
        if next > 0, ends.isUntouched || ends.end(before: active.acknowledged) {
            return try await beginAgain(on: cluster)
        }
        try await showLife()
        var check = TailCheck(of: log, nextIndex: next, try await tail(Self.tailMin, ends))
        if check.needsMore {
            try await showLife()
            check = TailCheck(of: log, nextIndex: next, try await tail(Self.tailMax, ends))
            do { try check.verifiable() } catch { throw .halt(.lostHistory(index: error.index)) }
        }
        self.active?.check = check
        self.active?.phase = .following
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
        guard replay.ahead < end else {
            try await adopt(replay.cluster)
            self.active?.phase = .following
            return
        }
        let page = try await fromLog { () throws(EventLogError) in
            try await log.published(in: replay.ahead..<end)
        }
        // Years may be gone with their partitions: a page a step, and signs of life between them.
        if !page.rows.isEmpty { try await send(page.rows, as: .again(next: page.next)) }
        self.active?.read(replay, upTo: page.next)
    }

    private mutating func adopt(_ cluster: String?) async throws(RelayTrouble) {
        guard let active else { return }
        try await fromLog { () throws(EventLogError) in
            try await log.adopt(
                cluster: cluster,
                acknowledged: cluster == nil ? [:] : active.acknowledged,
                by: active.term.relayEpoch
            )
        }
        self.active?.clusterID = cluster
    }
}
