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
        let id = try await fromKafka { () throws(PublisherError) in
            try await publisher.clusterID()
        }
        active?.isClusterAsked = true
        guard let active else { return }
        if case .replaying(let replay) = active.phase, replay.cluster.utf8.elementsEqual(id.utf8) {
            return
        }
        guard let known = active.clusterID, known.utf8.elementsEqual(id.utf8) else {
            return beginReplay(to: id)
        }
        if active.phase != .following { try await lookAtTail(of: id) }
    }

    /// The new id is kept when all of it is there: a relay that dies before begins again.
    private mutating func beginReplay(to cluster: String) {
        active?.check = nil
        let replay = ActiveRelay.Replay(to: cluster, from: replayStart)
        active?.phase = .replaying(replay)
        // What was lost was on its way to what is gone.
        let now = clock.nanoseconds
        active?.patience = KafkaPatience(at: now)
    }

    private mutating func lookAtTail(of cluster: String) async throws(RelayTrouble) {
        guard let log = active?.term.log, let next = active?.cursor.nextIndex else { return }
        // Before each question: brokers that are slow to answer must not look like a frozen relay.
        try await showLife()
        let ends = try await fromKafka { () throws(PublisherError) in try await publisher.ends() }
        // The cluster is the same, the topic is not.
        if next > 0, ends.isUntouched {
            // Whoever goes on after an interruption must not take the half for the whole.
            try await adopt(nil)
            return beginReplay(to: cluster)
        }
        try await showLife()
        var check = TailCheck(of: log, nextIndex: next, try await tail(Self.tailMin, ends))
        if check.needsMore {
            try await showLife()
            check = TailCheck(of: log, nextIndex: next, try await tail(Self.tailMax, ends))
            do { try check.verifiable() } catch { throw .halt(.lostHistory(index: error.index)) }
        }
        active?.check = check
        active?.phase = .following
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
        guard let term = active?.term else { return }
        try await fromLog { () throws(EventLogError) in
            try await log.adopt(cluster: cluster, by: term.relayEpoch)
        }
        active?.clusterID = cluster
    }
}
