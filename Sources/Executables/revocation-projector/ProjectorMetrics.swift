internal import Domain
internal import Runtime

/// The numbers of a projector (architecture.md section 13).
enum ProjectorMetrics {
    static func publish(_ service: ProjectorService, to metrics: Metrics) {
        metrics.observe("chancery_projector_active", "1 on the projector that applies.") {
            service.shown.current.role == .active ? 1 : 0
        }
        metrics.observe(
            "chancery_projection_log_index",
            "Every event up to this number is applied.",
            ["projection": "revocation"]
        ) { Double(service.shown.current.frontier) }
        metrics.observe(
            "chancery_projection_lag_seconds",
            "Age of the instant up to which the read model is complete.",
            ["projection": "revocation"]
        ) {
            let now = Instant(microseconds: WallTime.nowMicroseconds())
            let through = service.shown.current.completeThrough
            return through.map { Double(now.millisecondsSince($0)) / 1000 } ?? 0
        }
    }
}
