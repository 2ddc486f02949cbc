import Domain
import Foundation
import Kafka
import Messaging
import Postgres
import Publishing
import Runtime
import TestSupport
import Testing

/// The relay between PostgreSQL and a broker (invariant I10).
@Suite("Relay", .serialized, .timeLimit(.minutes(3)), .keepsClusterOnFailure) struct RelayTests {
    @Test("publishes what is committed, with dense numbers", arguments: KafkaBench.Kind.available)
    func publishes(_ kind: KafkaBench.Kind) async throws {
        try await RelayBench.with(kind) { bench in
            let begin = LogFiller.now
            let session = LogFiller.newStream()
            try await bench.filler.append(LogFiller.session(session, versions: 1...3, ends: true))
            var (relay, publisher) = bench.relay()
            try await relay.turns { try await bench.ledgerCount() == 4 }
            try await bench.checkTopic()
            #expect(relay.status.role == .active)
            // Idle turns find the watermark complete after a few samples.
            while relay.status.completeThrough == nil { try await relay.turns(10) }
            let through = try #require(relay.status.completeThrough)
            #expect(through < LogFiller.now.adding(seconds: -4))
            #expect(through > begin.adding(seconds: -15))
            await relay.end()
            publisher.close()
        }
    }

    @Test("publishes nothing above the fence, and all of it below") func fence() async throws {
        try await RelayBench.with(.development) { bench in
            let holder = try await bench.database.connect()
            try await holder.run(
                script: Array("BEGIN; SELECT pg_current_xact_id();".utf8),
                deadline: .soon
            )
            try await bench.filler.append(
                LogFiller.session(LogFiller.newStream(), versions: 1...2, ends: false)
            )
            var (relay, publisher) = bench.relay()
            // The project's event is older than the open transaction.
            try await relay.turns { try await bench.ledgerCount() == 1 }
            try await relay.turns(40)
            #expect(try await bench.ledgerCount() == 1)
            try await holder.run(script: Array("COMMIT;".utf8), deadline: .soon)
            try await relay.turns { try await bench.ledgerCount() == 3 }
            try await bench.checkTopic()
            await relay.end()
            publisher.close()
            holder.close()
        }
    }

    @Test("publishes everything again when the broker came back as another cluster")
    func newCluster() async throws {
        try await RelayBench.with(.development) { bench in
            try await bench.filler.append(
                LogFiller.session(LogFiller.newStream(), versions: 1...20, ends: true)
            )
            var (relay, publisher) = bench.relay()
            try await relay.turns { try await bench.ledgerCount() == 21 }
            bench.kafka.broker.kill()
            try bench.kafka.broker.restart()
            try await relay.turns { try await bench.published().count >= 21 }
            try await bench.checkTopic()
            #expect(try await bench.ledgerCount() == 21)
            await relay.end()
            publisher.close()
        }
    }

    @Test("sends nothing meant for one cluster to another") func batchOnItsWay() async throws {
        try await RelayBench.with(.development) { bench in
            let session = LogFiller.newStream()
            try await bench.filler.append(LogFiller.session(session, versions: 1...5, ends: false))
            var (relay, publisher) = bench.relay()
            try await relay.turns { try await bench.ledgerCount() == 6 }
            // On its way while no broker answers; then others have the address.
            bench.kafka.broker.kill()
            try await bench.filler.append(LogFiller.session(session, versions: 6...9, ends: true))
            try await relay.turns(3)
            try bench.kafka.broker.restart()
            try await relay.turns { try await bench.published().count >= 10 }
            try await bench.checkTopic()
            await relay.end()
            publisher.close()
        }
    }

    @Test("stops when the database has lost what the topic shows")
    func lostHistory() async throws {
        try await RelayBench.with(.development) { bench in
            try await bench.publishAndLoseEnd()
            var (second, secondPublisher) = bench.relay()
            let limit = MonotonicInstant.soon
            while second.status.role == .standby || second.status.role == .active,
                MonotonicInstant.now() < limit
            {
                // A halted relay pauses for ten seconds; its status is set before.
                try await second.turn()
            }
            #expect(second.status.role == .halted(.lostHistory(index: 4)))
            #expect(try await bench.ledgerCount() == 4)
            secondPublisher.close()
        }
    }
}

extension Relay {
    mutating func turns(_ count: Int) async throws {
        for _ in 0..<count { try await turn() }
    }

    /// Turns until `isDone`, a minute at most.
    mutating func turns(until isDone: () async throws -> Bool) async throws {
        let limit = MonotonicInstant.soon
        while try await !isDone() {
            try #require(MonotonicInstant.now() < limit, "not done: \(status)")
            try await turn()
            if case .halted = status.role { try #require(status.role == .active) }
        }
    }
}
