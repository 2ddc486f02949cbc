import Persistence
import Postgres
import Publishing
import Runtime
import TestSupport
import Testing

/// What is kept of `chancery.revocations` beside the outbox.
@Suite("What a topic of revocations was told", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct ToldTopicTests {
    @Test("a topic of another name on the same cluster gets every revocation") func otherTopic()
        async throws
    {
        try await TestDatabase.with { database in
            let owner = try await database.connect()
            defer { owner.close() }
            let script = """
                INSERT INTO revocation.progress (projection, log_id, frontier)
                SELECT 'revocation', log_id, 1 FROM es.log;
                INSERT INTO revocation.revocations (key, project, sid, revoked_at, expires_at,
                                                    reason, log_id, log_index)
                SELECT 'k', 1, gen_random_uuid(), now(), now() + interval '1 hour', 'logout',
                       log_id, 1 FROM es.log
                """
            try await owner.run(script: Array(script.utf8), deadline: .soon)
            for name in ["one", "two", "one"] {
                let model = ReadModelTests.model(of: database, telling: name)
                try await Waiting.until("the lead is free") { try await model.lead() }
                #expect(try await model.position().revocationsCluster == nil, "\(name)")
                #expect(try await model.queueAgain(after: "", in: 1, forCluster: "c") == "k")
                let queued = try await model.outbox()
                #expect(queued.map(\.key) == ["k"])
                #expect(try await model.queueAgain(after: "k", in: 1, forCluster: "c") == nil)
                #expect(try await model.position().revocationsCluster == "c")
                #expect(try await model.position().acknowledged == [:], "\(name)")
                try await model.published(queued, in: 1, acknowledged: [0: 2, 7: 9])
                #expect(try await model.position().acknowledged == [0: 2, 7: 9])
                await model.resign()
            }
        }
    }
}
