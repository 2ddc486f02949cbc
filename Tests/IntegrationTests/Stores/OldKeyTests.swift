import Domain
import Issuing
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

/// What is left of the keys of login links and hints (decision 0177: class T).
@Suite("Keys of what is long over", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct OldKeyTests {
    private static func id(_ days: Int64, ofUser isUsers: Bool = false) -> StreamID {
        let now = Instant(microseconds: WallTime.nowMicroseconds())
        let born = UInt64(now.adding(seconds: -days * 86_400).milliseconds) << 16
        return StreamID(high: isUsers ? 8 << 60 | born | 0x8001 : born | 0x7001, low: 1 << 63)
    }

    private static func maintain(_ node: StoreHarness, on loop: Loop) async throws {
        let clock = ServerClock(node.database, on: loop, log: .discarding) {
            Instant(microseconds: WallTime.nowMicroseconds())
        }
        let outcome = await PostgresMaintenance(node.database, by: clock, Metrics())
            .run(by: .soon)
        #expect(outcome.failures.isEmpty, "\(outcome.failures)")
    }

    @Test("the key of a login link leaves no row behind once its events are gone; a user's does")
    func rows() async throws {
        try await StoreHarness.with { database, nodes in
            let store = PostgresSealingKeyStore(nodes[0].database)
            let (gone, kept) = (Self.id(792), Self.id(790))
            let (user, erased) = (Self.id(2_000, ofUser: true), Self.id(2_001, ofUser: true))
            for id in [gone, kept, user, erased] {
                _ = try await store.insert(.sample(id, in: nodes[0].project), by: .soon)
            }
            try await database.destroyKey(erased)
            try await Self.maintain(nodes[0], on: database.loop)
            #expect(try await store.find(gone, by: .soon) == nil)
            #expect(try #require(try await store.find(kept, by: .soon)).wrapped == nil)
            #expect(try #require(try await store.find(user, by: .soon)).wrapped != nil)
            #expect(try #require(try await store.find(erased, by: .soon)).wrapped == nil)
        }
    }

    @Test("a flood of them goes in one pass, a thousand at a time") func flood() async throws {
        try await StoreHarness.with { database, nodes in
            let owner = try await database.connect()
            defer { owner.close() }
            let script = """
                INSERT INTO es.sealing_keys (key_id, project, kek_version, wrapped, commitment,
                                             destroyed_at)
                SELECT (left(es.uuid7_floor(now() - interval '800 days')::text, 15)
                        || '000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 1, 1, NULL, sha256('x'),
                       now()
                  FROM generate_series(1, 2500) AS n
                """
            try await owner.run(script: Array(script.utf8), deadline: .soon)
            try await Self.maintain(nodes[0], on: database.loop)
            #expect(try await owner.count("SELECT count(*) FROM es.sealing_keys") == 0)
        }
    }

    @Test("whoever has an issuer's login takes away no record of a younger key, or of a user's")
    func stolenLogin() async throws {
        try await StoreHarness.with { database, nodes in
            let owner = try await database.connect()
            defer { owner.close() }
            let store = PostgresSealingKeyStore(nodes[0].database)
            for (id, isDestroyed) in [
                (Self.id(790), true), (Self.id(800), false), (Self.id(2_000, ofUser: true), true),
            ] {
                _ = try await store.insert(.sample(id, in: nodes[0].project), by: .soon)
                if isDestroyed { try await database.destroyKey(id) }
            }
            try await owner.run(script: Array("SET ROLE token_issuer".utf8), deadline: .soon)
            let forgotten = "SELECT count(*) FROM es.sealing_keys WHERE es.forget_key(key_id)"
            #expect(try await owner.count(forgotten) == 0)
            #expect(try await owner.count("SELECT count(*) FROM es.sealing_keys") == 3)
        }
    }
}
