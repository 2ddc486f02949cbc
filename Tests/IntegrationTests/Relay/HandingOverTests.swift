import Domain
import Foundation
import Runtime
import TestSupport
import Testing

/// Programs that keep PostgreSQL and lose Kafka, beside others that have both (decision 0197).
@Suite("Handing over", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct HandingOverTests {
    /// 20 s without Kafka, a few to ask it and to give up what is on its way, one until another
    /// asks for the lead, and what a busy machine adds.
    private static let takenOverMax = Duration.seconds(45)

    // Each waits half a minute, so all at once.
    @Test("a relay that is cut off from Kafka leaves the lead to one that has it")
    func relays() async throws {
        try await withThrowingTaskGroup { group in
            for cut in BrokerWay.Cut.allCases { group.addTask { try await relay(cut) } }
            try await group.waitForAll()
        }
    }

    private func relay(_ cut: BrokerWay.Cut) async throws {
        try await RelayBench.with(.development) { bench in
            let way = try BrokerWay(to: bench.kafka.broker.bootstrapServers)
            defer { way.end() }
            let first = try bench.process(over: way)
            defer { _ = first.end() }
            try await bench.waitForLedger(1)
            let second = try bench.process()
            defer { _ = second.end() }
            try await bench.waitUntil { second.log.contains("\"msg\":\"started\"") }

            way.cut(cut)
            let begin = MonotonicInstant.now()
            let session = LogFiller.newStream()
            try await bench.filler.append(LogFiller.session(session, versions: 1...3, ends: false))
            try await bench.waitForLedger(4)
            let took = MonotonicInstant.now().since(begin)
            #expect(took < Self.takenOverMax, "\(cut): took \(took)")
            // What a program logs comes to its file a moment later.
            try await bench.waitUntil { second.isActive && Self.hasLeft(first) }
            #expect(!second.log.contains("ended a relay that showed no life"))

            // What was held up comes late, and changes nothing.
            way.open()
            try await bench.waitUntil { first.log.contains("Kafka answers again") }
            try await bench.filler.append(LogFiller.session(session, versions: 4...5, ends: false))
            try await bench.waitForLedger(6)
            _ = second.end()
            try await bench.filler.append(LogFiller.session(session, versions: 6...6, ends: true))
            try await bench.waitForLedger(7)
            try await bench.waitUntil {
                first.log.components(separatedBy: "\"msg\":\"active\"").count >= 3
            }
            try await bench.checkTopic()
        }
    }

    @Test("a projector that hears nothing of Kafka leaves the lead to one that has it")
    func projector() async throws {
        try await RelayBench.withRelay(.development) { bench in
            let way = try BrokerWay(to: bench.kafka.broker.bootstrapServers)
            defer { way.end() }
            let first = try bench.projector(over: way)
            defer { _ = first.end() }
            try await bench.endSessions(2)
            try await bench.wait(for: 2, "SELECT count(*) FROM revocation.revocations")
            try await bench.waitUntil { first.log.contains("\"msg\":\"reading the topic\"") }
            let second = try bench.projector()
            defer { _ = second.end() }
            try await bench.waitUntil { second.log.contains("\"msg\":\"started\"") }

            way.cut(.silent)
            let begin = MonotonicInstant.now()
            try await bench.endSessions(1)
            try await bench.wait(for: 3, "SELECT count(*) FROM revocation.revocations")
            let took = MonotonicInstant.now().since(begin)
            #expect(took < Self.takenOverMax, "took \(took)")
            try await bench.waitUntil { second.isActive && Self.hasLeft(first) }

            way.open()
            _ = second.end()
            try await bench.endSessions(1)
            try await bench.wait(for: 4, "SELECT count(*) FROM revocation.revocations")
            try await bench.wait(for: 0, "SELECT count(*) FROM revocation.outbox")
            #expect(try await bench.revocations().count == 4)
        }
    }

    private static func hasLeft(_ process: RelayProcess) -> Bool {
        process.log.contains("left the lead to another: Kafka")
    }
}
