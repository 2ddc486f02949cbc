internal import Messaging
internal import Persistence
internal import Publishing
internal import Runtime

// @unchecked: touched on `loop` alone, except `shown`, which is guarded.
/// Turns the relay until the process ends, and shows what it does.
final class RelayService: @unchecked Sendable {
    private let eventLog: PostgresRelayLog
    private let publisher: KafkaEventPublisher
    private let clock: LoopClock
    private let metrics: RelayMetrics
    private let log: Log
    private let loop: Loop
    private let ended: LoopSignal
    private let shown = Guarded(RelayStatus())
    private var relay: Relay<PostgresRelayLog, KafkaEventPublisher>
    private var isRunning = false

    init(
        _ eventLog: PostgresRelayLog,
        _ publisher: KafkaEventPublisher,
        replayStart: Int64,
        metrics: Metrics,
        on loop: Loop,
        log: Log
    ) {
        self.eventLog = eventLog
        self.publisher = publisher
        self.log = log
        self.loop = loop
        self.metrics = RelayMetrics(metrics)
        // What has come meanwhile is read while batches are on their way.
        eventLog.onNews = { publisher.nudge() }
        clock = LoopClock(on: loop)
        ended = LoopSignal(on: loop)
        relay = Relay(
            log: eventLog,
            publisher: publisher,
            clock: clock,
            replayStart: replayStart,
            observer: self.metrics
        )
    }

    /// What is wrong, for readiness; standing by is right.
    var problem: String? { shown.current.problem }

    /// Begins; `fenced` is called when another relay has taken over.
    func start(fenced: @escaping @Sendable () -> Void) {
        isRunning = true
        loop.spawn { [self] in await run(fenced: fenced) }
    }

    /// Ends in order: gives the lead back, so that a standby has it within a second.
    func stop() async {
        clock.stop()
        eventLog.wake()
        let limit = MonotonicInstant.now().advanced(by: .seconds(5))
        while isRunning, MonotonicInstant.now() < limit { await ended.wait(until: limit) }
        publisher.close()
    }

    private func run(fenced: @escaping @Sendable () -> Void) async {
        do {
            while !clock.isStopping {
                try await relay.turn()
                show()
            }
        } catch {
            log.error("another relay has taken over while this one stood still")
            fenced()
        }
        await relay.end()
        show()
        isRunning = false
        ended.raise()
    }

    private func show() {
        let status = relay.status
        let before = shown.current
        metrics.show(status, before: before)
        shown.replace(with: status)
        if ClockSkew.isAlarming(status.skewMilliseconds),
            !ClockSkew.isAlarming(before.skewMilliseconds)
        {
            log.error(
                "the database's clock differs from ours",
                .field("milliseconds", status.skewMilliseconds)
            )
        }
        tellKafka(status, before)
        guard status.role != before.role else { return }
        switch status.role {
        case .active: log.notice("active", .field("log_index", status.nextIndex))
        case .standby: log.notice("standing by")
        case .halted(let halt):
            log.error(
                "nothing is published until somebody acts; it is looked again every 10 s",
                .field("error", "\(halt)"),
                .field("next", halt.next)
            )
        }
    }

    private func tellKafka(_ status: RelayStatus, _ before: RelayStatus) {
        if status.handOverCount != before.handOverCount {
            log.warning(
                "left the lead to another: Kafka confirmed nothing for this relay",
                .field("milliseconds", status.lagMilliseconds),
                .field("next", "look at the way from here to every broker, and at our certificate")
            )
        } else if before.isWithoutKafka, !status.isWithoutKafka {
            log.notice("Kafka answers again")
        }
        if status.lossCount != before.lossCount {
            log.error(
                "Kafka has lost events that it had acknowledged: the log is published again",
                .field("losses", status.lossCount),
                .field("next", "find out what the brokers lost; other topics may lack as much")
            )
        }
    }
}
