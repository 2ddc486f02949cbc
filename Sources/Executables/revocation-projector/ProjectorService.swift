internal import Assembly
internal import Domain
internal import Messaging
internal import Persistence
internal import Publishing
internal import Runtime

// @unchecked: touched on `loop` alone, except `shown`, which is guarded.
/// Turns the projector until the process ends, and shows what it does.
final class ProjectorService: @unchecked Sendable {
    let shown = Guarded(ProjectorStatus())
    private let topic: RevocationTopic
    private let bell: FeedBell
    private let clock: LoopClock
    private let times: SystemClock
    private let log: Log
    private let loop: Loop
    private let ended: LoopSignal
    private var projector: Projector<PostgresProjection, EventReader, RevocationTopic>
    private var isRunning = false
    /// What was said last of a topic that takes nothing.
    private var sinkProblem = ""

    init(
        _ model: PostgresProjection,
        _ reader: EventReader,
        _ topic: RevocationTopic,
        bell: FeedBell,
        times: SystemClock,
        observer: any ProjectorObserver,
        on loop: Loop,
        log: Log
    ) {
        self.topic = topic
        self.bell = bell
        self.times = times
        self.loop = loop
        self.log = log
        clock = LoopClock(on: loop)
        ended = LoopSignal(on: loop)
        projector = Projector(
            store: model,
            source: reader,
            sink: topic,
            clock: clock,
            observer: observer
        )
    }

    /// What is wrong, for readiness; standing by is right.
    var problem: String? { shown.current.problem(at: times.now) }

    func start() {
        isRunning = true
        loop.spawn { [self] in await run() }
    }

    /// Ends in order: gives the lead back, so that a standby has it within a second.
    func stop() async {
        clock.stop()
        let limit = MonotonicInstant.now().advanced(by: .seconds(5))
        while isRunning, MonotonicInstant.now() < limit { await ended.wait(until: limit) }
        topic.close()
    }

    private func run() async {
        while !clock.isStopping {
            await projector.turn()
            show()
        }
        await projector.end()
        show()
        bell.isRung = false
        isRunning = false
        ended.raise()
    }

    private func show() {
        let status = projector.status
        let before = shown.current
        shown.replace(with: status)
        bell.isRung = status.role == .active
        if status.frontier != before.frontier || status.late != before.late { bell.ring() }
        tell(status, before)
    }

    private func tell(_ status: ProjectorStatus, _ before: ProjectorStatus) {
        if status.role != before.role {
            switch status.role {
            case .active: log.notice("active", .field("frontier", status.frontier))
            case .standby: log.notice("standing by")
            case .waiting:
                log.warning(
                    "waiting: PostgreSQL or Kafka does not answer, or as another cluster",
                    .field("next", "chancery doctor asks both; kafka.bootstrap: one cluster alone")
                )
            case .halted(let reason):
                log.error(
                    "nothing is applied until somebody acts; it is looked again every 10 s",
                    .field("error", reason),
                    .field("next", "chancery doctor looks at the same; see to what it names")
                )
            }
        }
        if status.isCatchingUp != before.isCatchingUp {
            log.notice(
                status.isCatchingUp
                    ? "reading from PostgreSQL what the topic does not have"
                    : "reading the topic",
                .field("frontier", status.frontier)
            )
        }
        if status.gapCount != before.gapCount || status.repairCount != before.repairCount {
            log.error(
                "records were missing or damaged; PostgreSQL had the events",
                .field("gaps", status.gapCount),
                .field("repairs", status.repairCount)
            )
        }
        if status.handOverCount != before.handOverCount, let reason = status.handOver {
            log.warning(
                "left the lead to another: Kafka did nothing for this projector",
                .field("error", reason.rawValue),
                .field("next", "look at the way from here to every broker, and at our certificate")
            )
        }
        tellSink(status, before)
        if status.lossCount != before.lossCount {
            log.error(
                "the topic of events lacks records, which are read from PostgreSQL",
                .field("losses", status.lossCount),
                .field("next", "find out what the brokers lost, and whether the relay saw it")
            )
        }
        if status.sinkLossCount != before.sinkLossCount {
            log.error(
                "the topic of revocations has lost some: every one is told again",
                .field("losses", status.sinkLossCount),
                .field("next", "find out what the brokers lost; other topics may lack as much")
            )
        }
        tellStopped(status, before)
    }

    private func tellSink(_ status: ProjectorStatus, _ before: ProjectorStatus) {
        guard status.isSinkAway else {
            if before.isSinkAway { log.notice("the topic of revocations takes records again") }
            return
        }
        // What helps against the one does not help against the other.
        let problem = topic.problem ?? "another cluster than that of the events"
        defer { sinkProblem = problem }
        guard !before.isSinkAway || sinkProblem != problem else { return }
        log.error(
            "the topic of revocations takes nothing",
            .field("error", problem),
            .field(
                "next",
                "look at the brokers, and at what chancery doctor says of the topic's partitions; "
                    + "it is tried again every 5 s"
            )
        )
    }

    private func tellStopped(_ status: ProjectorStatus, _ before: ProjectorStatus) {
        // The same array, mostly: nobody looks through it then.
        guard status.blocked != before.blocked else { return }
        let known = Set(before.blocked.map(\.key))
        for key in status.blocked where !known.contains(key.key) {
            log.error(
                "a key is stopped: nothing of it is applied until it can be read",
                .field("key", key.name),
                .field("log_index", key.index),
                .field("error", key.reason)
            )
        }
        let stopped = Set(status.blocked.map(\.key))
        for key in before.blocked where !stopped.contains(key.key) {
            log.notice("a stopped key goes on", .field("key", key.name))
        }
    }
}
