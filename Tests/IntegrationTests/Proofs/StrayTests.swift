import Postgres
import Runtime
import TestSupport
import Testing

/// Upkeep of partitions while something keeps one of them from being made.
@Suite("Stray events", .timeLimit(.minutes(3)), .keepsClusterOnFailure) struct StrayTests {
    private static let weeks = """
        SELECT relname::text FROM pg_class
         WHERE relname ~ '^events_s[0-9]{4}w[0-9]{2}$' ORDER BY relname DESC LIMIT 2
        """

    @Test("events that came without a partition keep no other time from its own") func strays()
        async throws
    {
        try await TestDatabase.with { database in
            let owner = try await database.connect()
            defer { owner.close() }
            try await owner.run("SET ROLE chancery_owner")
            let old = "SELECT count(*) FROM es.ensure_partitions(now() - interval '3 years')"
            #expect(try await owner.count(old) > 0)
            let weeks = try await owner.query(.texts(Self.weeks), deadline: .soon)
            #expect(weeks.count == 2)
            for week in weeks { try await owner.run("DROP TABLE es.\(week)") }
            // In the second of its days, and so in no partition.
            let time = """
                SELECT (extract(epoch FROM to_date(right('\(weeks[1])', 7), 'IYYY"w"IW')) * 1000
                        + 86400000)::bigint
                """
            let milliseconds = UInt64(try await owner.count(time))
            let id = (4 << 60 | milliseconds << 16 | 0x8000, 0x8000_0000_0000_0001 as UInt64)
            #expect(try await owner.append(.opening([id])).isEmpty)
            #expect(try await owner.count("SELECT count(*) FROM es.events_default") == 1)
            let upkeep = "SELECT es.maintain_partitions()"
            let done = try await owner.query(.texts(upkeep), deadline: .soon)
            #expect(done.contains(weeks[0]))
            #expect(!done.contains(weeks[1]))
            // What is over has gone as well.
            #expect(done.contains { $0.hasPrefix("events_t") })
        }
    }

    @Test("a node leaves upkeep to the one that is at it") func oneAtATime() async throws {
        try await TestDatabase.with { database in
            let first = try await database.connect()
            let second = try await database.connect()
            defer {
                first.close()
                second.close()
            }
            try await first.run("SET ROLE chancery_owner")
            let weeks = try await first.query(.texts(Self.weeks), deadline: .soon)
            try await first.run("DROP TABLE es.\(try #require(weeks.first))")
            try await first.run("BEGIN")
            let upkeep = "SELECT es.maintain_partitions()"
            #expect(try await first.query(.texts(upkeep), deadline: .soon) == [weeks[0]])
            #expect(try await second.query(.texts(upkeep), deadline: .soon).isEmpty)
            try await first.run("COMMIT")
        }
    }
}
