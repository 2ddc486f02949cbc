internal import Domain
internal import Issuing
internal import Runtime

/// Follows the ends of the log until the process ends, so that none stays half recorded.
struct EndingService: Sendable {
    private static let lookInterval = Duration.seconds(2)
    /// Less than the lease of `EndingLog`.
    private static let deadlineMilliseconds = 20_000

    private let finish: FinishEndings
    private let clock: SystemClock
    private let loop: Loop
    private let log: Log
    private let sessions: Counter

    init(
        _ finish: FinishEndings,
        clock: SystemClock,
        on loop: Loop,
        metrics: Metrics,
        log: Log
    ) {
        self.finish = finish
        self.clock = clock
        self.loop = loop
        self.log = log
        sessions = metrics.counter(
            "chancery_endings_finished_total",
            "Sessions recorded as ended after the process that ended them could not."
        )
    }

    func run() async {
        while !loop.isStopping {
            if await pass() == RecordedEnding.pageMax { continue }
            try? await loop.sleep(until: loop.now.advanced(by: Self.lookInterval))
        }
    }

    /// The number of ends gone through, 0 when the log did not answer.
    private func pass() async -> Int {
        do {
            let deadline = clock.deadline(inMilliseconds: Self.deadlineMilliseconds)
            let outcome = try await finish.run(by: deadline)
            if outcome.sessionCount > 0 {
                sessions.add(outcome.sessionCount)
                log.notice(
                    "ends that were half recorded are finished",
                    .field("sessions", outcome.sessionCount)
                )
            }
            for stream in outcome.unreadable {
                log.error(
                    "an end cannot be followed: its stream cannot be read",
                    .field("stream", stream.description)
                )
            }
            return outcome.endingCount
        } catch {
            log.warning("ends wait", .field("error", "\(error)"))
            return 0
        }
    }
}
