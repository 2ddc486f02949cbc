import Domain
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

/// What was taken out of the ledger, which is dense from 0 to the relay's cursor.
extension VerificationTests {
    @Test("lacks each number that was taken out of the ledger, with its event or without")
    func cut() async throws {
        try await StoreHarness.with { database, nodes in
            let owner = try await database.connect()
            defer { owner.close() }
            let streams = try await Self.fill(3, nodes[0])
            try await Self.publish(owner)
            let log = try await Self.verification(of: database)
            defer { log.close() }
            try await owner.run("DELETE FROM es.ledger WHERE log_index IN (0, 5)")
            let few = try await log.whole(showing: 10) { _ in }
            #expect(few.missingNumbers == [0...0, 5...5] && few.differences.isEmpty)
            #expect(few.differenceCount == 2 && few.nextIndex == 64)
            // A whole stream, of which nothing else is left to tell.
            let first = "SELECT min(log_index) FROM es.ledger WHERE stream_id = '\(streams[1])'"
            let begin = try await owner.count(first)
            let cut = """
                DELETE FROM es.events WHERE stream_id = \(Self.stream);
                DELETE FROM es.ledger WHERE stream_id = \(Self.stream)
                """
            try await Self.tamper(cut, streams[1], owner)
            try await owner.run("DELETE FROM es.ledger WHERE log_index > 59")
            let report = try await log.whole(showing: 10) { _ in }
            let missing: [ClosedRange<Int64>] = [0...0, 5...5, begin...(begin + 20), 60...63]
            #expect(report.missingNumbers == missing)
            #expect(report.differences.isEmpty, "\(report.differences)")
            #expect(report.differenceCount == 4 && report.nextIndex == 64)
            let short = try await log.whole(showing: 1) { _ in }
            #expect(short.missingNumbers == [0...0] && short.differenceCount == 4)
        }
    }

    @Test("lacks the numbers behind the one it is asked from, and the one before it")
    func cutTail() async throws {
        try await StoreHarness.with { database, nodes in
            let owner = try await database.connect()
            defer { owner.close() }
            _ = try await Self.fill(1, nodes[0])
            try await Self.publish(owner)
            try await owner.run("DELETE FROM es.ledger WHERE log_index > 17")
            let log = try await Self.verification(of: database)
            defer { log.close() }
            let cases: [(since: Int64, missing: ClosedRange<Int64>)] = [
                (0, 18...21), (12, 18...21), (18, 18...21), (20, 19...21), (22, 21...21),
            ]
            for test in cases {
                let report = try await log.published(since: test.since, showing: 10) { _ in }
                #expect(report.missingNumbers == [test.missing], "\(test.since)")
                #expect(report.differences.isEmpty, "\(report.differences)")
                #expect(report.differenceCount == 1 && report.nextIndex == 22)
            }
        }
    }

    @Test("is not asked from a number that was never given") func beyond() async throws {
        try await StoreHarness.with { database, nodes in
            let owner = try await database.connect()
            defer { owner.close() }
            _ = try await Self.fill(1, nodes[0])
            try await Self.publish(owner)
            let (right, none) = try await Self.verify(database, as: "projector", "--since", "22")
            #expect(right == .exited(0), "\(none)")
            let (beyond, why) = try await Self.verify(database, as: "projector", "--since", "23")
            #expect(beyond == .exited(2) && why.contains("22 is the next number"), "\(why)")
            try await owner.run("DELETE FROM es.ledger WHERE log_index > 19")
            let (wrong, said) = try await Self.verify(database, as: "projector", "--since", "20")
            let missing = "\"kind\":\"numbers\",\"first\":20,\"last\":21"
            #expect(wrong == .exited(1) && said.contains(missing), "\(said)")
        }
    }
}
