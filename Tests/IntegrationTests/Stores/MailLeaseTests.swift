import Domain
import Issuing
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

/// The queue of mails between two issuers.
@Suite("Mails of two issuers", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct MailLeaseTests {
    @Test("none is leased by both, whoever asks at once") func together() async throws {
        try await StoreHarness.with(nodes: 2) { database, nodes in
            let count = 4 * MailDispatch.mailsPerRun
            let queued = try await Self.enqueue(count, nodes[0])
            // Each waits for rows that somebody holds, or passes them over.
            var found: [DueMail] = []
            while found.count < count {
                async let one = Self.lease(nodes[0])
                async let other = Self.lease(nodes[1])
                let both = try await one + other
                try #require(!both.isEmpty)
                found += both
            }
            #expect(found.count == count && Set(found.map(\.occasion)) == queued)
            #expect(try await Self.lease(nodes[0]).isEmpty)
        }
    }

    @Test("a lease that ran out is taken over, and its holder changes nothing about it any more")
    func takenOver() async throws {
        try await StoreHarness.with(nodes: 2) { database, nodes in
            let queued = try await Self.enqueue(2, nodes[0])
            let silent = PostgresMailQueue(nodes[0].database)
            let held = try await Self.lease(nodes[0])
            #expect(Set(held.map(\.occasion)) == queued)
            // One of them: the other is still the first one's.
            try await Self.endFirstLease(database)
            let taken = try await Self.lease(nodes[1])
            #expect(taken.count == 1 && queued.contains(taken[0].occasion))
            #expect(taken[0].attempts == 0)
            // It comes back, and can neither put off what is the other's by now, ...
            let lost = held.filter { $0.occasion == taken[0].occasion }
            for mail in lost {
                try await silent.postpone(mail, seconds: 0, afterAttempt: true, by: .soon)
            }
            #expect(lost.count == 1)
            #expect(try await Self.lease(nodes[0]).isEmpty)
            // ... nor give it back: only what is still its own is free.
            try await silent.release(held, by: .soon)
            let free = try await Self.lease(nodes[1])
            #expect(Set((free + taken).map(\.occasion)) == queued)
            #expect(try await Self.lease(nodes[0]).isEmpty)
        }
    }

    @Test("a mail given up late stays with whom it is leased to; what was sent late goes")
    func removedLate() async throws {
        try await StoreHarness.with(nodes: 2) { database, nodes in
            let (late, other) = (
                PostgresMailQueue(nodes[0].database), PostgresMailQueue(nodes[1].database)
            )
            _ = try await Self.enqueue(1, nodes[0])
            let held = try #require(try await Self.lease(nodes[0]).first)
            try await Self.endFirstLease(database)
            let taken = try #require(try await Self.lease(nodes[1]).first)
            try await late.remove(held, afterSending: false, by: .soon)
            // It is there, and the other's: it can put it off, and then it is nobody's.
            try await other.postpone(taken, seconds: 0, afterAttempt: true, by: .soon)
            try await late.remove(held, afterSending: false, by: .soon)
            let again = try #require(try await Self.lease(nodes[1]).first)
            #expect(again.attempts == 1)
            try await late.remove(held, afterSending: true, by: .soon)
            // The other's try is one too many: that it failed asks for none more.
            try await other.postpone(again, seconds: 0, afterAttempt: true, by: .soon)
            #expect(try await Self.lease(nodes[1]).isEmpty)
        }
    }

    @Test("no more are leased than may be, by a plan of when the queue was empty, too")
    func bounded() async throws {
        try await StoreHarness.with { database, nodes in
            let superuser = try await database.connect()
            defer { superuser.close() }
            let vacuum = "VACUUM ANALYZE es.mail_queue"
            try await superuser.run(script: Array(vacuum.utf8), deadline: .soon)
            for _ in 0..<4 { #expect(try await Self.lease(nodes[0]).isEmpty) }
            _ = try await Self.enqueue(20, nodes[0])
            let mailQueue = PostgresMailQueue(nodes[0].database)
            #expect(try await mailQueue.lease(limit: 3, by: .soon).count == 3)
            #expect(try await mailQueue.lease(limit: 20, by: .soon).count == 17)
        }
    }

    /// As if 30 s were over for the mail whose link is the first.
    private static func endFirstLease(_ database: TestDatabase) async throws {
        let superuser = try await database.connect()
        defer { superuser.close() }
        let age = """
            UPDATE es.mail_queue SET leased_until = statement_timestamp() - interval '1 ms'
             WHERE login_link = (SELECT min(login_link::text)::uuid FROM es.mail_queue)
            """
        try await superuser.run(script: Array(age.utf8), deadline: .soon)
    }

    private static func lease(_ node: StoreHarness) async throws -> [DueMail] {
        try await PostgresMailQueue(node.database).lease(limit: MailDispatch.mailsPerRun, by: .soon)
    }

    private static func enqueue(_ count: Int, _ node: StoreHarness) async throws
        -> Set<MailOccasion>
    {
        var occasions: Set<MailOccasion> = []
        for _ in 0..<count {
            let occasion = MailOccasion.loginLink(node.newStream(), generation: 1)
            try await PostgresMailQueue(node.database)
                .enqueue(occasion, project: node.project, by: .soon)
            occasions.insert(occasion)
        }
        return occasions
    }
}
