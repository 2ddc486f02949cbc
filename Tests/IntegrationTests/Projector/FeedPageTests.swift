import Domain
import OAuth
import Persistence
import Postgres
import Publishing
import Runtime
import TestSupport
import Testing

/// What a page of the feed claims, and what the outbox of another model is worth.
@Suite("Feed pages", .timeLimit(.minutes(3)), .keepsClusterOnFailure) struct FeedPageTests {
    static let rows = """
        INSERT INTO revocation.revocations (key, project, sid, revoked_at, expires_at, reason,
                                            log_id, log_index, late_number)
        SELECT n, 1, gen_random_uuid(), now(), now() + interval '1 hour', 'logout', log_id, n,
               CASE WHEN n < 3 THEN n END
          FROM generate_series(1, 5) AS n, es.log;
        INSERT INTO revocation.progress (projection, log_id, frontier, late_number,
                                         complete_through, complete_index)
        SELECT 'revocation', log_id, 9, 2, clock_timestamp() - interval '7 seconds', 9 FROM es.log;
        INSERT INTO revocation.outbox SELECT log_index, key FROM revocation.revocations;
        """

    static func run(_ script: String, on connection: Connection) async throws {
        try await connection.run(script: Array(script.utf8), deadline: .soon)
    }

    /// A feed over `test`, once its connection is there.
    static func feed(
        of test: TestDatabase,
        lateBySeconds late: Int64 = 0
    ) async throws -> (Database, any RevocationFeed) {
        let database = Database(
            test.settings(as: "projector"),
            loops: [test.loop],
            isReadOnly: true
        )
        database.start()
        let feed = PostgresRevocationFeed(
            database,
            bell: FeedBell(on: test.loop),
            pageMax: .seconds(60)
        ) {
            Instant(microseconds: WallTime.nowMicroseconds()).adding(seconds: -late)
        }
        let limit = MonotonicInstant.soon
        while await feed.page(of: Sample.number(1), after: nil, limit: 1) == nil,
            MonotonicInstant.now() < limit
        {
            try await test.loop.sleep(until: .after(.milliseconds(20)))
        }
        return (database, feed)
    }

    @Test(
        "has what lives by one of two clocks: nobody gets that page again",
        arguments: [true, false]
    )
    func twoClocks(_ isDatabaseAhead: Bool) async throws {
        try await TestDatabase.with { test in
            let owner = try await test.connect()
            defer { owner.close() }
            try await Self.run(Self.rows, on: owner)
            let ended = "UPDATE revocation.revocations SET expires_at = now() - interval '1 hour'"
            try await Self.run(ended, on: owner)
            // Late by two hours: to this node it has not expired.
            let late: Int64 = isDatabaseAhead ? 7200 : -7200
            let (database, feed) = try await Self.feed(of: test, lateBySeconds: late)
            defer { database.stop() }
            let page = try #require(await feed.page(of: Sample.number(1), after: nil, limit: 9))
            #expect(page.count == (isDatabaseAhead ? 5 : 0))
        }
    }

    @Test("only the last page says how far its reader is complete") func pages() async throws {
        try await TestDatabase.with { test in
            let owner = try await test.connect()
            defer { owner.close() }
            try await Self.run(Self.rows, on: owner)
            let (database, feed) = try await Self.feed(of: test)
            defer { database.stop() }
            var place: FeedPlace?
            var claims: [Bool] = []
            var count = 0
            for _ in 0..<3 {
                let page = try #require(
                    await feed.page(of: Sample.number(1), after: place, limit: 2)
                )
                claims.append(page.watermark != nil)
                count += page.count
                place = page.next
            }
            #expect(count == 5)
            #expect(claims == [false, false, true])
            // Late ones first: what has come since is on the next page.
            let late = FeedPlace(index: 4, late: 0)
            let page = try #require(await feed.page(of: Sample.number(1), after: late, limit: 9))
            #expect(try page.indices == [1, 2])
            #expect(page.watermark == nil)
            let rest = try #require(
                await feed.page(of: Sample.number(1), after: page.next, limit: 9)
            )
            #expect(try rest.indices == [5])
            #expect(rest.watermark != nil)
            // A clock was wrong: nobody is told that a time is over which has not come.
            try await Self.run(
                "UPDATE revocation.progress SET complete_through = now() + interval '1 hour'",
                on: owner
            )
            let ahead = try #require(
                await feed.page(of: Sample.number(1), after: rest.next, limit: 9)
            )
            #expect(ahead.watermark == nil)
        }
    }

    @Test("what a page has and what it claims are of one moment") func moved() async throws {
        try await TestDatabase.with { test in
            let owner = try await test.connect()
            defer { owner.close() }
            try await Self.run(Self.rows, on: owner)
            let (database, feed) = try await Self.feed(of: test)
            defer { database.stop() }
            let after = FeedPlace(index: 3, late: 2)
            // The client of key 4 comes and leaves again while the page waits for its rows.
            try await Self.run(
                "BEGIN; LOCK TABLE revocation.revocations IN ACCESS EXCLUSIVE MODE",
                on: owner
            )
            async let waiting = feed.page(of: Sample.number(1), after: after, limit: 9)
            try await test.untilOneWaits()
            try await Self.run(
                """
                UPDATE revocation.revocations SET log_index = 12 WHERE key = '4';
                UPDATE revocation.progress SET frontier = 12, complete_index = 12;
                COMMIT
                """,
                on: owner
            )
            let page = try #require(await waiting)
            #expect(try page.indices == [5, 12])
            #expect(page.watermark?.index == 12)
            let next = try #require(
                await feed.page(of: Sample.number(1), after: page.next, limit: 9)
            )
            #expect(next.count == 0)
            #expect(next.watermark?.index == 12)
        }
    }

    @Test("nobody is told that all is there while a client that left again is on its way")
    func leftAgain() async throws {
        try await TestDatabase.with { test in
            let owner = try await test.connect()
            defer { owner.close() }
            try await ReadModelTests.prepareLeaving(on: owner)
            let progress = """
                INSERT INTO revocation.progress (projection, log_id, frontier, complete_through,
                                                 complete_index)
                SELECT 'revocation', log_id, 1, clock_timestamp() - interval '7 seconds', 1
                  FROM es.log
                """
            try await Self.run(progress, on: owner)
            let (database, feed) = try await Self.feed(of: test)
            defer { database.stop() }
            func page(after index: Int64? = nil) async throws -> RevocationPage {
                let place = index.map { FeedPlace(index: $0, late: 0) }
                return try #require(
                    await feed.page(of: Sample.number(1), after: place, limit: 9)
                )
            }
            try await ReadModelTests.leaves(at: 1, tokensBefore: "2026-01-01 12:00Z", on: owner)
            var first = try await page()
            #expect(try first.indices == [1])
            #expect(first.watermark?.index == 1)
            // Number 5 is applied before 4: its partition was read first.
            try await ReadModelTests.leaves(at: 5, tokensBefore: "2026-01-01 12:01Z", on: owner)
            try await Self.run("UPDATE revocation.progress SET frontier = 3", on: owner)
            first = try await page()
            #expect(first.count == 0)
            #expect(first.watermark == nil)
            // Nor on its next page, which does not know what the one before lacked.
            #expect(try await page(after: first.next.index).watermark == nil)
            // One that leaves for the first time holds nobody back: it has no earlier number.
            let other = """
                UPDATE revocation.progress SET frontier = 5;
                INSERT INTO revocation.revocations (key, project, sid, client, revoked_at,
                  issued_before_at, expires_at, reason, log_id, log_index)
                SELECT 's/c:b', 1, sid, 'b', now(), now(), expires_at, reason, log_id, 9
                  FROM revocation.revocations
                """
            try await Self.run(other, on: owner)
            let last = try await page(after: first.next.index)
            #expect(try last.indices == [5])
            #expect(last.watermark?.index == 1)
        }
    }

    @Test("what is on Kafka is not taken from the outbox of another model") func outbox()
        async throws
    {
        try await TestDatabase.with { test in
            let owner = try await test.connect()
            defer { owner.close() }
            try await Self.run(Self.rows, on: owner)
            let model = ReadModelTests.model(of: test)
            #expect(try await model.lead())
            let records = try await model.outbox()
            #expect(records.count == 5)
            try await model.published(Array(records.prefix(2)), in: 1, acknowledged: [:])
            try await Self.run("UPDATE revocation.progress SET generation = 2", on: owner)
            await #expect(throws: ProjectionTrouble.superseded) {
                try await model.published(records, in: 1, acknowledged: [:])
            }
            let left = "SELECT count(*) FROM revocation.outbox"
            #expect(try await owner.query(.number(left), deadline: .soon) == [3])
            await model.resign()
        }
    }

    @Test("a projector that waits for Kafka, but shows its life, is not ended") func waiting()
        async throws
    {
        try await TestDatabase.with { test in
            let (first, second) = (ReadModelTests.model(of: test), ReadModelTests.model(of: test))
            #expect(try await first.lead())
            #expect(try await !second.lead())
            for _ in 0..<8 {
                try await first.showLife()
                try await test.loop.sleep(until: .after(.milliseconds(500)))
                #expect(try await !second.deposeHolder(silentFor: .seconds(3)))
            }
            try await test.loop.sleep(until: .after(.seconds(3)))
            #expect(try await second.deposeHolder(silentFor: .seconds(3)))
            await second.resign()
        }
    }

    @Test("a projector whose session is silent is ended, and no other") func deposed()
        async throws
    {
        try await TestDatabase.with { test in
            let (first, second) = (ReadModelTests.model(of: test), ReadModelTests.model(of: test))
            #expect(try await first.lead())
            #expect(try await !second.lead())
            #expect(try await !second.deposeHolder(silentFor: .seconds(600)))
            try await first.showLife()
            #expect(try await second.deposeHolder(silentFor: .zero))
            await #expect(throws: ProjectionTrouble.unavailable) { try await first.showLife() }
            let limit = MonotonicInstant.soon
            while try await !second.lead(), MonotonicInstant.now() < limit {
                try await test.loop.sleep(until: .after(.milliseconds(20)))
            }
            #expect(try await second.lead())
            await second.resign()
        }
    }
}

extension RevocationPage {
    /// The numbers of its items.
    fileprivate var indices: [Int64] {
        get throws {
            let items = try #require(try JSONReader.read(rendered).array)
            return items.compactMap { $0["log_index"]?.integer }
        }
    }
}
