internal import Domain

/// The state of a relay that has the lead; thrown away with it.
struct ActiveRelay: Sendable {
    enum Phase: Equatable {
        /// Nothing is known of the cluster yet.
        case arriving
        /// Publishing the log again.
        case replaying(Replay)
        /// Publishing what is new.
        case following
    }

    /// The log is published again, from a number on, to the cluster of this id.
    struct Replay: Equatable {
        let cluster: String
        /// Everything before has arrived there.
        var next: Int64
        /// Behind what is on its way, where reading goes on.
        var ahead: Int64
        /// Whether anything has arrived since it began.
        var hasArrived = false
        /// What that cluster has acknowledged of it.
        var acknowledged: [Int32: Int64] = [:]

        init(to cluster: String, from next: Int64) {
            self.cluster = cluster
            self.next = next
            ahead = next
        }
    }

    /// A batch on its way to Kafka.
    struct Flight {
        enum Cargo {
            case rows([NumberedRow], cursor: RelayCursor, isAll: Bool)
            case again(next: Int64)
            case watermark
        }

        var cargo: Cargo
        /// When its oldest event happened.
        var oldest: Instant
        /// When it was handed to the producer, on the monotonic clock.
        var begunAt: UInt64
        /// What the watermark may claim once it has arrived.
        var closes: Instant?
        var hasArrived = false
    }

    let term: RelayTerm
    /// What the ledger has.
    var cursor: RelayCursor
    /// Behind what is on its way, where reading goes on; the same numbers follow from it.
    private(set) var ahead: RelayCursor
    private(set) var clusterID: String?
    /// What that cluster has acknowledged: where a partition ends before it, records are lost.
    private(set) var acknowledged: [Int32: Int64]
    var phase = Phase.arriving
    /// Whether the producer has been asked for its cluster since it was made.
    var isClusterAsked = false
    /// In the order they were begun, which is the order they arrive in.
    private(set) var flights: [Flight] = []
    /// How long Kafka may be silent.
    var patience: KafkaPatience
    var check: TailCheck?
    var sampling = WatermarkSampling()
    var schedule = RelaySchedule()
    /// Something was published, or there was nothing to publish.
    var isSound = false
    var names: [ProjectNumber: ProjectID] = [:]
    private var lastFence: (at: Instant, nanoseconds: UInt64)?

    init(_ term: RelayTerm, at now: UInt64) {
        self.term = term
        patience = KafkaPatience(at: now)
        cursor = term.cursor
        ahead = term.cursor
        clusterID = term.clusterID
        acknowledged = term.acknowledged
    }

    var isInOldEpoch: Bool { cursor.place.epoch < term.currentEpoch }

    /// The database's time, carried on from the last reading by the monotonic clock.
    func now(_ nanoseconds: UInt64) -> Instant {
        guard let lastFence else { return Instant(microseconds: 0) }
        let passed = nanoseconds > lastFence.nanoseconds ? nanoseconds - lastFence.nanoseconds : 0
        return Instant(microseconds: lastFence.at.microseconds &+ Int64(passed / 1000))
    }

    /// A reading by a clock that is not trusted closes nothing and is no sample.
    mutating func take(_ fence: Fence, at nanoseconds: UInt64, isTrusted: Bool) {
        // What is on its way was to close a sample of before the clock went back (decision 0055).
        if let lastFence, fence.at < lastFence.at {
            for index in flights.indices { flights[index].closes = nil }
        }
        lastFence = (fence.at, nanoseconds)
        if isTrusted { sampling.sample(fence) } else { sampling.distrust(fence.at) }
    }

    /// Whether Kafka has not confirmed the last watermark.
    var hasWatermarkOnItsWay: Bool {
        flights.contains { if case .watermark = $0.cargo { true } else { false } }
    }

    /// Whether nothing is on its way to Kafka, and no question to it is open.
    var isOwedNothing: Bool {
        phase != .arriving && isClusterAsked && flights.allSatisfy(\.hasArrived)
    }

    /// Rows that Kafka has not confirmed or, of new ones, the ledger does not have.
    var rowsOnTheirWay: Int {
        if case .replaying(let replay) = phase { return Int(replay.ahead - replay.next) }
        return Int(ahead.nextIndex - cursor.nextIndex)
    }

    mutating func begin(_ flight: Flight) {
        if case .rows(_, let cursor, _) = flight.cargo { ahead = cursor }
        flights.append(flight)
    }

    /// A page of a replay was read; one without events waits for those before it, too.
    mutating func read(_ replay: Replay, upTo next: Int64) {
        var replay = replay
        replay.ahead = next
        if flights.isEmpty { replay.next = next }
        phase = .replaying(replay)
    }

    /// The log is published again, from a number on.
    mutating func begin(_ replay: Replay) {
        phase = .replaying(replay)
        check = nil
    }

    /// The database knows the cluster that has the log now.
    mutating func adopted(_ cluster: String?, _ acknowledged: [Int32: Int64]) {
        clusterID = cluster
        self.acknowledged = acknowledged
    }

    /// Events have been acknowledged up to these offsets, by the cluster they are sent to.
    mutating func reached(_ offsets: [Int32: Int64]) {
        guard case .replaying(var replay) = phase else {
            return acknowledged.merge(offsets) { max($0, $1) }
        }
        replay.acknowledged.merge(offsets) { max($0, $1) }
        phase = .replaying(replay)
    }

    /// Of a replay, everything before `next` has arrived.
    mutating func arrived(upTo next: Int64) {
        guard case .replaying(var replay) = phase else { return }
        replay.next = next
        replay.hasArrived = true
        phase = .replaying(replay)
    }

    /// The next flight that has not arrived, has; answers when it was begun.
    mutating func arrived() -> UInt64? {
        guard let first = flights.firstIndex(where: { !$0.hasArrived }) else { return nil }
        flights[first].hasArrived = true
        return flights[first].begunAt
    }

    /// The ledger has everything that arrived.
    mutating func landed() -> [Flight] {
        let landed = flights.prefix(while: \.hasArrived)
        flights.removeFirst(landed.count)
        return Array(landed)
    }

    /// Nothing is read any more where it was: the next row is the one behind `cursor`.
    mutating func move(to cursor: RelayCursor) {
        self.cursor = cursor
        ahead = cursor
    }

    /// Forgets what was on its way; a replay starts over where it was.
    mutating func abandonFlights() {
        if flights.contains(where: { !$0.hasArrived }) { patience.lost() }
        flights = []
        ahead = cursor
        isClusterAsked = false
        switch phase {
        case .arriving: break
        case .replaying(var replay):
            replay.ahead = replay.next
            phase = .replaying(replay)
        // The tail has moved by what did arrive: look again.
        case .following: phase = .arriving
        }
    }
}
