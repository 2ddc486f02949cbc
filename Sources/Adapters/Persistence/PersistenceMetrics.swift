internal import Domain
internal import Issuing
package import Runtime

/// What the event store counts (Architecture 13).
package struct PersistenceMetrics: Sendable {
    let appendSeconds: Histogram
    let batchCommands: Histogram
    let queueDepth: Gauge
    let queueAge: Gauge
    let sessions: SessionCounts
    private let conflicts: [AggregateKind: Counter]
    private let shedStarting: Counter
    private let shedUsual: Counter
    private let shedEnding: Counter
    let unknownOutcomes: Counter
    let cacheHits: Counter
    let cacheMisses: Counter
    let headsEqual: Counter
    let headsMoved: Counter
    let eventsRead: Counter
    let snapshotsUsed: Counter
    let snapshotsRefused: Counter
    let snapshotsWritten: Counter
    let snapshotsFailed: Counter

    /// Makes the series in `metrics`.
    package init(_ metrics: Metrics) {
        appendSeconds = metrics.histogram(
            "chancery_append_seconds",
            "Time of one append call, from sending to its commit."
        )
        batchCommands = metrics.histogram(
            "chancery_append_batch_commands",
            "Commands in one append call.",
            boundsSeconds: [1, 2, 4, 8, 16, 32, 64, 128, 256]
        )
        queueDepth = metrics.gauge(
            "chancery_append_queue_depth",
            "Commands waiting for an append call."
        )
        queueAge = metrics.gauge(
            "chancery_append_queue_age_seconds",
            "Age of the oldest command that waits for an append call."
        )
        sessions = SessionCounts(metrics)
        conflicts = Self.conflicts(metrics)
        func shed(_ priority: CommandRequest.Priority) -> Counter {
            metrics.counter(
                "chancery_append_shed_total",
                "Commands not taken because the queue was full or too old.",
                ["priority": priority.rawValue]
            )
        }
        shedStarting = shed(.starting)
        shedUsual = shed(.usual)
        shedEnding = shed(.ending)
        unknownOutcomes = metrics.counter(
            "chancery_append_unknown_outcome_total",
            "Append calls whose answer was lost."
        )
        cacheHits = metrics.counter("chancery_cache_hits_total", "States found in the cache.")
        cacheMisses = metrics.counter("chancery_cache_misses_total", "States read from the log.")
        let heads = "Streams compared with the head of the log."
        headsEqual = metrics.counter("chancery_head_checks_total", heads, ["result": "equal"])
        headsMoved = metrics.counter("chancery_head_checks_total", heads, ["result": "moved"])
        eventsRead = metrics.counter(
            "chancery_events_read_total",
            "Events read from the log to fold states."
        )
        snapshotsUsed = Self.snapshots(metrics, "used")
        snapshotsRefused = Self.snapshots(metrics, "refused")
        snapshotsWritten = Self.snapshots(metrics, "written")
        snapshotsFailed = Self.snapshots(metrics, "failed")
    }

    private static func snapshots(_ metrics: Metrics, _ result: String) -> Counter {
        metrics.counter(
            "chancery_snapshots_total",
            "Folded states read from es.snapshots, refused, written to it and not written.",
            ["result": result]
        )
    }

    private static func conflicts(_ metrics: Metrics) -> [AggregateKind: Counter] {
        Dictionary(
            uniqueKeysWithValues: AggregateKind.allCases.map { kind in
                let counter = metrics.counter(
                    "chancery_append_conflicts_total",
                    "Commands refused because a stream or guard had moved, by what they write to.",
                    ["stream": kind.rawValue]
                )
                return (kind, counter)
            }
        )
    }

    /// A commit was refused: it counts under the first stream that it writes to for its own sake.
    func conflict(of commit: Commit) {
        let stream = commit.streams.first { $0.kind != .spent } ?? commit.streams.first
        guard let stream else { return }
        conflicts[stream.kind]?.add()
    }

    /// Of commands that were not taken.
    func shed(_ priority: CommandRequest.Priority) -> Counter {
        switch priority {
        case .starting: shedStarting
        case .usual: shedUsual
        case .ending: shedEnding
        }
    }
}
