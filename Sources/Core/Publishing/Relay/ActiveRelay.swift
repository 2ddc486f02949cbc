internal import Domain

/// The state of a relay that has the lead; thrown away with it.
struct ActiveRelay: Sendable {
    enum Phase: Equatable {
        /// Nothing is known of the cluster yet.
        case arriving
        /// Publishing the log again from this number on, to the cluster of this id.
        case replaying(from: Int64, cluster: String)
        /// Publishing what is new.
        case following
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
    }

    let term: RelayTerm
    var cursor: RelayCursor
    var clusterID: String?
    var phase = Phase.arriving
    /// Whether the producer has been asked for its cluster since it was made.
    var isClusterAsked = false
    var flight: Flight?
    var check: TailCheck?
    var sampling = WatermarkSampling()
    var schedule = RelaySchedule()
    /// Something was published, or there was nothing to publish.
    var isSound = false
    var names: [ProjectNumber: ProjectID] = [:]
    private var lastFence: (at: Instant, nanoseconds: UInt64)?

    init(_ term: RelayTerm) {
        self.term = term
        cursor = term.cursor
        clusterID = term.clusterID
    }

    var isInOldEpoch: Bool { cursor.place.epoch < term.currentEpoch }

    /// The database's time, carried on from the last reading by the monotonic clock.
    func now(_ nanoseconds: UInt64) -> Instant {
        guard let lastFence else { return Instant(microseconds: 0) }
        let passed = nanoseconds > lastFence.nanoseconds ? nanoseconds - lastFence.nanoseconds : 0
        return Instant(microseconds: lastFence.at.microseconds &+ Int64(passed / 1000))
    }

    mutating func take(_ fence: Fence, at nanoseconds: UInt64) {
        lastFence = (fence.at, nanoseconds)
        sampling.sample(fence)
    }

    /// Forgets what was on its way; a replay starts over where it was.
    mutating func abandonFlight() {
        flight = nil
        isClusterAsked = false
        // The tail has moved by what did arrive: look again.
        if phase == .following { phase = .arriving }
    }
}
