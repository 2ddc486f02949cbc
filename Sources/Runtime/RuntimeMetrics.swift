/// The numbers and lines the runtime itself gives: call once while wiring.
package enum RuntimeMetrics {
    /// Publishes `chancery_loop_stalls_total` and `chancery_log_lines_dropped_total`; logs stalls.
    package static func publish(
        _ loops: [Loop],
        _ writer: LogWriter,
        to metrics: Metrics,
        log: Log
    ) {
        for loop in loops {
            metrics.observe(
                "chancery_loop_stalls_total",
                "Turns of a loop longer than 50 ms.",
                ["loop": loop.name]
            ) { Double(loop.stallCount) }
            loop.onStall { [name = loop.name] length in
                log.warning(
                    "a turn of the loop took too long",
                    .field("loop", name),
                    .field("ms", length)
                )
            }
        }
        metrics.observe("chancery_log_lines_dropped_total", "Log lines lost, ring or disk full.") {
            Double(writer.droppedLines)
        }
    }

    /// Publishes `chancery_build_info`.
    package static func publish(_ program: String, _ version: String, to metrics: Metrics) {
        metrics.gauge(
            "chancery_build_info",
            "1; which program runs, of which version and build.",
            ["program": program, "version": version, "build": BuildID.short ?? ""]
        ).set(1)
    }

    /// Publishes `chancery_certificate_end_seconds`.
    ///
    /// `endsAt`: in seconds since 1970; nil while there is none.
    package static func publish(
        certificateOf name: String,
        to metrics: Metrics,
        endsAt: @escaping @Sendable () -> Int64?
    ) {
        metrics.observe(
            "chancery_certificate_end_seconds",
            "Time until the certificate in use is not valid any more.",
            ["of": name]
        ) { endsAt().map { Double($0) - Double(WallTime.nowMicroseconds()) / 1_000_000 } }
    }

    /// Publishes `chancery_reload_failed`.
    package static func publish(_ lifecycle: Lifecycle, to metrics: Metrics) {
        metrics.observe(
            "chancery_reload_failed",
            "1 while what the last SIGHUP had read again cannot be used, or is not read in time."
        ) { lifecycle.hasFailedReload ? 1 : 0 }
    }
}
