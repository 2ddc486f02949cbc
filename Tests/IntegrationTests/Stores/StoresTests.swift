import Domain
import Issuing
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

@Suite("The issuer's tables", .timeLimit(.minutes(3)), .keepsClusterOnFailure) struct StoresTests {
    @Test("a mail is leased by one sender at a time, and due again when put off")
    func mailQueue() async throws {
        try await StoreHarness.with { database, nodes in
            let node = nodes[0]
            let mailQueue = PostgresMailQueue(node.database)
            let links = [node.newStream(), node.newStream()]
            for link in links + links {
                try await mailQueue.enqueue(
                    .loginLink(link, generation: 1),
                    project: node.project,
                    by: .soon
                )
            }
            let first = try await mailQueue.lease(limit: 1, by: .soon)
            let rest = try await mailQueue.lease(limit: 10, by: .soon)
            #expect(first.count == 1 && rest.count == 1)
            let occasions = links.map { MailOccasion.loginLink($0, generation: 1) }
            #expect(Set((first + rest).map(\.occasion)) == Set(occasions))
            #expect((first + rest).allSatisfy { $0.attempts == 0 })
            #expect(try await mailQueue.lease(limit: 10, by: .soon).isEmpty)
            try await mailQueue.postpone(first[0], seconds: 0, afterAttempt: true, by: .soon)
            try await mailQueue.remove(rest[0], afterSending: false, by: .soon)
            let again = try await mailQueue.lease(limit: 10, by: .soon)
            #expect(again.map(\.occasion) == [first[0].occasion])
            #expect(again.map(\.attempts) == [1])
            try await mailQueue.postpone(again[0], seconds: 0, afterAttempt: false, by: .soon)
            let uncounted = try await mailQueue.lease(limit: 10, by: .soon)
            #expect(uncounted.map(\.attempts) == [1])
            try await mailQueue.postpone(uncounted[0], seconds: 60, afterAttempt: true, by: .soon)
            #expect(try await mailQueue.lease(limit: 10, by: .soon).isEmpty)
        }
    }

    @Test("a key's mail, and that of an address that gets none, are queued like any other")
    func occasions() async throws {
        try await StoreHarness.with { _, nodes in
            let node = nodes[0]
            let mailQueue = PostgresMailQueue(node.database)
            let occasions: [MailOccasion] = [
                .biometricKey(node.newStream(), mail: node.newStream()),
                .loginLink(node.newStream(), generation: 0),
            ]
            for occasion in occasions + occasions {
                try await mailQueue.enqueue(occasion, project: node.project, by: .soon)
            }
            let due = try await mailQueue.lease(limit: 10, by: .soon)
            #expect(due.count == 2 && Set(due.map(\.occasion)) == Set(occasions))
            try await mailQueue.release(due, by: .soon)
            let again = try await mailQueue.lease(limit: 10, by: .soon)
            #expect(Set(again.map(\.occasion)) == Set(occasions))
            for mail in again {
                try await mailQueue.postpone(mail, seconds: 0, afterAttempt: true, by: .soon)
            }
            let last = try await mailQueue.lease(limit: 10, by: .soon)
            #expect(last.map(\.attempts) == [1, 1])
            for mail in last {
                try await mailQueue.remove(mail, afterSending: true, by: .soon)
            }
            #expect(try await mailQueue.lease(limit: 10, by: .soon).isEmpty)
        }
    }

    @Test("a lease is given back for all at once, but not one that is another's by now")
    func releasedMails() async throws {
        try await StoreHarness.with(nodes: 2) { _, nodes in
            let (ending, other) = (
                PostgresMailQueue(nodes[0].database), PostgresMailQueue(nodes[1].database)
            )
            let project = nodes[0].project
            for link in [nodes[0].newStream(), nodes[0].newStream()] {
                try await ending.enqueue(
                    .loginLink(link, generation: 1),
                    project: project,
                    by: .soon
                )
            }
            let held = try await ending.lease(limit: 10, by: .soon)
            #expect(held.count == 2)
            #expect(try await other.lease(limit: 10, by: .soon).isEmpty)
            try await ending.release(held, by: .soon)
            let taken = try await other.lease(limit: 10, by: .soon)
            #expect(Set(taken.map(\.occasion)) == Set(held.map(\.occasion)))
            #expect(taken.allSatisfy { $0.attempts == 0 })
            // As one that gives back what was leased to another when its own lease was over.
            try await ending.release(held, by: .soon)
            #expect(try await ending.lease(limit: 10, by: .soon).isEmpty)
        }
    }

    @Test("windows count exactly over nodes; over the limit nothing is counted")
    func windows() async throws {
        try await StoreHarness.with(nodes: 2) { _, nodes in
            let key = try #require(TokenDigest(bytes: Array(repeating: 9, count: 32)))
            let minute = WindowUse(key: key, windowSeconds: 60, maximum: 10)
            let hour = WindowUse(key: key, windowSeconds: 3600, maximum: 7)
            let midnight = Instant(seconds: 1_795_132_800)
            let taken = try await withThrowingTaskGroup(of: Bool.self) { group in
                for attempt in 0..<20 {
                    group.addTask {
                        let windows = PostgresRateWindows(nodes[attempt % 2].database)
                        return try await windows.take([minute, hour], at: midnight, by: .soon)
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(taken == 7)
            let windows = PostgresRateWindows(nodes[0].database)
            // The refused ones have counted nowhere: three are left in the minute.
            for expected in [true, true, true, false] {
                #expect(try await windows.take([minute], at: midnight, by: .soon) == expected)
            }
            #expect(try await !windows.haveRoom([minute], at: midnight, by: .soon))
            let later = midnight.adding(seconds: 60)
            #expect(try await windows.haveRoom([minute], at: later, by: .soon))
            #expect(try await !windows.haveRoom([minute, hour], at: later, by: .soon))
            #expect(try await !windows.hasCounted(minute, at: later, by: .soon))
            #expect(try await windows.take([minute], at: later, by: .soon))
            #expect(try await windows.hasCounted(minute, at: later, by: .soon))
            #expect(try await !windows.hasCounted(hour, at: later.adding(seconds: 3600), by: .soon))
        }
    }

    @Test("contexts are written without anybody waiting, text cleaned")
    func contexts() async throws {
        try await StoreHarness.with { database, nodes in
            let node = nodes[0]
            let contexts = PostgresContextLog(node.database, node.metrics, log: .discarding)
            for network in ["203.0.113.0/24", "2001:db8::/48", ""] {
                contexts.record(
                    RequestContext(
                        command: node.newCommand(),
                        project: node.project,
                        subject: SubjectID(node.newStream()),
                        at: .sample,
                        network: network,
                        userAgent: "Zoë\u{0}" + String(repeating: "x", count: 1000)
                    )
                )
            }
            let connection = try await database.connect()
            let limit = MonotonicInstant.soon
            var found: [String] = []
            while found.count < 3, .now() < limit {
                try await database.loop.sleep(until: .after(.milliseconds(20)))
                let rows = """
                    SELECT coalesce(ip_net::text, '-') || ' ' || left(user_agent, 3)
                      FROM es.contexts ORDER BY ip_net
                    """
                found = try await connection.query(.texts(rows), deadline: .soon)
            }
            #expect(found == ["203.0.113.0/24 Zox", "2001:db8::/48 Zox", "- Zox"])
        }
    }

    @Test("the first sealing key of an id stays; destroyed it is gone and remembered")
    func sealingKeys() async throws {
        try await StoreHarness.with(nodes: 2) { database, nodes in
            let id = nodes[0].newStream()
            func key(_ byte: UInt8) -> WrappedSealingKey {
                .sample(id, in: nodes[0].project, byte: byte)
            }
            let stores = nodes.map { PostgresSealingKeyStore($0.database) }
            #expect(try await stores[0].find(id, by: .soon) == nil)
            async let first = stores[0].insert(key(1), by: .soon)
            async let second = stores[1].insert(key(2), by: .soon)
            let kept = try await [first, second]
            #expect(kept[0] == kept[1])
            try await database.destroyKey(id)
            let gone = try #require(try await stores[0].find(id, by: .soon))
            #expect(gone.wrapped == nil && gone.commitment == kept[0].commitment)
            #expect(try await stores[0].insert(key(3), by: .soon) == gone)
        }
    }

    /// One pass of a node whose clock is behind the database's.
    private static func maintain(
        _ node: StoreHarness,
        on loop: Loop,
        behind seconds: Int64 = 0
    ) async -> PostgresMaintenance.Outcome {
        let clock = ServerClock(node.database, on: loop, log: .discarding) {
            Instant(microseconds: WallTime.nowMicroseconds()).adding(seconds: -seconds)
        }
        return await PostgresMaintenance(node.database, by: clock, node.metrics).run(by: .soon)
    }

    @Test("maintenance does nothing while the clock that tells what is old may be wrong")
    func maintenanceByWrongClock() async throws {
        try await StoreHarness.with { database, nodes in
            let owner = try await database.connect()
            defer { owner.close() }
            let old = """
                SET ROLE chancery_owner;
                SELECT es.ensure_partitions(now() - interval '3 years');
                INSERT INTO es.contexts (command_id, project, at)
                VALUES (gen_random_uuid(), 1, now() - interval '91 days');
                """
            try await owner.run(script: Array(old.utf8), deadline: .soon)
            let behind = await Self.maintain(nodes[0], on: database.loop, behind: 40_000_000)
            #expect(behind.partitions.isEmpty)
            #expect(behind.failures.count == 1)
            #expect(behind.failures.first?.hasPrefix("clock: ") == true)
            let contexts = "SELECT count(*) FROM es.contexts"
            #expect(try await owner.query(.number(contexts), deadline: .soon) == [1])
            let right = await Self.maintain(nodes[0], on: database.loop)
            #expect(!right.partitions.isEmpty && right.failures.isEmpty)
            #expect(try await owner.query(.number(contexts), deadline: .soon) == [0])
        }
    }

    @Test("maintenance runs as the issuer and finds nothing to do on the first day")
    func maintenance() async throws {
        try await StoreHarness.with { database, nodes in
            let outcome = await Self.maintain(nodes[0], on: database.loop)
            #expect(outcome.partitions.isEmpty)
            #expect(outcome.failures.isEmpty)
        }
    }

    @Test("a part of maintenance that fails keeps none of the others from its turn; all goes")
    func partsOfMaintenance() async throws {
        try await StoreHarness.with { database, nodes in
            let owner = try await database.connect()
            defer { owner.close() }
            let script = """
                INSERT INTO es.contexts (command_id, project, at)
                SELECT gen_random_uuid(), 1, now() - n * interval '1 day'
                  FROM generate_series(1, 100) AS n, generate_series(1, 250);
                INSERT INTO es.snapshots (stream_id, version, hash, format, state, mac)
                SELECT (left(es.uuid7_floor(now() - days * interval '1 day')::text, 15)
                        || '000-8000-' || lpad(to_hex(days), 12, '0'))::uuid, 1, sha256('x'), 1,
                       '', sha256('y')
                  FROM unnest('{790, 792}'::int[]) AS days;
                REVOKE SELECT ON limits.windows FROM token_issuer;
                """
            try await owner.run(script: Array(script.utf8), deadline: .soon)
            let outcome = await Self.maintain(nodes[0], on: database.loop)
            #expect(outcome.failures.count == 1)
            #expect(outcome.failures.first?.hasPrefix("windows") == true)
            let failures = nodes[0].metrics.counter("chancery_upkeep_failures_total", "")
            #expect(failures.value == 1)
            let counts = try await owner.query(
                .texts(
                    """
                    SELECT count(*) FILTER (WHERE at < now() - interval '90 days') || ' of '
                           || count(*) || ' ' || (SELECT count(*) FROM es.snapshots)
                      FROM es.contexts
                    """
                ),
                deadline: .soon
            )
            #expect(counts == ["0 of 22250 1"], "\(counts)")
        }
    }

    @Test("the key of a login link is destroyed after a day of the database's; a subject's stays")
    func passingKeys() async throws {
        try await StoreHarness.with { database, nodes in
            let store = PostgresSealingKeyStore(nodes[0].database)
            let now = Instant(microseconds: WallTime.nowMicroseconds())
            let old = UInt64(now.adding(seconds: -90_000).milliseconds)
            let link = StreamID(high: old << 16 | 0x7001, low: 1 << 63)
            // Nobody ran for a month, or a backup was restored.
            let older = UInt64(now.adding(seconds: -40 * 86_400).milliseconds)
            let missed = StreamID(high: older << 16 | 0x7001, low: 1 << 63)
            let young = StreamID(high: UInt64(now.milliseconds) << 16 | 0x7001, low: 1 << 63)
            let subject = StreamID(high: 8 << 60 | old << 16 | 0x8001, low: 1 << 63)
            for id in [link, missed, young, subject] {
                _ = try await store.insert(.sample(id, in: nodes[0].project), by: .soon)
            }
            _ = await Self.maintain(nodes[0], on: database.loop)
            for old in [link, missed] {
                let key = try #require(try await store.find(old, by: .soon))
                #expect(key.wrapped == nil)
            }
            #expect(try await store.find(young, by: .soon)?.wrapped != nil)
            #expect(try await store.find(subject, by: .soon)?.wrapped != nil)
        }
    }
}
