import Foundation
import Runtime

/// What a crash of the active relay costs those who follow the log.
extension Bench {
    private static let refreshesPerSecond = 100.0

    /// From `kill -9` to the first event that the standby has published and kept.
    func takeOvers(_ log: LogQueries) async throws {
        let tokens = TokenBook(try take(oneIn: 16))
        try await touch(tokens)
        var (active, standby) = ("event-relay", Stack.standby)
        if stack.process(of: active) == 0 { try stack.start(active) }
        let total = try await log.eventCount()
        try await until("the relay catches up") { try await log.publishedCount() >= total }
        try stack.start("event-relay", as: standby, waitingFor: "/livez")
        defer { stack.stop(Stack.standby) }
        let load = try FixedRate(
            Self.refreshesPerSecond,
            connections: Self.connections,
            to: .loopback(port: Stack.port),
            on: loop,
            script: rotation(tokens)
        )
        load.start()
        defer { load.stop() }
        var seconds: [Double] = []
        for _ in 0..<options.runs {
            try await loop.sleep(until: MonotonicInstant.now().advanced(by: .seconds(2)))
            stack.crash(active)
            let begin = MonotonicInstant.now()
            let published = try await log.publishedCount()
            try await until("the standby publishes") {
                try await log.publishedCount() > published
            }
            seconds.append(MonotonicInstant.now().since(begin) / .seconds(1))
            try stack.start("event-relay", as: active, waitingFor: "/livez")
            swap(&active, &standby)
        }
        report.figure(
            "relay, kill -9 to the standby's first event",
            Runs(seconds),
            "s",
            bar: .under(5)
        )
    }

    private func until(_ what: String, _ isSo: () async throws -> Bool) async throws {
        let limit = MonotonicInstant.now().advanced(by: .seconds(60))
        while try await !isSo() {
            guard MonotonicInstant.now() < limit else {
                throw Subprocess.Failed(description: "not within 60 s: \(what)")
            }
            try await loop.sleep(until: MonotonicInstant.now().advanced(by: .milliseconds(10)))
        }
    }
}
