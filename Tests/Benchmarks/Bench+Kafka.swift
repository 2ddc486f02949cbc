import Foundation
import Runtime

/// The lines behind the log: relay, broker, projector.
extension Bench {
    /// What a run of `catchup` adds to the log.
    private static let backlogSessions = 50_000

    func behindKafka() async throws {
        guard options.lines.contains(where: \.isBehindKafka) else { return }
        report.progress("Kafka starts")
        try stack.startServices()
        let log = try await LogQueries(stack, on: loop)
        defer { log.stop() }
        if options.wants(.catchup) { try await catchUps(log) }
        if options.wants(.events) || options.wants(.revocations) { try await follow(log) }
        if options.wants(.rebuild) { try await rebuilds(log) }
        if options.wants(.takeover) { try await takeOvers(log) }
        for program in ["revocation-projector", "event-relay"] { stack.stop(program) }
        stack.stopServices()
    }

    // MARK: Catching up

    /// Each run: the followers stand still, the log grows, then each runs alone.
    private func catchUps(_ log: LogQueries) async throws {
        var published: [Pace] = []
        var projected: [Pace] = []
        for _ in 0..<options.runs {
            for program in ["revocation-projector", "event-relay"] { stack.stop(program) }
            try await grow(to: sessionCount + Self.backlogSessions)
            let before = try await log.publishedCount()
            let total = try await log.eventCount()
            try stack.start("event-relay", waitingFor: "/livez")
            let relay = stack.process(of: "event-relay")
            published.append(
                try await pace(of: relay, log.publishedCount) {
                    try await log.publishedCount() >= total
                }
            )
            progress("relay", total - before, published.last)
            try stack.start("revocation-projector", on: Machine.loadCPU, waitingFor: "/livez")
            let projector = stack.process(of: "revocation-projector")
            projected.append(
                try await pace(of: projector, log.projectedCount) {
                    try await log.projectedCount() >= total
                }
            )
            progress("projector", total - before, projected.last)
        }
        show("relay catch-up with ledger", published, bar: .atLeast(80_000))
        show("projector catch-up", projected, bar: .atLeast(100_000))
    }

    /// How fast a log was worked through, and what that cost.
    private struct Pace {
        var eventsPerSecond = 0.0
        /// CPU of the process and of PostgreSQL, per event.
        var microseconds = (process: 0.0, postgres: 0.0)
    }

    private func progress(_ program: String, _ events: Int64, _ pace: Pace?) {
        let rate = String(format: "%.0f", pace?.eventsPerSecond ?? 0)
        report.progress("\(program): \(events) events, \(rate) a second")
    }

    private func show(_ name: String, _ runs: [Pace], bar: Bar) {
        let cost = Runs(runs) { $0.microseconds.process + $0.microseconds.postgres }.median
        report.figure(
            name,
            Runs(runs.map(\.eventsPerSecond)),
            "events/s",
            digits: 0,
            bar: bar,
            note: String(
                format: "%.1f µs CPU an event, and %.1f µs of PostgreSQL",
                cost.microseconds.process,
                cost.microseconds.postgres
            )
        )
    }

    /// How fast a count rises, from its first step to its end.
    private func pace(
        of process: Int32,
        _ count: () async throws -> Int64,
        _ isDone: () async throws -> Bool
    ) async throws -> Pace {
        let first = try await count()
        let limit = MonotonicInstant.now().advanced(by: .seconds(300))
        var (begin, start, meter) = (MonotonicInstant.now(), first, Meter(stack, server: process))
        while try await !isDone() {
            guard MonotonicInstant.now() < limit else {
                throw Subprocess.Failed(description: "no end in sight after 300 s")
            }
            if start == first {
                start = try await count()
                (begin, meter) = (MonotonicInstant.now(), Meter(stack, server: process))
            }
            try await loop.sleep(until: MonotonicInstant.now().advanced(by: .milliseconds(50)))
        }
        var load = LoadGenerator.Result()
        load.seconds = max(1e-3, MonotonicInstant.now().since(begin) / .seconds(1))
        load.requests = Int(try await count() - start)
        let measured = meter.finish(load, server: process)
        return Pace(
            eventsPerSecond: measured.rate,
            microseconds: (measured.issuerMicroseconds, measured.postgresMicroseconds)
        )
    }
}
