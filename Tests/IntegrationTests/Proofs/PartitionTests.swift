import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

@Suite("Partitions", .timeLimit(.minutes(3)), .keepsClusterOnFailure) struct PartitionTests {
    /// A stream id, and the partition it belongs to.
    struct Place: Sendable {
        var id: RawAppend.ID
        var partition: String
    }

    private static func id(_ digit: UInt64, _ microseconds: Int64) -> RawAppend.ID {
        (digit << 60 | UInt64(microseconds / 1000) << 16 | 0x8000, 0x8000_0000_0000_0001)
    }

    @Test("a stream's class and time say where it goes; the default partition stays empty")
    func routing() async throws {
        try await TestDatabase.with { database in
            let connection = try await database.connect()
            let now = WallTime.nowMicroseconds()
            // One instant for all: a month or a week may end while this runs.
            let day = "to_timestamp(\(now / 1_000_000)) AT TIME ZONE 'UTC'"
            let month = "SELECT 'events_t' || to_char(\(day), 'YYYYMM')"
            let week = #"SELECT 'events_s' || to_char(\#(day), 'IYYY"w"IW')"#
            let places = [
                Place(id: Self.id(0, now), partition: try await connection.text(month)),
                Place(id: Self.id(4, now), partition: try await connection.text(week)),
                Place(id: Self.id(8, now), partition: "events_permanent"),
                Place(id: Self.id(8, 0), partition: "events_permanent"),
                Place(id: (0xC000_0000_0000_8000, 1), partition: "events_keyed"),
                Place(id: (.max, .max), partition: "events_keyed"),
            ]
            #expect(try await connection.append(.opening(places.map(\.id))).isEmpty)
            let found = try await connection.query(
                .texts(
                    "SELECT c.relname::text FROM es.events e JOIN pg_class c ON c.oid = e.tableoid"
                        + " ORDER BY e.stream_id"
                ),
                deadline: .soon
            )
            let expected = places.sorted { $0.id < $1.id }.map(\.partition)
            #expect(found == expected)
            #expect(try await connection.count("SELECT count(*) FROM es.events_default") == 0)
        }
    }

    @Test("the coming months and weeks are there, few in all, and asking again adds none")
    func ahead() async throws {
        try await TestDatabase.with { database in
            let connection = try await database.connect()
            let partitions =
                "SELECT count(*) FROM pg_inherits WHERE inhparent = 'es.events'::regclass"
            let count = try await connection.count(partitions)
            #expect((14...16).contains(count))
            let again = "SELECT count(*) FROM es.ensure_partitions(now())"
            #expect(try await connection.count(again) == 0)
            let later = "SELECT count(*) FROM es.ensure_partitions(now() + interval '1 month')"
            #expect(try await connection.count(later) >= 5)
            let bare = """
                SELECT count(*) FROM pg_inherits AS i WHERE i.inhparent = 'es.events'::regclass
                   AND 2 <> (SELECT count(*) FROM pg_trigger AS t
                              WHERE t.tgrelid = i.inhrelid AND t.tgenabled = 'A'
                                AND t.tgname IN ('append_only', 'never_truncated'))
                """
            #expect(try await connection.count(bare) == 0)
        }
    }

    @Test("how far they reach is told, also to who may not read, and what came beside them")
    func reach() async throws {
        try await TestDatabase.with { database in
            let owner = try await database.connect()
            defer { owner.close() }
            let day: Int64 = 86_400
            for role in ["token_issuer", "projector"] {
                try await owner.run(script: Array("SET ROLE \(role)".utf8), deadline: .soon)
                let reach = try #require(try await reach(owner))
                #expect(!reach.hasStrays)
                #expect((90 * day...123 * day).contains(reach.monthsSeconds))
                #expect((35 * day...42 * day).contains(reach.weeksSeconds))
                try await owner.run(script: Array("RESET ROLE".utf8), deadline: .soon)
            }
            // Of a class that there is not.
            #expect(try await owner.append(.opening([Self.id(5, 0)])).isEmpty)
            #expect(try #require(try await reach(owner)).hasStrays)
            let script = """
                SELECT es.ensure_partitions(now() + interval '1 month')
                """
            let before = try #require(try await reach(owner))
            try await owner.run(script: Array(script.utf8), deadline: .soon)
            let after = try #require(try await reach(owner))
            #expect(after.monthsSeconds - before.monthsSeconds > 27 * day)
            // Four weeks at least, less what passed between the two looks.
            #expect(after.weeksSeconds - before.weeksSeconds > 27 * day)
        }
    }

    private func reach(_ connection: Connection) async throws -> PartitionReach? {
        try await connection.query(.partitionReach, deadline: .soon).first
    }

    @Test("what is past its retention goes when it is published, not before")
    func retention() async throws {
        try await TestDatabase.with { database in
            let connection = try await database.connect()
            var ids = IDSource()
            _ = try await connection.append(.opening([ids.next()]))
            let dropped = """
                SELECT name FROM es.drop_expired_partitions(now() + interval '\u{25}') AS name
                """
            let soon = dropped.replacing("\u{25}", with: "13 months")
            let late = dropped.replacing("\u{25}", with: "31 months")
            // Weeks of spent artefacts go; months do not, yet.
            let weeks = try await connection.query(.texts(soon), deadline: .soon)
            #expect(!weeks.isEmpty && weeks.allSatisfy { $0.hasPrefix("events_s") })
            // Every month is old by now, but one holds an event nobody has published.
            let months = try await connection.query(.texts(late), deadline: .soon)
            #expect(!months.isEmpty)
            #expect(try await connection.count("SELECT count(*) FROM es.events") == 1)
            let publish = """
                UPDATE es.relay_cursor SET (log_epoch, xid, position)
                  = (SELECT log_epoch, xid, position FROM es.events)
                """
            _ = try await connection.execute(Statement<Void>(once: publish), deadline: .soon)
            let rest = try await connection.query(.texts(late), deadline: .soon)
            #expect(rest.count == 1)
            #expect(try await connection.count("SELECT count(*) FROM es.events") == 0)
        }
    }

    /// A partition of the past, a day in it, its end and how long it is kept after that.
    struct Kept: Sendable {
        var partition: String
        var born: String
        var until: String
    }

    @Test(
        "a partition is kept to the end of its retention and not longer",
        arguments: [
            // What rests on a stream of its last day may live for two years, and 30 days more.
            Kept(partition: "events_t202401", born: "2024-01-15", until: "2024-02-01, 760 days"),
            Kept(partition: "events_s2024w05", born: "2024-01-31", until: "2024-02-05, 14 days"),
        ]
    )
    func keptUntil(_ kept: Kept) async throws {
        try await TestDatabase.with { database in
            let connection = try await database.connect()
            defer { connection.close() }
            let add = "SELECT count(*) FROM es.ensure_partitions('\(kept.born) 12:00Z')"
            #expect(try await connection.count(add) > 0)
            let end = kept.until.split(separator: ", ").map(String.init)
            let drop = { (seconds: Int) in
                """
                SELECT count(*) FROM es.drop_expired_partitions(
                         '\(end[0]) 00:00Z'::timestamptz + interval '\(end[1])'
                         + interval '\(seconds) seconds') AS name
                 WHERE name = '\(kept.partition)'
                """
            }
            #expect(try await connection.count(drop(-86_400)) == 0)
            #expect(try await connection.count(drop(-1)) == 0)
            #expect(try await connection.count(drop(1)) == 1)
        }
    }

    @Test("upkeep that has to add and to drop keeps nobody waiting in a ring") func upkeep()
        async throws
    {
        try await TestDatabase.with { database in
            let owner = try await database.connect()
            let statement = try await database.connect()
            defer {
                owner.close()
                statement.close()
            }
            // Partitions that are over, and one of those to come that is not there.
            try await owner.run("SET ROLE chancery_owner")
            let old = "SELECT count(*) FROM es.ensure_partitions(now() - interval '3 years')"
            #expect(try await owner.count(old) > 0)
            let last = """
                SELECT max(relname)::text FROM pg_class
                 WHERE relname ~ '^events_s[0-9]{4}w[0-9]{2}$'
                """
            try await owner.run("DROP TABLE es.\(try await owner.text(last))")
            // It is to wait for as long as this takes.
            try await owner.run("ALTER FUNCTION es.maintain_partitions() SET lock_timeout = '60s'")
            // As any statement does: the whole first, the default partition last.
            try await statement.run("BEGIN; LOCK TABLE ONLY es.events IN ACCESS SHARE MODE")
            async let upkeep = owner.query(
                .texts("SELECT es.maintain_partitions()"),
                deadline: .soon
            )
            try await database.untilOneWaits()
            try await statement.run("SET LOCAL lock_timeout = '2s'")
            try await statement.run("LOCK TABLE es.events_default IN ACCESS SHARE MODE")
            try await statement.run("COMMIT")
            #expect(try await upkeep.count > 1)
        }
    }

    @Test("upkeep that has to wait for a reader keeps nobody waiting behind it") func briefWait()
        async throws
    {
        try await TestDatabase.with { database in
            let owner = try await database.connect()
            let reader = try await database.connect()
            let node = try await database.connect(as: "token_issuer", liftsLimits: false)
            let request = try await database.connect(as: "token_issuer")
            defer { for connection in [owner, reader, node, request] { connection.close() } }
            try await owner.run("SET ROLE chancery_owner")
            let last = try await owner.text(
                """
                SELECT max(relname)::text FROM pg_class
                 WHERE relname ~ '^events_s[0-9]{4}w[0-9]{2}$'
                """
            )
            try await owner.run("DROP TABLE es.\(last)")
            // As a backup does.
            try await reader.run("BEGIN; LOCK TABLE es.events_default IN ACCESS SHARE MODE")
            // Whatever else a busy machine does: the best of some counts.
            var best = Duration.seconds(60)
            for _ in 0..<5 {
                let isOver = Guarded(false)
                async let upkeep = Self.maintain(node, isOver)
                var longest = Duration.zero
                while !isOver.current {
                    let begin = MonotonicInstant.now()
                    let load = "SELECT count(*) FROM es.events WHERE stream_id = '\(Self.stray)'"
                    _ = try await request.count(load)
                    longest = max(longest, MonotonicInstant.now().since(begin))
                }
                #expect(await upkeep == .lockNotAvailable)
                best = min(best, longest)
            }
            #expect(best < .milliseconds(400), "\(best)")
        }
    }

    /// A stream of the default partition.
    private static let stray = "10000000-0000-4000-8000-000000000000"

    /// How upkeep fails.
    private static func maintain(_ node: Connection, _ isOver: Guarded<Bool>) async -> SQLState? {
        defer { isOver.replace(with: true) }
        do throws(PostgresError) {
            let upkeep = Statement<String>.texts("SELECT es.maintain_partitions()")
            _ = try await node.query(upkeep, deadline: .soon)
            return nil
        } catch { return error.state }
    }

    @Test(
        "rows that break a limit of the log are refused by the table, too",
        arguments: [
            (Int16(1), 16 * 1024, true), (1, 16 * 1024 + 1, false),
            (1301, 256 * 1024, true), (1301, 256 * 1024 + 1, false),
        ]
    )
    func checks(_ type: Int16, _ bytes: Int, _ isAccepted: Bool) async throws {
        try await TestDatabase.with { database in
            let connection = try await database.connect(as: "token_issuer")
            var ids = IDSource()
            var call = RawAppend.opening([ids.next()])
            call.type = type
            call.payload = Array(repeating: 0x20, count: bytes)
            do throws(PostgresError) {
                #expect(try await connection.append(call).isEmpty && isAccepted)
            } catch {
                #expect(error.state == SQLState("23514") && !isAccepted)
            }
        }
    }
}

extension Connection {
    func run(_ script: String) async throws {
        try await run(script: Array(script.utf8), deadline: .soon)
    }

    func text(_ sql: String) async throws -> String {
        try #require(try await query(.texts(sql), deadline: .soon).first)
    }
}
