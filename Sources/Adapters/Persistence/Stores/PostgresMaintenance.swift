package import Domain
internal import Issuing
internal import Postgres
package import Runtime

/// What an issuer does for the tables now and then: partitions ahead, old rows and keys away.
package struct PostgresMaintenance: Sendable {
    /// What one statement takes at most; the files say so too.
    ///
    /// No write transaction may hold up the relay for a second.
    private static let biteRows: Int64 = 1000
    /// Longer than a backup of the keys is kept: restored, it has those again that were destroyed
    /// since.
    private static let erasuresSeconds: Int64 = 40 * 86_400

    /// How the database names a partition that it could not drop, before name and reason.
    private static let notDropped = "not dropped: "

    /// What was done, and what has to be tried again soon.
    package struct Outcome: Hashable, Sendable {
        /// Partitions added or dropped.
        package var partitions: [String] = []
        /// Users who were erased and whose own key is there, a thousand at most.
        package var unfinishedErasures: [StreamID] = []
        /// What could not be done to its end.
        package var failures: [String] = []
    }

    private let database: Database
    private let clock: ServerClock
    private let failures: Counter
    private let strays: Gauge
    private let months: Gauge
    private let weeks: Gauge
    private let erasures: Gauge

    /// Works on the connections of `database`, while its clock is ours; says in `metrics` how far
    /// the partitions reach, and how often something could not be done.
    package init(_ database: Database, by clock: ServerClock, _ metrics: Metrics) {
        self.database = database
        self.clock = clock
        failures = metrics.counter(
            "chancery_upkeep_failures_total",
            "How often a part of the tables could not be maintained."
        )
        strays = metrics.gauge(
            "chancery_stray_events",
            "1: events stand in es.events_default, for whose time there was no partition."
        )
        erasures = metrics.gauge(
            "chancery_unfinished_erasures",
            "Users who were erased minutes to weeks ago and whose own key is not destroyed."
        )
        let reach = { (span: String) in
            metrics.gauge(
                "chancery_partitions_end_seconds",
                "Time until the newest partition of es.events ends.",
                ["span": span]
            )
        }
        months = reach("month")
        weeks = reach("week")
    }

    /// Runs once; a part that fails, or has much to do, keeps none of the others from its turn.
    ///
    /// Once an hour is enough; several nodes at once do no harm. What is old is told by the clock
    /// of the database: what goes by a wrong one is gone, so nothing is done while it is not ours.
    package func run(by deadline: Deadline) async -> Outcome {
        let outcome = await pass(by: deadline)
        failures.add(outcome.failures.count)
        return outcome
    }

    private func pass(by deadline: Deadline) async -> Outcome {
        var outcome = Outcome()
        let isRead = await clock.look()
        if let problem = isRead ? clock.problem : "the database did not tell its time" {
            outcome.failures.append("clock: \(problem)")
            return outcome
        }
        let parts = [
            ("passing keys", PackageResources.destroy_passing_keys_sql),
            ("old keys", PackageResources.drop_old_keys_sql),
            ("contexts", PackageResources.drop_old_contexts_sql),
            ("windows", PackageResources.drop_old_windows_sql),
            ("snapshots", PackageResources.drop_old_snapshots_sql),
        ].map { (name: $0, bite: Self.bite($1, before: clock.ourTime())) }
        let partitions = Statement(PackageResources.maintain_partitions_sql) {
            row throws(PostgresError) in try row.text(0)
        }
        do throws(StoreError) {
            for told in try await database.execute(partitions, by: deadline) {
                if told.hasPrefix(Self.notDropped) {
                    outcome.failures.append("partitions: \(told)")
                } else {
                    outcome.partitions.append(told)
                }
            }
            try await measure(by: deadline)
        } catch {
            outcome.failures.append("partitions: \(error)")
            try? await measure(by: deadline)
        }
        do throws(StoreError) {
            let since = clock.ourTime().adding(seconds: -Self.erasuresSeconds)
            let left = try await database.query(.unfinishedErasures(since: since), by: deadline)
            erasures.set(Double(left.count))
            outcome.unfinishedErasures = left
        } catch { outcome.failures.append("erasures: \(error)") }
        outcome.failures += await clear(parts, by: deadline)
        return outcome
    }

    /// A bite of each part in turn: a backlog of one keeps no other waiting.
    private func clear(
        _ parts: [(name: String, bite: Statement<Int64>)],
        by deadline: Deadline
    ) async -> [String] {
        var failures: [String] = []
        var left = parts
        while !left.isEmpty {
            var unfinished: [(name: String, bite: Statement<Int64>)] = []
            for part in left {
                do throws(StoreError) {
                    let gone = try await database.execute(part.bite, by: deadline).first
                    if gone == Self.biteRows { unfinished.append(part) }
                } catch { failures.append("\(part.name): \(error)") }
            }
            left = unfinished
        }
        return failures
    }

    private func measure(by deadline: Deadline) async throws(StoreError) {
        guard let reach = try await database.execute(.partitionReach, by: deadline).first else {
            return
        }
        strays.set(reach.hasStrays ? 1 : 0)
        months.set(Double(reach.monthsSeconds))
        weeks.set(Double(reach.weeksSeconds))
    }

    /// What is old is so by our clock, too.
    ///
    /// The server may be another one since it was asked for its time.
    private static func bite(_ sql: [UInt8], before now: Instant) -> Statement<Int64> {
        Statement(sql, [.timestamp(now.microseconds)]) { row throws(PostgresError) in
            try row.int8(0)
        }
    }
}
