internal import Domain
internal import Publishing
internal import Runtime

/// The numbers of a projector (Architecture 13).
enum ProjectorMetrics {
    static func publish(_ service: ProjectorService, to metrics: Metrics) {
        func observe(
            _ name: String,
            _ help: String,
            _ value: @escaping @Sendable (ProjectorStatus) -> Double?
        ) { Self.observe(name, help, service, metrics, value) }
        metrics.observe("chancery_projector_active", "1 on the projector that applies.") {
            service.shown.current.role == .active ? 1 : 0
        }
        metrics.observe("chancery_projector_halted", "1 when nothing is applied.") {
            if case .halted = service.shown.current.role { 1 } else { 0 }
        }
        observe("chancery_projection_log_index", "Every event up to this number is applied.") {
            Double($0.frontier)
        }
        observe(
            "chancery_projection_lag_seconds",
            "Age of the instant up to which the read model is complete."
        ) {
            let now = Instant(microseconds: WallTime.nowMicroseconds())
            // No sample where nothing is claimed: 0 would be the best age there is.
            return $0.completeThrough.map { Double(now.millisecondsSince($0)) / 1000 }
        }
        observe("chancery_projection_catching_up", "1 while it reads PostgreSQL instead of Kafka.")
        {
            $0.isCatchingUp ? 1 : 0
        }
        observe("chancery_projection_sink_away", "1 while chancery.revocations takes nothing.") {
            // Of one that does not lead nothing is known any more.
            $0.role == .active && $0.isSinkAway ? 1 : 0
        }
        observe("chancery_projection_blocked_keys", "Keys whose events cannot be applied.") {
            Double($0.blockedCount)
        }
        publishCounts(service, to: metrics)
    }

    private static func publishCounts(_ service: ProjectorService, to metrics: Metrics) {
        func observe(
            _ name: String,
            _ help: String,
            _ value: @escaping @Sendable (ProjectorStatus) -> Double?
        ) { Self.observe(name, help, service, metrics, value) }
        observe("chancery_projection_events_total", "Events applied.") { Double($0.eventCount) }
        observe("chancery_projection_duplicates_total", "Events that had been applied before.") {
            Double($0.duplicateCount)
        }
        observe(
            "chancery_projection_gaps_total",
            "Gaps in a stream's versions, filled from PostgreSQL."
        ) {
            Double($0.gapCount)
        }
        observe(
            "chancery_projection_repairs_total",
            "Unreadable records whose events PostgreSQL had."
        ) {
            Double($0.repairCount)
        }
        observe(
            "chancery_projection_losses_total",
            "How often the topic of events was found to lack records that PostgreSQL had."
        ) {
            Double($0.lossCount)
        }
        observe(
            "chancery_projection_sink_losses_total",
            "How often the topic of revocations was found to lack some; all were told again."
        ) {
            Double($0.sinkLossCount)
        }
        observe(
            "chancery_projection_upkeep_failures_total",
            "How often what has expired could not be dropped."
        ) {
            Double($0.upkeepFailureCount)
        }
        observe(
            "chancery_projection_handovers_total",
            "How often it left the lead to another because Kafka did nothing for it."
        ) {
            Double($0.handOverCount)
        }
        observe("chancery_projection_blocks_total", "Keys stopped.") { Double($0.blockCount) }
        observe("chancery_projection_published_total", "Revocations published.") {
            Double($0.publishedCount)
        }
    }

    private static func observe(
        _ name: String,
        _ help: String,
        _ service: ProjectorService,
        _ metrics: Metrics,
        _ value: @escaping @Sendable (ProjectorStatus) -> Double?
    ) {
        metrics.observe(name, help, ["projection": "revocation"]) {
            value(service.shown.current)
        }
    }
}

/// How long revocations take to reach others.
struct RevocationLatency: ProjectorObserver {
    private let stages: [RevocationStage: Histogram]

    init(_ metrics: Metrics) {
        stages = Dictionary(
            uniqueKeysWithValues: RevocationStage.allCases.map { stage in
                let histogram = metrics.histogram(
                    "chancery_revocation_latency_seconds",
                    "From the commit of an end until the feed, or every replica of Kafka, has it.",
                    ["stage": stage.rawValue]
                )
                return (stage, histogram)
            }
        )
    }

    func reached(_ stage: RevocationStage, revokedAt: Instant, at now: Instant) {
        stages[stage]?.observe(.milliseconds(now.millisecondsSince(revokedAt)))
    }
}
