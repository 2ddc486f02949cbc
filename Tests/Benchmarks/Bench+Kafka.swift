import Foundation
import Runtime

/// The lines behind the log: relay, broker, projector.
extension Bench {
    /// What a run of `catchup` adds to the log.
    private static let backlogSessions = 50_000
    private static let revocationsPerSecond = 50.0

    func behindKafka() async throws {
        guard options.lines.contains(where: \.isBehindKafka) else { return }
        report.progress("Kafka starts")
        try stack.startServices()
        let log = try await LogQueries(stack, on: loop)
        defer { log.stop() }
        if options.wants(.catchup) { try await catchUps(log) }
        if options.wants(.events) || options.wants(.revocations) { try await follow(log) }
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
            report.progress("relay: \(total - before) events")
            try stack.start("revocation-projector", on: Machine.loadCPU, waitingFor: "/livez")
            let projector = stack.process(of: "revocation-projector")
            projected.append(
                try await pace(of: projector, log.projectedCount) {
                    try await log.projectedCount() >= total
                }
            )
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

    // MARK: Following

    private func follow(_ log: LogQueries) async throws {
        let rate = try await followedRate()
        let tokens = TokenBook(try take(oneIn: 16))
        try await touch(tokens)
        if stack.process(of: "event-relay") == 0 { try stack.start("event-relay") }
        if stack.process(of: "revocation-projector") == 0 {
            try stack.start("revocation-projector", on: Machine.loadCPU, waitingFor: "/livez")
        }
        report.progress("relay and projector catch up")
        try await untilFollowed(log)
        report.note(
            String(
                format: "behind Kafka: %.0f refreshes/s%@, open loop",
                rate,
                options.rate == nil ? ", a third of capacity" : ""
            )
        )
        let load = try FixedRate(
            rate,
            connections: Self.connections,
            to: .loopback(port: Stack.port),
            on: loop,
            script: rotation(tokens)
        )
        load.start()
        defer { load.stop() }
        try await loop.sleep(until: loop.now.advanced(by: .seconds(2)))
        if options.wants(.events) { try await events(log, load) }
        if options.wants(.revocations) { try await revocations(log, load) }
        report.note(
            ["token-issuer", "event-relay", "revocation-projector"].map {
                let bytes = Machine.residentBytes(of: stack.process(of: $0))
                return String(format: "%@ %.0f MB", $0, Double(bytes) / 1_048_576)
            }.joined(separator: ", ") + " resident"
        )
    }

    /// On sessions of its own: the answers that a measurement does not wait for are lost, and a
    /// token used again later would end its session.
    private func followedRate() async throws -> Double {
        if let rate = options.rate { return rate }
        if capacity == nil {
            let tokens = TokenBook(try take(oneIn: 16))
            try await touch(tokens)
            capacity = try await measure(rotation(tokens)).rate
        }
        return (capacity ?? 0) / 3
    }

    private func untilFollowed(_ log: LogQueries) async throws {
        let limit = MonotonicInstant.now().advanced(by: .seconds(300))
        let total = try await log.eventCount()
        while MonotonicInstant.now() < limit {
            if try await log.projectedCount() >= total { return }
            try await loop.sleep(until: MonotonicInstant.now().advanced(by: .milliseconds(100)))
        }
        throw Subprocess.Failed(description: "relay and projector do not catch up")
    }

    private func events(_ log: LogQueries, _ load: FixedRate) async throws {
        let tap = try await EventTap(stack.brokers, on: loop)
        let reading = loop.spawn { try? await tap.run() }
        try await loop.sleep(until: loop.now.advanced(by: .seconds(1)))
        var runs: [[Double]] = []
        for _ in 0..<options.runs {
            tap.forget()
            load.reset()
            try await loop.sleep(until: loop.now.advanced(by: .seconds(options.seconds)))
            runs.append(try await latencies(tap.arrivals, log))
            reportLoad(load)
        }
        tap.stop()
        await reading.value
        show("commit to consumer", runs, p50: .under(5), p99: .under(50))
    }

    /// What PostgreSQL holds is what the feed must show, however the requests were answered.
    private func revocations(_ log: LogQueries, _ load: FixedRate) async throws {
        let feed = try FeedTap(token: try await feedToken(), on: loop)
        defer { feed.stop() }
        var victims = try take(oneIn: 8)
        var runs: [[Double]] = []
        for _ in 0..<options.runs {
            try await loop.sleep(until: loop.now.advanced(by: .seconds(1)))
            let first = try await log.publishedCount()
            feed.forget()
            load.reset()
            let revoking = try FixedRate(
                Self.revocationsPerSecond,
                connections: 4,
                to: .loopback(port: Stack.port),
                on: loop
            ) { _, _ in victims.popFirst().map { Wire.revoke($0.refreshToken) } }
            revoking.start()
            try await loop.sleep(until: loop.now.advanced(by: .seconds(2 * options.seconds)))
            revoking.stop()
            try await untilFed(feed, log, from: first, revoking.measured())
            runs.append(try await latencies(feed.arrivals, log))
            reportLoad(load)
        }
        show("revocation committed to feed", runs, p99: .under(100))
    }

    /// Returns once every revocation of the log from `first` on has arrived.
    private func untilFed(
        _ feed: FeedTap,
        _ log: LogQueries,
        from first: Int64,
        _ answered: LoadGenerator.Result
    ) async throws {
        let accepted = answered.requests - answered.failures
        if let refusal = answered.refusal {
            // A node that is behind sheds; nothing was changed, and nothing can be in the feed.
            report.progress(
                "\(answered.failures) of \(answered.requests) revocations refused: \(refusal)"
            )
        }
        guard accepted > 0 else {
            throw Subprocess.Failed(description: "no revocation was accepted")
        }
        let limit = MonotonicInstant.now().advanced(by: .seconds(10))
        var missing: [Int64] = []
        var total = 0
        repeat {
            try await loop.sleep(until: loop.now.advanced(by: .milliseconds(200)))
            let committed = try await log.revocations(from: first)
            missing = committed.filter { feed.arrivals[$0] == nil }
            total = committed.count
            if missing.isEmpty, total >= accepted { return }
        } while MonotonicInstant.now() < limit && feed.failure == nil
        throw Subprocess.Failed(
            description: "of \(accepted) revocations accepted, PostgreSQL has \(total), "
                + "of which the feed lacks \(missing.count): log indexes \(missing.prefix(8))"
                + (feed.failure.map { "; the feed: \($0)" } ?? "")
        )
    }

    /// Milliseconds from commit to arrival, sorted.
    private func latencies(_ arrivals: [Int64: Int64], _ log: LogQueries) async throws -> [Double] {
        guard let first = arrivals.keys.min(), let last = arrivals.keys.max() else {
            throw Subprocess.Failed(description: "nothing arrived")
        }
        let commits = try await log.commitTimes(of: first...last)
        return arrivals.compactMap { index, arrival in
            commits[index].map { Double(arrival - $0) / 1000 }
        }.sorted()
    }

    private func show(_ name: String, _ runs: [[Double]], p50: Bar? = nil, p99: Bar) {
        let count = runs.map(\.count).reduce(0, +) / max(1, runs.count)
        for (share, bar) in [(50, p50), (99, p99)] {
            let values = runs.map { $0[Int(Double($0.count - 1) * Double(share) / 100)] }
            report.figure(
                "\(name), p\(share)",
                Runs(values),
                "ms",
                bar: bar,
                note: "\(count) a run"
            )
        }
    }

    private func reportLoad(_ load: FixedRate) {
        let result = load.measured()
        report.progress(
            String(
                format: "refreshes beside it: %.0f/s, p99 %.1f ms, %d failures",
                Double(result.requests) / result.seconds,
                result.quantile(0.99) / 1000,
                result.failures
            )
        )
    }

    /// An access token that opens the feed.
    private func feedToken() async throws -> [UInt8] {
        let request = Wire.post(
            "/oauth2/token",
            Array("grant_type=client_credentials&scope=revocations.read".utf8),
            authorization: Wire.basic("api", Stack.secret)
        )
        var token: [UInt8]?
        _ = try await measure(seconds: 0, warmUp: .zero) { connection, answer in
            token = token ?? answer.flatMap { Wire.member("access_token", of: $0.body) }
            return connection == 0 && answer == nil ? request : nil
        }
        guard let token else { throw Subprocess.Failed(description: "no token for the feed") }
        return token
    }
}
