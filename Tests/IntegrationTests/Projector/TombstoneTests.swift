import Domain
import EventFormat
import Foundation
import Kafka
import Postgres
import Publishing
import Runtime
import TestSupport
import Testing

/// What is left of an erased subject's revocations (Events 10.3).
@Suite("Tombstones", .serialized, .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct TombstoneTests {
    @Test("when nobody needs it, a record of an erased subject is taken off the topic")
    func erased() async throws {
        try await RelayBench.withPrograms(ProjectorTests.kind) { bench, _ in
            try await bench.endSessions(3)
            try await bench.wait(for: 3, "SELECT count(*) FROM revocation.revocations")
            try await bench.wait(for: 0, "SELECT count(*) FROM revocation.outbox")
            let connection = try await bench.database.connect()
            defer { connection.close() }
            let keys = try await connection.query(
                .texts("SELECT key FROM revocation.revocations ORDER BY log_index"),
                deadline: .soon
            )
            // Of the three, two have expired, and of those one is of a subject that is erased.
            let subject = LogFiller.newStream()
            try await bench.filler.append([
                LogFiller.Row(
                    stream: subject,
                    version: 1,
                    body: .subject(.erased),
                    columns: StoredColumns(
                        occurredAt: LogFiller.now,
                        subject: SubjectID(subject)
                    )
                )
            ])
            let expire = """
                UPDATE revocation.revocations SET expires_at = now() - interval '2 minutes'
                 WHERE key IN ('\(keys[0])', '\(keys[1])');
                UPDATE revocation.revocations SET subject_id = '\(subject)'
                 WHERE key IN ('\(keys[0])', '\(keys[2])')
                """
            try await connection.run(
                script: Array("BEGIN; \(expire); COMMIT".utf8),
                deadline: .soon
            )
            try await bench.wait(for: 1, "SELECT count(*) FROM revocation.revocations")
            var topic = bench.kafka
            topic.topic += ".revocations"
            var last: [String: [UInt8]?] = [:]
            for record in try await topic.readAll() {
                let key = String(decoding: record.key ?? [], as: UTF8.self)
                last.updateValue(record.value, forKey: key)
            }
            #expect(last[keys[0]] == .some(nil))
            #expect(last[keys[1]]??.isEmpty == false && last[keys[2]]??.isEmpty == false)
        }
    }
}
