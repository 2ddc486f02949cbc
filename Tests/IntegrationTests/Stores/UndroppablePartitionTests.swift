import Domain
import Issuing
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

/// Upkeep while one of the partitions that are over is held by somebody.
@Suite("A partition that cannot be dropped", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct UndroppablePartitionTests {
    private static func week(_ aggregate: String) -> String {
        """
        SELECT \(aggregate)(relname)::text FROM pg_class
         WHERE relname ~ '^events_s[0-9]{4}w[0-9]{2}$'
        """
    }

    /// Makes partitions that are over and takes the last one to come away: the first and that one.
    private static func prepare(_ owner: Connection) async throws -> (over: String, next: String) {
        try await owner.run("SET ROLE chancery_owner")
        let old = "SELECT count(*) FROM es.ensure_partitions(now() - interval '3 years')"
        #expect(try await owner.count(old) > 0)
        let (over, next) = (try await owner.text(week("min")), try await owner.text(week("max")))
        try await owner.run("DROP TABLE es.\(next); RESET ROLE")
        return (over, next)
    }

    private static func maintain(_ node: StoreHarness, on loop: Loop) async
        -> PostgresMaintenance.Outcome
    {
        let clock = ServerClock(node.database, on: loop, log: .discarding) {
            Instant(microseconds: WallTime.nowMicroseconds())
        }
        return await PostgresMaintenance(node.database, by: clock, node.metrics).run(by: .soon)
    }

    /// How often this node could not do a part of its upkeep.
    private static func failures(of node: StoreHarness) -> Int {
        Int(clamping: node.metrics.counter("chancery_upkeep_failures_total", "").value)
    }

    @Test("keeps no other from going, nor those to come from being made, and is told of")
    func seen() async throws {
        try await StoreHarness.with { database, nodes in
            let owner = try await database.connect()
            defer { owner.close() }
            let (over, next) = try await Self.prepare(owner)
            try await owner.run("CREATE VIEW public.mine AS SELECT version FROM es.\(over)")
            let outcome = await Self.maintain(nodes[0], on: database.loop)
            #expect(outcome.partitions.contains(next))
            #expect(outcome.partitions.contains { $0.hasPrefix("events_t") })
            #expect(!outcome.partitions.contains { $0.contains(over) })
            #expect(outcome.failures.count == 1)
            let told = "partitions: not dropped: \(over): "
            #expect(outcome.failures.first?.hasPrefix(told) == true, "\(outcome.failures)")
            #expect(Self.failures(of: nodes[0]) == 1)
            try await owner.run("DROP VIEW public.mine")
            let later = await Self.maintain(nodes[0], on: database.loop)
            #expect(later.partitions == [over])
            #expect(later.failures.isEmpty)
        }
    }

    @Test("because it is being read is waited for briefly, and the others go with it later")
    func read() async throws {
        try await StoreHarness.with { database, nodes in
            let owner = try await database.connect()
            let reader = try await database.connect()
            defer {
                owner.close()
                reader.close()
            }
            let (over, next) = try await Self.prepare(owner)
            // As a backup does.
            try await reader.run("BEGIN; LOCK TABLE es.\(over) IN ACCESS SHARE MODE")
            let outcome = await Self.maintain(nodes[0], on: database.loop)
            #expect(outcome.partitions == [next])
            #expect(outcome.failures.count == 1)
            #expect(Self.failures(of: nodes[0]) == 1)
            try await reader.run("COMMIT")
            let later = await Self.maintain(nodes[0], on: database.loop)
            #expect(later.partitions.contains(over) && later.partitions.count > 1)
            #expect(later.failures.isEmpty)
        }
    }
}
