import Foundation
import Messaging
import Postgres
import Publishing
import Runtime
import TestSupport
import Testing

/// A log that was restored: from a dump, so that transaction numbers begin again below those in it,
/// or to an earlier moment, so that Kafka shows more than it has.
@Suite("A restored log", .serialized, .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct RestoredLogTests {
    @Test("is published on, with what was written before anybody knew, as Production.md says")
    func procedure() async throws {
        try await RelayBench.with(.development) { bench in
            try await Self.append(5, to: bench)
            var (first, firstPublisher) = bench.relay()
            try await first.turns { try await bench.ledgerCount() == 6 }
            await first.end()
            firstPublisher.close()
            let owner = try await bench.database.connect()
            defer { owner.close() }
            // The numbers of the cluster that the dump is of were higher than this one's.
            try await Self.run("UPDATE es.relay_cursor SET xid = '900000000000'", on: owner)
            try await Self.append(2, to: bench)
            var (second, secondPublisher) = bench.relay()
            let limit = MonotonicInstant.soon
            while second.status.problem == nil, MonotonicInstant.now() < limit {
                try await second.turn()
            }
            guard case .halted(.numbersBeganAgain(_, 900_000_000_000)) = second.status.role else {
                Issue.record("\(second.status.role)")
                return
            }
            #expect(second.status.completeThrough == nil)
            secondPublisher.close()
            let procedure = try Self.procedure(of: "### A dump")
            try await Self.run("SET ROLE chancery_owner; \(procedure)", on: owner)
            try await Self.append(3, to: bench)
            var (third, thirdPublisher) = bench.relay()
            try await third.turns { try await bench.ledgerCount() == 11 }
            try await bench.checkTopic()
            await third.end()
            thirdPublisher.close()
            let unguarded = """
                SELECT count(*) FROM pg_trigger WHERE tgname = 'append_only' AND tgenabled <> 'A'
                """
            #expect(try await owner.query(.number(unguarded), deadline: .soon) == [0])
        }
    }

    @Test("goes on under another name, behind what Kafka shows, as Production.md says")
    func earlierMoment() async throws {
        try await RelayBench.with(.development) { bench in
            try await bench.publishAndLoseEnd()
            let migrator = try await bench.database.connect(as: "migrator")
            defer { migrator.close() }
            try await Self.run(Self.procedure(of: "### A restore to an earlier"), on: migrator)
            try await Self.append(3, to: bench)
            var (second, secondPublisher) = bench.relay()
            try await second.turns { try await bench.ledgerCount() == 7 }
            await second.end()
            secondPublisher.close()
        }
    }

    private static func append(_ count: Int32, to bench: RelayBench) async throws {
        let rows = LogFiller.session(LogFiller.newStream(), versions: 1...count, ends: false)
        try await bench.filler.append(rows)
    }

    private static func run(_ script: String, on connection: Connection) async throws {
        try await connection.run(script: Array(script.utf8), deadline: .soon)
    }

    /// The statements of a section.
    private static func procedure(of heading: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appending(path: "Sources/Handbook.docc/Production.md"),
            encoding: .utf8
        )
        let section = try #require(page.components(separatedBy: heading).last)
        return try #require(section.firstMatch(of: /```sql\n([^`]*)```/)?.1.description)
    }
}
