import Domain
import EventFormat
import Foundation
import Kafka
import Postgres
import Publishing
import Runtime
import TestSupport
import Testing

/// `chancery replay revocation`, ended in the middle (Events 11).
@Suite("Replay", .serialized, .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct ReplayTests {
    @Test("interrupted, it leaves the model in service alone, and the next run goes on")
    func interrupted() async throws {
        try await RelayBench.withPrograms(ProjectorTests.kind) { bench, _ in
            // More than one step of the replay takes, and the last session in the last step.
            for _ in 0..<13 { try await bench.endManySessions(60) }
            let last = LogFiller.newStream()
            try await bench.filler.append(LogFiller.session(last, versions: 1...3, ends: true))
            let head: Int64 = 13 * 60 * 3 + 3
            try await bench.wait(for: head, "SELECT frontier FROM revocation.progress")
            try await bench.wait(for: 0, "SELECT count(*) FROM revocation.outbox")
            let model = try await bench.model()
            try await bench.allowSchemas()

            // Held where the row of the last session has to be.
            let holder = try await bench.database.connect()
            defer { holder.close() }
            let begin = """
                SET ROLE chancery_owner; SELECT chancery.begin_rebuild(false); RESET ROLE;
                SELECT pg_advisory_unlock_all()
                """
            try await holder.run(script: Array(begin.utf8), deadline: .soon)
            let hold = """
                BEGIN;
                INSERT INTO revocation_g2.sessions
                SELECT * FROM revocation.sessions WHERE sid = '\(last)'
                """
            try await holder.run(script: Array(hold.utf8), deadline: .soon)
            let first = try bench.replayProcess()
            try await bench.wait(
                for: 1,
                """
                SELECT count(*) FROM pg_locks AS l JOIN pg_stat_activity AS a USING (pid)
                 WHERE NOT l.granted AND a.datname = current_database()
                """
            )
            #expect(first.end(SIGINT) != .exited(0))
            try await holder.run(script: Array("ROLLBACK".utf8), deadline: .soon)
            let done = try await bench.number("SELECT frontier FROM revocation_g2.progress")
            #expect(done > 0, "\(done) of \(head)")
            #expect(try await bench.model() == model)
            let served = "SELECT generation::bigint FROM revocation.progress"
            #expect(try await bench.number(served) == 1)

            let second = try await bench.replay()
            #expect(second.contains("\"generation\":2"), "\(second)")
            #expect(!second.contains("\"events\":\(head + 1)"), "it began again: \(second)")
            #expect(second.contains("\"added\":0,\"gone\":0"), "\(second)")
            #expect(try await bench.model() == model)
            try await bench.endSessions(1)
            try await bench.wait(for: head + 3, "SELECT frontier FROM revocation.progress")
        }
    }

    @Test("refused: of another schema, and what only the model in service has, but with its flag")
    func refused() async throws {
        try await RelayBench.with(ProjectorTests.kind) { bench in
            try await bench.makeRevocationsTopic()
            try await bench.allowSchemas()
            let owner = try await bench.database.connect()
            defer { owner.close() }
            func run(_ script: String) async throws {
                try await owner.run(script: Array(script.utf8), deadline: .soon)
            }
            // As the relay records, and as the projector would have it, with one more.
            try await run(
                """
                INSERT INTO es.ledger
                SELECT row_number() OVER (ORDER BY log_epoch, xid, position) - 1,
                       log_epoch, xid, position, stream_id, version, hash FROM es.events;
                INSERT INTO revocation.progress (projection, log_id, frontier)
                SELECT 'revocation', log_id, 0 FROM es.log;
                INSERT INTO revocation.revocations (key, project, sid, revoked_at, expires_at,
                                                    reason, log_id, log_index)
                SELECT 'k', 1, gen_random_uuid(), now(), now() + interval '1 hour', 'logout',
                       log_id, 0 FROM es.log;
                INSERT INTO chancery.migrations (version, name, checksum)
                VALUES (9999, 'more', repeat('0', 64))
                """
            )
            #expect(try await bench.replay().contains("chancery: the schema: "))
            try await run("DELETE FROM chancery.migrations WHERE version = 9999")
            let refusal = try await bench.replay()
            #expect(refusal.contains("again, with --lose-revocations"), "\(refusal)")
            let served = "SELECT generation::bigint FROM revocation.progress"
            #expect(try await bench.number(served) == 1)
            let done = try await bench.replay(["--lose-revocations"])
            #expect(done.contains("\"added\":0,\"gone\":1"), "\(done)")
            #expect(try await bench.number(served) == 2)
        }
    }
}

extension RelayBench {
    /// Sessions of three events each, in one call.
    fileprivate func endManySessions(_ count: Int) async throws {
        try await filler.append(
            (0..<count).flatMap { _ in
                LogFiller.session(LogFiller.newStream(), versions: 1...3, ends: true)
            }
        )
    }

    fileprivate func number(_ sql: String) async throws -> Int64 {
        let connection = try await database.connect()
        defer { connection.close() }
        return try await connection.query(.number(sql), deadline: .soon).first ?? -1
    }
}
