internal import Assembly
internal import Domain
internal import Issuing
internal import Persistence
internal import Runtime

/// Follows the ends of the log until the process ends, so that none stays half recorded.
struct EndingService: Sendable {
    private static let lookInterval = Duration.seconds(2)
    private static let endsMilliseconds = 20_000
    /// Less than the lease of `EndingLog`.
    private static let deadlineMilliseconds = 25_000
    private static let measureMilliseconds = 2_000

    private let finish: FinishEndings
    private let ends: PostgresEndingLog
    private let progress: Guarded<EndingProgress>
    private let watch: EndingWatch
    private let clock: SystemClock
    private let loop: Loop
    private let log: Log
    private let sessions: Counter
    private let lag: Gauge

    /// `progress`: begins anew at another server, as whoever makes this sees to.
    init(
        _ finish: FinishEndings,
        of ends: PostgresEndingLog,
        progress: Guarded<EndingProgress>,
        watch: EndingWatch,
        clock: SystemClock,
        on loop: Loop,
        metrics: Metrics,
        log: Log
    ) {
        self.finish = finish
        self.ends = ends
        self.progress = progress
        self.watch = watch
        self.clock = clock
        self.loop = loop
        self.log = log
        sessions = metrics.counter(
            "chancery_endings_finished_total",
            "Sessions recorded as ended after the process that ended them could not."
        )
        lag = metrics.gauge(
            "chancery_endings_lag_seconds",
            "Age of the first end behind the cursor of the issuers, in the order of the log."
        )
    }

    func run() async {
        var nextMeasure = loop.now
        while !loop.isStopping {
            // Behind a page of many that follow at once it has little new to say.
            if nextMeasure <= loop.now {
                nextMeasure = loop.now.advanced(by: Self.lookInterval)
                await measure()
            }
            let count = await pass()
            if count == RecordedEnding.pageMax { continue }
            try? await loop.sleep(until: loop.now.advanced(by: Self.lookInterval))
        }
    }

    /// Every node measures, also one that has no turn.
    private func measure() async {
        // Without an answer the last one stays: what it says of is not over.
        let deadline = clock.deadline(inMilliseconds: Self.measureMilliseconds)
        await watch.look(at: ends, by: deadline, log: log)
        guard let seconds = try? await ends.lag(by: deadline) else { return }
        lag.set(Double(seconds))
    }

    /// The number of ends that do not come again.
    private func pass() async -> Int {
        let begin = progress.current.begin(at: clock.deadline(inMilliseconds: 0))
        let outcome = await finish.run(
            by: clock.deadline(inMilliseconds: Self.deadlineMilliseconds),
            endsBy: clock.deadline(inMilliseconds: Self.endsMilliseconds),
            after: begin.reached,
            isCurrent: { progress.current.isCurrent(since: begin) }
        )
        let now = clock.deadline(inMilliseconds: 0)
        progress.withLock { $0.keep(outcome.reached, since: begin, at: now) }
        if outcome.sessionCount > 0 {
            sessions.add(outcome.sessionCount)
            log.notice(
                "ends that were half recorded are finished",
                .field("sessions", outcome.sessionCount)
            )
        }
        for stream in outcome.erased {
            log.notice("an erasure is complete", .field("stream", stream.description))
        }
        for stream in outcome.unreadable {
            log.error(
                "a stream cannot be read, its end is not recorded",
                .field("stream", stream.description)
            )
        }
        for end in outcome.waiting {
            log.warning(
                "an end waits",
                .field("stream", end.stream.description),
                .field("error", "\(end.error)")
            )
        }
        if let failure = outcome.failure {
            log.warning("ends wait", .field("error", "\(failure)"))
        }
        return outcome.endingCount
    }
}
