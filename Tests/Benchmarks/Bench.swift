import Domain
import Foundation
import Issuing
import Runtime

/// One run: a stack, its sessions, and the lines over them.
final class Bench {
    static let connections = 64
    private static let keptMax = 16_384

    let options: Options
    let stack: Stack
    let loop: Loop
    let report: Report
    let seeds: Seeds
    private let bulk: BulkSeeds
    /// The same HTTP server with nothing behind it.
    var floorServer: Process?
    /// Refreshes a second, once they are measured.
    var capacity: Double?
    /// The sessions of the lines of rotating refreshes, by the signatures that each makes.
    var rotated: [Int: TokenBook] = [:]
    /// Sizes and what a refresh cost at each, microseconds.
    var flat: [(size: Int, warm: Double, cold: Double)] = []
    private(set) var sessionCount = 0
    /// Some of the newest sessions, none of them used yet.
    private var fresh: ArraySlice<Seeds.Session> = []
    private var freshCount = 0

    init(_ options: Options, _ stack: Stack, _ report: Report, on loop: Loop) throws {
        self.options = options
        self.stack = stack
        self.report = report
        self.loop = loop
        seeds = try Seeds(stack, on: loop)
        bulk = BulkSeeds(stack, seeds)
    }

    func run() async throws {
        report.note(
            """
            \(Self.connections) connections; issuer, PostgreSQL and relay on one CPU, load, \
            Kafka and projector on the other; the median of \(options.runs) runs of \
            \(options.seconds) s
            """
        )
        try await startFloors()
        defer { stopFloors() }
        for size in sizes {
            try await grow(to: size)
            try await measure(at: size)
        }
        seeds.stop()
    }

    /// Where most lines are measured.
    private var usualSize: Int { min(100_000, options.sessions) }

    private var sizes: [Int] {
        var sizes: Set<Int> = [usualSize]
        if options.wants(.flat) { sizes.formUnion([1_000, 10_000, 100_000, 1_000_000]) }
        if options.wants(.flat) || options.wants(.start) { sizes.insert(options.sessions) }
        return sizes.filter { $0 <= options.sessions }.sorted()
    }

    private func measure(at size: Int) async throws {
        if options.wants(.flat) { try await flatness(at: size, isLast: size == sizes.last) }
        if size == usualSize {
            try await refreshes()
            if options.wants(.redeem) { try await redemptions() }
            if options.wants(.challenge) { try await challenges() }
            if options.wants(.grants) { try await grants() }
            try await reads()
            if options.wants(.standby) { try await standbys() }
            try await behindKafka()
        }
        if size == options.sessions, options.wants(.start) { try start() }
    }

    /// Brings the store to `size` sessions.
    func grow(to size: Int) async throws {
        guard size > sessionCount else { return }
        let count = size - sessionCount
        let begin = MonotonicInstant.now()
        fresh = try bulk.sessions(count, scope: Self.plainScope, keeping: Self.keptMax) { done in
            if done % 100_000 == 0 { report.progress("\(done) of \(count) sessions written") }
        }[...]
        // The loop's clock stood still, and connections would think the server silent.
        try await loop.sleep(until: MonotonicInstant.now().advanced(by: .milliseconds(2)))
        freshCount = fresh.count
        sessionCount = size
        let seconds = MonotonicInstant.now().since(begin) / .seconds(1)
        report.progress(String(format: "%d sessions in the store, %.1f s", size, seconds))
    }

    /// Takes a share of the sessions that nobody has used; at least one a connection.
    func take(oneIn share: Int) throws -> ArraySlice<Seeds.Session> {
        let count = max(Self.connections, freshCount / share)
        guard count <= fresh.count else {
            throw Subprocess.Failed(description: "the store has too few sessions for this line")
        }
        defer { fresh = fresh.dropFirst(count) }
        return fresh.prefix(count)
    }

    // MARK: Load

    /// Measures as often as asked for.
    ///
    /// `floors` are measured after each run, within seconds of it: what the machine does beside
    /// changes from minute to minute, and a ratio holds only of what was measured together.
    func runs(
        _ run: () async throws -> Measurement,
        floors: (inout Measurement) async throws -> Void = { _ in }
    ) async throws -> Runs<Measurement> {
        var runs: [Measurement] = []
        for _ in 0..<options.runs {
            var measured = try await run()
            try await floors(&measured)
            runs.append(measured)
        }
        return Runs(runs)
    }

    /// Runs `script` against `port` and measures the process that serves it.
    ///
    /// `seconds` 0: until the script has nothing more to send. Fails when more than one answer of
    /// a hundred is not one that `accepts` takes: refusals are cheap, and would flatter the line.
    func measure(
        port: UInt16 = Stack.port,
        server: Int32? = nil,
        seconds: Double? = nil,
        warmUp: Duration = .milliseconds(1500),
        accepts: @escaping (LoadGenerator.Answer) -> Bool = { $0.status == 200 },
        _ script: @escaping LoadGenerator.Script
    ) async throws -> Measurement {
        // Whoever made the requests may have held the loop, and its clock, for seconds.
        try await loop.sleep(until: MonotonicInstant.now().advanced(by: .milliseconds(2)))
        let server = server ?? stack.issuerProcess
        let isIssuer = server == stack.issuerProcess
        let generator = LoadGenerator(
            on: loop,
            to: .loopback(port: port),
            accepts: accepts,
            script: script
        )
        let before = isIssuer ? batches() : (commands: 0, calls: 0)
        var meter: Meter?
        let load = try await generator.run(
            connections: Self.connections,
            warmUp: warmUp,
            measure: .seconds(seconds ?? options.seconds)
        ) { meter = Meter(stack, server: server) }
        guard var measured = meter?.finish(load, server: server) else {
            throw Subprocess.Failed(description: "nothing was measured")
        }
        guard load.failures * 100 <= load.requests else {
            throw Subprocess.Failed(
                description: "\(load.failures) of \(load.requests) answers were refusals, "
                    + "the first: \(load.refusal ?? "")"
            )
        }
        if isIssuer {
            let after = batches()
            measured.batch = (after.commands - before.commands) / max(1, after.calls - before.calls)
        }
        return measured
    }

    private func batches() -> (commands: Double, calls: Double) {
        (
            stack.metric("chancery_append_batch_commands_sum "),
            stack.metric("chancery_append_batch_commands_count ")
        )
    }

    /// Rotates each session's token, a connection's sessions in turn.
    func rotation(_ tokens: TokenBook) -> LoadGenerator.Script {
        let perConnection = max(1, tokens.refresh.count / Self.connections)
        var next = [Int](repeating: 0, count: Self.connections)
        return { connection, answer in
            let base = connection * perConnection
            if let answer, answer.status == 200,
                let token = Wire.member("refresh_token", of: answer.body)
            {
                tokens.refresh[(base + next[connection]) % tokens.refresh.count] = token
                tokens.access[(base + next[connection]) % tokens.refresh.count] =
                    Wire.member("access_token", of: answer.body) ?? []
            }
            if answer != nil { next[connection] = (next[connection] + 1) % perConnection }
            return Wire.refresh(tokens.refresh[(base + next[connection]) % tokens.refresh.count])
        }
    }
}

/// The newest tokens of sessions.
final class TokenBook {
    var refresh: [[UInt8]]
    var access: [[UInt8]]

    init(_ sessions: some Collection<Seeds.Session>) {
        refresh = sessions.map(\.refreshToken)
        access = sessions.map { _ in [] }
    }
}
