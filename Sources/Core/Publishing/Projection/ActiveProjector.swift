internal import Domain

/// What the active projector knows.
struct ActiveProjector {
    enum Phase {
        /// What the topic does not have any more, or not yet, comes from PostgreSQL: everything up
        /// to `target`, then the topic from `offsets`.
        case catchingUp(target: Int64, offsets: [Int32: Int64])
        case following
    }

    let cluster: String
    private(set) var progress: ProjectionProgress
    /// The stopped keys, by the number they hold back.
    private(set) var blocked: [BlockedKey]
    /// Those that this round of trying has not come to.
    private var untried: ArraySlice<BlockedKey> = []
    var phase: Phase
    /// Whether something may wait for `chancery.revocations`.
    var hasOutbox = true
    /// After which key revocations are still to be queued again; nil when all are on the topic, or
    /// in the outbox.
    var queuesAfter: String?
    /// What `chancery.revocations` has acknowledged: where a partition of it ends before, records
    /// are lost.
    private(set) var acknowledged: [Int32: Int64]
    /// When `chancery.revocations` is tried again after it did not take something.
    private(set) var sinkAt: UInt64
    /// Since when it takes nothing; nil while it does, or was not tried.
    private(set) var sinkAwaySince: UInt64?
    /// Whether the topic still comes.
    var watch: ReadingWatch
    /// When things are due again, on the monotonic clock in nanoseconds.
    var watermarkAt: UInt64
    var lifeAt: UInt64
    var upkeepAt: UInt64
    var retryAt: UInt64
    /// Whether stopped keys wait until something was read.
    var readsBeforeRetry = false
    /// When it first had all that PostgreSQL had recorded, while it was catching up.
    private var headSeenAt: UInt64?
    /// When the topic is read again at the earliest.
    private var readAt: UInt64 = 0

    init(
        _ progress: ProjectionProgress,
        on cluster: String,
        acknowledged: [Int32: Int64],
        _ phase: Phase,
        at now: UInt64
    ) {
        self.cluster = cluster
        self.acknowledged = acknowledged
        self.progress = progress
        blocked = progress.blocked.values.sorted { $0.index < $1.index }
        self.phase = phase
        sinkAt = now
        watch = ReadingWatch(at: now)
        watermarkAt = now
        lifeAt = now
        upkeepAt = now
        // At once: a newer program may read what the one before could not.
        retryAt = now
    }

    /// What others may be told is complete: nothing while revocations of it wait in the outbox.
    var claim: LogWatermark? { hasOutbox ? nil : progress.complete }

    /// How long reading should wait: every batch is a transaction, so under load fuller ones come
    /// at intervals, and what comes alone is taken at once.
    func pause(at now: UInt64) -> Duration? {
        readAt > now ? .nanoseconds(Int64(clamping: readAt - now)) : nil
    }

    /// All revocations are to be queued again: of none of them is known where it stands.
    mutating func queuesAll() {
        queuesAfter = ""
        hasOutbox = true
        acknowledged = [:]
    }

    /// `chancery.revocations` has acknowledged records up to these offsets.
    mutating func reached(_ offsets: [Int32: Int64]) {
        acknowledged.merge(offsets) { max($0, $1) }
    }

    /// `chancery.revocations` has taken something.
    mutating func sinkTook() { sinkAwaySince = nil }

    /// It did not take something.
    mutating func sinkFailed(at now: UInt64) {
        // Of a time in which nobody tried nothing is known: the process may have stood still. A try
        // takes twelve seconds at most.
        let hasTried = now <= sinkAt || now - sinkAt <= 3 * Self.sinkRestNanoseconds
        if !hasTried || sinkAwaySince == nil { sinkAwaySince = now }
        sinkAt = now + Self.sinkRestNanoseconds
    }

    private static let sinkRestNanoseconds: UInt64 = 5_000_000_000

    /// The batch is applied.
    mutating func takes(_ batch: ProjectionBatch) {
        progress = batch.progress
        // Not made anew each time: there may be as many as there are sessions.
        if !batch.released.isEmpty {
            let released = Set(batch.released)
            blocked.removeAll { released.contains($0.key) }
        }
        guard !batch.blocked.isEmpty else { return }
        blocked += batch.blocked
        blocked.sort { $0.index < $1.index }
    }

    /// The next stopped keys to try again, by their numbers; one round comes to all of them.
    mutating func keysToTry(atMost limit: Int) -> [BlockedKey] {
        // What names no stream is nowhere in PostgreSQL.
        if untried.isEmpty { untried = blocked.filter { $0.stream != nil }[...] }
        defer { untried = untried.dropFirst(limit) }
        return Array(untried.prefix(limit))
    }

    /// Whether this round has not come to all of them.
    var hasKeysToTry: Bool { !untried.isEmpty }

    /// PostgreSQL has recorded no more, or hardly.
    mutating func seesHead(at now: UInt64) { headSeenAt = headSeenAt ?? now }

    /// Whether a number that the topic shows has been waited for long enough, however much else
    /// was recorded meanwhile.
    ///
    /// A relay records what it has published within seconds, and one that died before publishes it
    /// again behind the ends. A number that still is not there belongs to neither, so nobody
    /// waits for it (Security T9); should it come all the same, the watermarks behind it tell.
    func hasWaited(at now: UInt64) -> Bool {
        headSeenAt.map { now - $0 >= Self.waitMaxNanoseconds } ?? false
    }

    private static let waitMaxNanoseconds: UInt64 = 30_000_000_000

    /// A batch is read now.
    mutating func reads(at now: UInt64) { readAt = now + Self.batchEveryNanoseconds }

    private static let batchEveryNanoseconds: UInt64 = 5_000_000
}
