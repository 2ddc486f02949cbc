import Domain
import Foundation
import Messaging
import Postgres
import Publishing
import Runtime
import TestSupport
import Testing

/// The program under kill -9, and two of them beside each other.
@Suite("Relay processes", .serialized, .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct RelayFaultTests {
    static let kind = KafkaBench.Kind.available.last ?? .development

    @Test("every event once by number and in order, under kill -9") func killed() async throws {
        try await RelayBench.with(Self.kind) { bench in
            var relays = [try bench.process(), try bench.process()]
            defer { for relay in relays { _ = relay.end() } }
            let writing = Task { try await Self.write(bench, sessions: 300, versions: 10) }
            for round in 0..<6 {
                try await Task.sleep(for: .milliseconds(700))
                _ = relays[round % 2].end()
                relays[round % 2] = try bench.process()
            }
            try await writing.value
            try await bench.waitForLedger(3001)
            try await bench.checkTopic()
        }
    }

    @Test("another takes over after kill -9, without having to end anybody")
    func takeOver() async throws {
        try await RelayBench.with(Self.kind) { bench in
            let first = try bench.process()
            try await bench.waitForLedger(1)
            let second = try bench.process()
            defer { _ = second.end() }
            try await bench.waitUntil { second.log.contains("started") }
            try await Task.sleep(for: .milliseconds(1500))
            #expect(!second.isActive)
            let start = MonotonicInstant.now()
            _ = first.end()
            try await bench.filler.append(
                LogFiller.session(LogFiller.newStream(), versions: 1...1, ends: false)
            )
            try await bench.waitForLedger(2)
            let took = MonotonicInstant.now().since(start)
            // Five seconds are promised, on a machine that is not busy.
            #expect(took < .seconds(20), "took \(took)")
            #expect(!second.log.contains("ended a relay that showed no life"))
            try await bench.checkTopic()
        }
    }

    @Test("a frozen one is ended, and cannot harm when it wakes") func frozen() async throws {
        try await RelayBench.with(Self.kind) { bench in
            let frozen = try bench.process()
            try await bench.waitForLedger(1)
            let second = try bench.process()
            defer { _ = second.end() }
            frozen.signal(SIGSTOP)
            let session = LogFiller.newStream()
            try await bench.filler.append(LogFiller.session(session, versions: 1...3, ends: false))
            // Ten seconds without a sign of life, and a second or two to notice.
            try await bench.waitForLedger(4)
            frozen.signal(SIGCONT)
            try await bench.filler.append(LogFiller.session(session, versions: 4...9, ends: true))
            try await bench.waitForLedger(10)
            try await Task.sleep(for: .milliseconds(1500))
            _ = frozen.end()
            try await bench.checkTopic()
        }
    }

    @Test("gives the lead back when asked to end") func handOver() async throws {
        try await RelayBench.with(Self.kind) { bench in
            let first = try bench.process()
            try await bench.waitForLedger(1)
            #expect(first.end(SIGTERM) == .exited(0))
            var (relay, publisher) = bench.relay()
            // The server may see a moment later that the session has ended.
            let limit = MonotonicInstant.soon
            while relay.status.role != .active {
                try #require(MonotonicInstant.now() < limit)
                try await relay.turn()
            }
            await relay.end()
            publisher.close()
        }
    }

    /// Sessions of several versions, from four connections at once.
    private static func write(
        _ bench: RelayBench,
        sessions: Int,
        versions: Int32
    ) async throws {
        try await bench.database.loop.answer {
            let connections = [
                try await bench.database.connect(as: "token_issuer"),
                try await bench.database.connect(as: "token_issuer"),
            ]
            defer { for connection in connections { connection.close() } }
            for number in 0..<sessions {
                let stream = LogFiller.newStream()
                let half = versions / 2
                try await bench.filler.append(
                    LogFiller.session(stream, versions: 1...half, ends: false),
                    on: connections[number % 2]
                )
                try await bench.filler.append(
                    LogFiller.session(stream, versions: (half + 1)...versions, ends: true),
                    on: connections[(number + 1) % 2]
                )
                try await bench.database.loop.sleep(until: .after(.milliseconds(10)))
            }
        }
    }
}

extension RelayBench {
    func waitUntil(_ condition: () -> Bool) async throws {
        let limit = MonotonicInstant.soon
        while !condition() {
            try #require(MonotonicInstant.now() < limit)
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
