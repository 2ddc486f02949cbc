import Foundation
import Runtime

/// The way from a commit to a consumer and to the feed, while refreshes run.
extension Bench {
    private static let revocationsPerSecond = 50.0
    /// The broker's virtual machine compiles what it runs often.
    private static let brokerWarmUpSeconds = 30.0

    func follow(_ log: LogQueries) async throws {
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
        report.progress("the broker's JVM compiles what it runs often")
        try await loop.sleep(until: loop.now.advanced(by: .seconds(Self.brokerWarmUpSeconds)))
        if options.wants(.events) { try await events(log, load) }
        if options.wants(.revocations) { try await revocations(log, load) }
        report.note(
            ["token-issuer", "event-relay", "revocation-projector"].map {
                let bytes = Machine.residentBytes(of: stack.process(of: $0))
                return String(format: "%@ %.0f MB", $0, Double(bytes) / 1_048_576)
            }.joined(separator: ", ") + " resident"
        )
        if options.wants(.events) { try await brokerFloor(rate, beside: load) }
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

    func untilFollowed(_ log: LogQueries) async throws {
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
            let way = WayMeter(stack)
            try await loop.sleep(until: loop.now.advanced(by: .seconds(options.seconds)))
            let profile = way.finish()
            let commits = try await log.commitTimes(of: tap.arrivals)
            runs.append(Self.latencies(from: commits, to: tap.arrivals))
            reportLoad(load)
            let (handed, arrived) = (tap.handedOver, tap.arrivals)
            report.note(
                "commit to producer: " + Self.text(Self.latencies(from: commits, to: handed))
            )
            report.note(
                "producer to consumer: " + Self.text(Self.latencies(from: handed, to: arrived))
            )
            for line in profile { report.note(line) }
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
            let commits = try await log.commitTimes(of: feed.arrivals)
            runs.append(Self.latencies(from: commits, to: feed.arrivals))
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

    /// Milliseconds of each event from one instant to another, sorted.
    static func latencies(
        from begin: [Int64: Int64],
        to end: [Int64: Int64]
    ) -> [Double] {
        end.compactMap { index, instant in
            begin[index].map { Double(instant - $0) / 1000 }
        }.sorted()
    }

    static func text(_ sorted: [Double]) -> String {
        guard !sorted.isEmpty else { return "nothing" }
        let (p50, p99) = (sorted[sorted.count / 2], sorted[sorted.count * 99 / 100])
        return String(format: "p50 %.1f, p99 %.1f, most %.1f ms", p50, p99, sorted.last ?? 0)
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

    func reportLoad(_ load: FixedRate) {
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
