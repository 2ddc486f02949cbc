internal import Publishing
internal import Runtime

/// The numbers of a relay (Architecture 13).
struct RelayMetrics: RelayObserver {
    private let isActive: Gauge
    private let isHalted: Gauge
    private let isReplaying: Gauge
    private let lag: Gauge
    private let fenceAge: Gauge
    private let index: Gauge
    private let published: Counter
    private let skew: Gauge
    private let failedTerms: Counter
    private let handOvers: Counter
    private let losses: Counter
    private let stages: [RelayStage: Histogram]

    init(_ metrics: Metrics) {
        isActive = metrics.gauge("chancery_relay_active", "1 on the relay that publishes.")
        isHalted = metrics.gauge(
            "chancery_relay_halted",
            "1 while an operator has to act before anything is published."
        )
        isReplaying = metrics.gauge(
            "chancery_relay_replaying",
            "1 while the log is published again, to a topic that lacks it."
        )
        lag = metrics.gauge(
            "chancery_relay_lag_seconds",
            "Age of the oldest event on its way to Kafka, or of the last time nothing waited."
        )
        fenceAge = metrics.gauge(
            "chancery_relay_fence_age_seconds",
            "Age of the newest instant up to which everything is published."
        )
        index = metrics.gauge("chancery_relay_log_index", "The number the next event gets.")
        published = metrics.counter("chancery_relay_published_total", "Events published.")
        skew = metrics.gauge(
            "chancery_clock_skew_seconds",
            "The database's clock minus ours, as seen last."
        )
        failedTerms = metrics.counter(
            "chancery_relay_failed_terms_total",
            "How often the database took the lead away or could not keep what was published."
        )
        handOvers = metrics.counter(
            "chancery_relay_handovers_total",
            "How often it left the lead to another because Kafka did nothing for it."
        )
        losses = metrics.counter(
            "chancery_relay_losses_total",
            "How often the topic was found to lack what it acknowledged; the log was sent again."
        )
        stages = Dictionary(
            uniqueKeysWithValues: RelayStage.allCases.map { stage in
                let histogram = metrics.histogram(
                    "chancery_relay_stage_seconds",
                    "Time to read a batch, until Kafka had it, and to keep its numbers.",
                    ["stage": stage.rawValue]
                )
                return (stage, histogram)
            }
        )
    }

    func passed(_ stage: RelayStage, in time: Duration) { stages[stage]?.observe(time) }

    /// Shows `status`; `before` is what was shown last.
    func show(_ status: RelayStatus, before: RelayStatus) {
        isActive.set(status.role == .active ? 1 : 0)
        if case .halted = status.role { isHalted.set(1) } else { isHalted.set(0) }
        isReplaying.set(status.isReplaying ? 1 : 0)
        lag.set(Double(status.lagMilliseconds) / 1000)
        fenceAge.set(Double(status.fenceAgeMilliseconds) / 1000)
        index.set(Double(status.nextIndex))
        published.add(Int(status.publishedCount - before.publishedCount))
        skew.set(Double(status.skewMilliseconds) / 1000)
        failedTerms.add(Int(status.failedTermCount - before.failedTermCount))
        handOvers.add(Int(status.handOverCount - before.handOverCount))
        losses.add(Int(status.lossCount - before.lossCount))
    }
}
