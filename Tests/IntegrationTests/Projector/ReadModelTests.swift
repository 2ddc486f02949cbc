import Configuration
import Domain
import Foundation
import Migrations
import Persistence
import Postgres
import Publishing
import Runtime
import TestSupport
import Testing

/// The read model of revocations in PostgreSQL, without a topic.
@Suite("Read model", .timeLimit(.minutes(3)), .keepsClusterOnFailure) struct ReadModelTests {
    @Test("a watermark that is not there has no age") func noWatermark() async throws {
        try await TestDatabase.with { database in
            let owner = try await database.connect()
            defer { owner.close() }
            let script = """
                INSERT INTO revocation.progress (projection, log_id, frontier)
                SELECT 'revocation', log_id, 4 FROM es.log
                """
            try await owner.run(script: Array(script.utf8), deadline: .soon)
            let server = try await ServerInspection(database.settings(), on: database.loop)
            defer { server.close() }
            let before = try await server.projection()
            #expect(before.frontier == 4)
            #expect(before.lagSeconds == nil)
            let claim = """
                UPDATE revocation.progress SET complete_index = 4,
                       complete_through = clock_timestamp() - interval '100 seconds'
                """
            try await owner.run(script: Array(claim.utf8), deadline: .soon)
            let lag = try #require(try await server.projection().lagSeconds)
            #expect(lag >= 100)
        }
    }

    @Test("what died when a client left stays dead when it leaves again within the second")
    func leftTwice() async throws {
        try await TestDatabase.with { database in
            let owner = try await database.connect()
            defer { owner.close() }
            try await Self.prepareLeaving(on: owner)
            // As recorded: left at :56.4, replaced at :56.7, replaced a minute later.
            for (index, second) in ["12:00:57", "12:00:56", "12:01:56"].enumerated() {
                let time = "2026-01-01 \(second)Z"
                try await Self.leaves(at: index, tokensBefore: time, on: owner)
                let bound = """
                    SELECT to_char(issued_before_at AT TIME ZONE 'UTC', 'HH24:MI:SS')
                      FROM revocation.revocations WHERE log_index = \(index)
                    """
                let kept = index == 1 ? "12:00:57" : second
                #expect(try await owner.query(.texts(bound), deadline: .soon) == [kept])
            }
        }
    }

    @Test("projects are asked for again soon until they were read") func projects() async throws {
        try await TestDatabase.with { test in
            let database = Database(
                test.settings(as: "projector"),
                loops: [test.loop],
                isReadOnly: true
            )
            let projects = SettingsCatalogue(
                database,
                documents: ProjectDocument(isInsecureDevelopment: true),
                log: .discarding
            )
            // As at a start: the connections are not made yet.
            _ = try? await projects.refresh(by: .soon)
            #expect(projects.problem != nil)
            #expect(projects.pause == .milliseconds(50))
            database.start()
            defer { database.stop() }
            let limit = MonotonicInstant.soon
            while projects.problem != nil, MonotonicInstant.now() < limit {
                _ = try? await projects.refresh(by: .soon)
                try await test.loop.sleep(until: .after(projects.pause))
            }
            #expect(projects.problem == nil)
            #expect(projects.pause == .seconds(5))
        }
    }

    @Test("a stream of more events than one read takes is read to its end")
    func longStream() async throws {
        try await TestDatabase.with { database in
            let filler = LogFiller(database: database)
            try await filler.addProject()
            let stream = LogFiller.newStream()
            let writer = try await database.connect(as: "token_issuer")
            defer { writer.close() }
            let rows = LogFiller.session(stream, versions: 1...2300, ends: true)
            for first in stride(from: 0, to: rows.count, by: 50) {
                let next = Array(rows[first..<min(first + 50, rows.count)])
                #expect(try await filler.append(next, on: writer) == 0)
            }
            let owner = try await database.connect()
            defer { owner.close() }
            let script = """
                INSERT INTO es.ledger
                SELECT row_number() OVER (ORDER BY log_epoch, xid, position) - 1,
                       log_epoch, xid, position, stream_id, version, hash FROM es.events
                """
            try await owner.run(script: Array(script.utf8), deadline: .soon)
            let model = Self.model(of: database)
            #expect(try await model.lead())
            let history = try await model.history(of: stream, after: 0, upTo: .max)
            guard case .events(let events, let last, let isAll) = history else {
                Issue.record("\(history)")
                return
            }
            #expect(last == 2300 && isAll)
            #expect(events.count == 2300)
            await model.resign()
        }
    }

    /// Lets `leaves` put rows as the projector does.
    static func prepareLeaving(on owner: Connection) async throws {
        let text = try String(contentsOf: PlanTests.url(of: "add_revocations"), encoding: .utf8)
        let types = """
            text[], smallint[], uuid[], text[], text[], uuid[], timestamptz[], timestamptz[],
            timestamptz[], text[], uuid[], bigint[], bigint[], bigint[]
            """
        let script = "SET search_path = revocation; PREPARE add (\(types)) AS \(text)"
        try await owner.run(script: Array(script.utf8), deadline: .soon)
    }

    /// A client leaves its session, always the same one, as number `index` of the log says.
    static func leaves(at index: Int, tokensBefore: String, on owner: Connection) async throws {
        let log = try await owner.text("SELECT log_id::text FROM es.log")
        let add = """
            EXECUTE add ('{s/c:a}', '{1}', array[es.uuid7_floor(now())], '{a}', '{NULL}', '{NULL}',
              array[now()], '{\(tokensBefore)}', array[now() + interval '1 hour'], '{replaced}',
              '{\(log)}', '{\(index)}', '{NULL}', '{NULL}')
            """
        try await owner.run(script: Array(add.utf8), deadline: .soon)
    }

    /// What the projector has of a database, on a machine that is late by so many seconds.
    static func model(
        of database: TestDatabase,
        telling revocations: String = "chancery.revocations",
        lateBySeconds late: Int64 = 0
    ) -> PostgresProjection {
        let settings = database.settings(as: "projector")
        let own = Database(settings, loops: [database.loop])
        return PostgresProjection(
            settings,
            topic: "chancery.events",
            revocationsTopic: revocations,
            projects: SettingsCatalogue(
                own,
                documents: ProjectDocument(isInsecureDevelopment: true),
                log: .discarding
            ),
            on: database.loop,
            log: .discarding
        ) {
            Instant(microseconds: WallTime.nowMicroseconds()).adding(seconds: -late)
        }
    }

    @Test("expired revocations go by the thousand and by both clocks; those Kafka lacks stay")
    func expired() async throws {
        try await TestDatabase.with { database in
            let owner = try await database.connect()
            defer { owner.close() }
            let script = """
                INSERT INTO revocation.revocations (key, project, sid, revoked_at, expires_at,
                                                    reason, log_id, log_index)
                SELECT n, 1, gen_random_uuid(), now(), now() - n * interval '1 minute', 'logout',
                       gen_random_uuid(), n
                  FROM generate_series(1, 3000) AS n;
                INSERT INTO revocation.outbox SELECT log_index, key FROM revocation.revocations
                 WHERE log_index BETWEEN 1990 AND 2009;
                """
            try await owner.run(script: Array(script.utf8), deadline: .soon)
            let left = "SELECT count(*) FROM revocation.revocations"
            // By the database's clock all have expired, by ours all but a thousand, then all: what
            // one of the two calls alive stays.
            for (lateMinutes, count) in [(2000, 2009), (-10_000, 20)] {
                let model = Self.model(of: database, lateBySeconds: Int64(lateMinutes) * 60)
                #expect(try await model.lead())
                for _ in 0..<6 { try await model.dropOld() }
                let rows = try await owner.query(.number(left), deadline: .soon)
                #expect(rows == [Int64(count)], "\(lateMinutes) minutes late")
                await model.resign()
            }
            let model = Self.model(of: database)
            #expect(try await model.lead())
            // Refused by the server: the connection, and the lead with it, are kept.
            let revoke = "REVOKE DELETE ON revocation.revocations FROM projector"
            try await owner.run(script: Array(revoke.utf8), deadline: .soon)
            await #expect(throws: ProjectionTrouble.unavailable) { try await model.dropOld() }
            #expect(model.isConnected)
            await model.resign()
        }
    }

    @Test("sessions whose log is gone go by the thousand and by both clocks, the others stay")
    func goneSessions() async throws {
        try await TestDatabase.with { database in
            let owner = try await database.connect()
            defer { owner.close() }
            let script = """
                INSERT INTO revocation.sessions (sid, kind, version, project, status, opened_at,
                                                 seen_at)
                SELECT (left(es.uuid7_floor(now() - born)::text, 24)
                        || lpad(to_hex(n), 12, '0'))::uuid,
                       'offline_grant', 1, 1, 'open', now() - born, now() - born
                  FROM generate_series(1, 1500) AS n,
                       unnest(ARRAY[interval '790 days', interval '792 days']) AS born
                """
            try await owner.run(script: Array(script.utf8), deadline: .soon)
            for (lateDays, count) in [(2, 3000), (-2, 1500), (0, 1500)] {
                let model = Self.model(of: database, lateBySeconds: Int64(lateDays) * 86_400)
                #expect(try await model.lead())
                try await model.dropOld()
                let left = "SELECT count(*) FROM revocation.sessions"
                let rows = try await owner.query(.number(left), deadline: .soon)
                #expect(rows == [Int64(count)], "\(lateDays) days late")
                await model.resign()
            }
        }
    }

    @Test("a topic that was told lacks what lives and does not wait to be published, if deleted")
    func deletedTopic() async throws {
        try await TestDatabase.with { database in
            let owner = try await database.connect()
            defer { owner.close() }
            let migrator = Migrator(
                Migrations.steps,
                on: database.settings(as: "migrator"),
                loop: database.loop
            )
            func expect(_ isLacking: Bool, after change: String) async throws {
                try await owner.run(script: Array(change.utf8), deadline: .soon)
                let found = try await migrator.isTold(topic: "revocations", on: "here")
                #expect(found == isLacking, "\(change)")
                #expect(try await !migrator.isTold(topic: "revocations", on: "elsewhere"))
                #expect(try await !migrator.isTold(topic: "others", on: "here"))
            }
            try await expect(
                false,
                after: """
                    INSERT INTO revocation.revocations (key, project, sid, revoked_at, expires_at,
                                                        reason, log_id, log_index)
                    SELECT n, 1, gen_random_uuid(), now(), now() - n * interval '1 minute',
                           'logout', gen_random_uuid(), n
                      FROM generate_series(1, 2) AS n
                    """
            )
            try await expect(
                false,
                after: """
                    INSERT INTO chancery.revocation_topic (projection, cluster_id, topic)
                    VALUES ('revocations', 'here', 'revocations')
                    """
            )
            let live = "UPDATE revocation.revocations SET expires_at = now() + interval '1 hour'"
            try await expect(true, after: live)
            let wait = "INSERT INTO revocation.outbox SELECT log_index, key "
            try await expect(true, after: wait + "FROM revocation.revocations WHERE log_index = 1")
            try await expect(false, after: wait + "FROM revocation.revocations WHERE log_index = 2")
        }
    }
}
