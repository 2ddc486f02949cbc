import Domain
import EventFormat
import Issuing
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

/// `chancery verify` on a log that was tampered with, and on one that was not.
@Suite("A log that is checked", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct VerificationTests {
    /// What somebody does to one stream, and what is found there: versions and kinds.
    struct Tampering: Sendable {
        var sql: String
        var found: [String]
    }

    /// Where a statement names the stream.
    static let stream = "$stream"
    private static let versionCount: Int32 = 21

    private static let tamperings = [
        Tampering(
            sql: """
                UPDATE es.events SET payload = '{"n":1}'
                 WHERE stream_id = \(stream) AND version = 5
                """,
            found: ["5 content"]
        ),
        Tampering(
            sql: """
                UPDATE es.events SET occurred_at = occurred_at + interval '1 microsecond'
                 WHERE stream_id = \(stream) AND version > 19
                """,
            found: ["20 content", "21 content"]
        ),
        Tampering(
            sql: "DELETE FROM es.events WHERE stream_id = \(stream) AND version = 7",
            found: ["8 gap", "7 absent"]
        ),
        Tampering(
            sql: """
                UPDATE es.events AS e SET hash = o.hash FROM es.events AS o
                 WHERE e.stream_id = \(stream) AND o.stream_id = e.stream_id
                   AND (e.version, o.version) IN ((3, 9), (9, 3))
                """,
            found: ["3 content", "9 content", "3 published", "9 published"]
        ),
        Tampering(
            sql: "DELETE FROM es.events WHERE stream_id = \(stream) AND version = 1",
            found: ["2 gap", "1 absent"]
        ),
        Tampering(
            sql: "DELETE FROM es.events WHERE stream_id = \(stream) AND version > 20",
            found: ["21 absent"]
        ),
        Tampering(
            sql: "DELETE FROM es.events WHERE stream_id = \(stream)",
            found: (1...21).map { "\($0) absent" }
        ),
        Tampering(
            sql: "UPDATE es.events SET position = -1 WHERE stream_id = \(stream) AND version = 2",
            found: ["2 place"]
        ),
        Tampering(
            sql: """
                UPDATE es.ledger SET hash = sha256('x')
                 WHERE stream_id = \(stream) AND version = 4
                """,
            found: ["4 published"]
        ),
    ]

    /// So many users of 21 events each, written by an issuer; who they are.
    static func fill(_ count: Int, _ node: StoreHarness) async throws -> [StreamID] {
        var streams: [StreamID] = []
        for _ in 0..<count {
            var subject = try await node.register()
            for _ in 0..<2 {
                let turns = (0..<5).flatMap { _ -> [Subject.Event] in
                    [.disabled(.operator), .enabled(at: .sample)]
                }
                try await node.append(turns, to: &subject)
            }
            try #require(subject.version == versionCount)
            streams.append(subject.stream)
        }
        return streams
    }

    /// All that is in the log, published in its order.
    static func publish(_ owner: Connection) async throws {
        try await owner.run(
            """
            INSERT INTO es.ledger (log_index, log_epoch, xid, position, stream_id, version, hash)
            SELECT row_number() OVER (ORDER BY log_epoch, xid, position) - 1, log_epoch, xid,
                   position, stream_id, version, hash
              FROM es.events;
            UPDATE es.relay_cursor SET next_index = (SELECT count(*) FROM es.ledger)
            """
        )
    }

    /// As somebody does who owns the tables.
    static func tamper(_ sql: String, _ stream: StreamID, _ owner: Connection)
        async throws
    {
        try await owner.run(
            """
            BEGIN;
            ALTER TABLE es.events DISABLE TRIGGER ALL;
            SET LOCAL session_replication_role = replica;
            \(sql.replacing(Self.stream, with: "'\(stream)'"));
            ALTER TABLE es.events ENABLE ALWAYS TRIGGER append_only;
            COMMIT
            """
        )
    }

    static func verification(of database: TestDatabase) async throws -> LogVerification {
        // All of it, with the rights that a projector has.
        try await LogVerification(database.settings(as: "projector"), on: database.loop)
    }

    /// Versions and kinds, by streams.
    private static func found(_ report: LogVerification.Report) -> [StreamID: [String]] {
        #expect(report.differenceCount == Int64(report.differences.count))
        return Dictionary(grouping: report.differences, by: \.stream).mapValues { differences in
            differences.map { "\($0.version) \($0.kind)" }
        }
    }

    @Test("is right when nobody has changed it, and counted") func honest() async throws {
        try await StoreHarness.with { database, nodes in
            let owner = try await database.connect()
            defer { owner.close() }
            let streams = try await Self.fill(40, nodes[0])
            try await Self.publish(owner)
            let log = try await Self.verification(of: database)
            defer { log.close() }
            let report = try await log.whole(showing: 10) { _ in }
            #expect(report.differences.isEmpty, "\(report.differences)")
            // And what the node registered when it began.
            #expect(report.streamCount == Int64(streams.count) + 1)
            #expect(report.eventCount == Int64(streams.count) * Int64(Self.versionCount) + 1)
            #expect(report.publishedCount == report.eventCount)
            #expect(report.nextIndex == report.eventCount)
            let rest = try await log.published(since: 700, showing: 10) { _ in }
            #expect(rest.differences.isEmpty, "\(rest.differences)")
            #expect(rest.eventCount == report.eventCount - 700 && rest.streamCount == nil)
            #expect(rest.nextIndex == report.nextIndex)
            let none = try await log.published(since: rest.nextIndex, showing: 10) { _ in }
            #expect(none.eventCount == 0 && none.nextIndex == rest.nextIndex)
        }
    }

    @Test("shows where it was changed, cut or put together otherwise, and nothing else")
    func tampered() async throws {
        try await StoreHarness.with { database, nodes in
            let owner = try await database.connect()
            defer { owner.close() }
            let streams = try await Self.fill(Self.tamperings.count + 1, nodes[0])
            try await Self.publish(owner)
            var expected: [StreamID: [String]] = [:]
            for (stream, tampering) in zip(streams, Self.tamperings) {
                try await Self.tamper(tampering.sql, stream, owner)
                expected[stream] = tampering.found
            }
            let log = try await Self.verification(of: database)
            defer { log.close() }
            let report = try await log.whole(showing: 1_000) { _ in }
            let found = Self.found(report)
            for stream in streams { #expect(found[stream] == expected[stream]) }
            #expect(found.count == expected.count, "\(found)")
            // All are counted, also those that are not shown.
            let few = try await log.whole(showing: 2) { _ in }
            #expect(few.differences == Array(report.differences.prefix(2)))
            #expect(few.differenceCount == report.differenceCount)
        }
    }

    @Test("shows of what was published last the same, and nothing of what lies before")
    func since() async throws {
        try await StoreHarness.with { database, nodes in
            let owner = try await database.connect()
            defer { owner.close() }
            let streams = try await Self.fill(6, nodes[0])
            try await Self.publish(owner)
            for stream in [streams[0], streams[5]] {
                try await Self.tamper(Self.tamperings[0].sql, stream, owner)
            }
            let cut = "DELETE FROM es.events WHERE stream_id = \(Self.stream) AND version = 7"
            try await Self.tamper(cut, streams[4], owner)
            let log = try await Self.verification(of: database)
            defer { log.close() }
            let begin = """
                SELECT log_index FROM es.ledger WHERE stream_id = '\(streams[1])' AND version = 1
                """
            let index = try await owner.count(begin)
            let report = try await log.published(since: index, showing: 10) { _ in }
            let expected = [streams[4]: ["7 absent", "8 gap"], streams[5]: ["5 content"]]
            #expect(Self.found(report) == expected)
        }
    }

    @Test("is checked by chancery verify, which needs no right but to read") func program()
        async throws
    {
        try await StoreHarness.with { database, nodes in
            let owner = try await database.connect()
            defer { owner.close() }
            let role = "doctor_\(database.name)"
            try await owner.run("CREATE ROLE \(role) LOGIN; GRANT log_reader TO \(role)")
            let streams = try await Self.fill(2, nodes[0])
            let (right, honest) = try await Self.verify(database, as: role)
            #expect(right == .exited(0), "\(honest)")
            #expect(honest.contains("\"events\":43,\"streams\":3"), "\(honest)")
            try await Self.tamper(Self.tamperings[0].sql, streams[1], owner)
            let (wrong, said) = try await Self.verify(database, as: role)
            #expect(wrong == .exited(1), "\(said)")
            let place = "\"kind\":\"content\",\"stream\":\"\(streams[1])\",\"version\":5"
            #expect(said.contains(place), "\(said)")
            let (failed, why) = try await Self.verify(database, as: "migrator")
            #expect(failed == .exited(2) && why.contains("log_reader"), "\(why)")
        }
    }

    /// How the command ends, and what it says.
    static func verify(_ database: TestDatabase, as role: String, _ words: String...)
        async throws -> (ChildProcess.End, String)
    {
        let one = try RelayProcess(
            "chancery",
            ["verify", "--json", "--user", role] + words,
            database: database.settings(),
            bootstrap: "127.0.0.1:1",
            topic: "nowhere"
        )
        let end = await one.child.wait(on: database.loop)
        let said = one.log
        _ = one.end()
        return (end, said)
    }

    @Test("lacks nothing of what went with its partition, and each of what did not")
    func dropped() async throws {
        try await TestDatabase.with { database in
            let owner = try await database.connect()
            defer { owner.close() }
            // A stream whose month is over for long; its hashes nobody looks at any more.
            try await owner.run(
                """
                SET ROLE chancery_owner;
                SELECT es.ensure_partitions(now() - interval '3 years');
                RESET ROLE;
                INSERT INTO es.events (stream_id, version, type, project, occurred_at, command_id,
                                       hash, payload, metadata)
                SELECT es.uuid7_floor(now() - interval '3 years'), n, 704, 1, now(),
                       gen_random_uuid(), sha256('x'), bytea '{}', bytea '{}'
                  FROM generate_series(1, 3) AS n
                """
            )
            try await Self.publish(owner)
            try await owner.run(
                """
                UPDATE es.relay_cursor SET (log_epoch, xid, position)
                  = (SELECT log_epoch, xid, position FROM es.events ORDER BY position DESC LIMIT 1);
                SELECT es.drop_expired_partitions(now());
                INSERT INTO es.ledger (log_index, log_epoch, xid, position, stream_id, version,
                                       hash)
                SELECT 2 + n, 1, '9', 1000 + n, id, 1, sha256('x')
                  FROM unnest(ARRAY[
                         es.uuid7_floor(now() - interval '759 days'),
                         es.uuid7_floor(now() - interval '761 days'),
                         es.class_floor(4, now() - interval '13 days'),
                         es.class_floor(4, now() - interval '15 days'),
                         es.class_floor(8, now() - interval '9 years')
                       ]) WITH ORDINALITY AS rows (id, n)
                """
            )
            #expect(try await owner.count("SELECT count(*) FROM es.events") == 0)
            let log = try await Self.verification(of: database)
            defer { log.close() }
            let report = try await log.whole(showing: 10) { _ in }
            #expect(report.publishedCount == 8 && report.eventCount == 0)
            #expect(report.differences.map(\.logIndex) == [3, 5, 7])
            #expect(report.differences.allSatisfy { $0.kind == .absent })
        }
    }
}
