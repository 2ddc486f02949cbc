import Domain
import Issuing
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

/// Erasures that left the user's key behind, as upkeep and `chancery doctor` find them (decision
/// 0227).
@Suite("Erasures that stopped half-way", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct UnfinishedErasureTests {
    /// A user whose stream ends with such an event, recorded so long ago.
    private struct User {
        var newest = 106
        var ageMinutes = 10
        var hasKey = true
    }

    private static func id(_ number: Int) -> StreamID {
        let born = UInt64(WallTime.nowMicroseconds() / 1000) << 16
        return StreamID(high: 8 << 60 | born | 0x8001, low: 1 << 63 | UInt64(number))
    }

    /// Puts users into the log, and their keys beside it; answers who they are.
    private static func add(_ users: [User], _ owner: Connection) async throws -> [StreamID] {
        let ids = users.indices.map(id)
        for (user, id) in zip(users, ids) {
            let wrapped = user.hasKey ? "sha256('x'), NULL" : "NULL, now()"
            try await owner.run(
                """
                INSERT INTO es.events (stream_id, version, type, project, occurred_at, recorded_at,
                                       command_id, subject_id, hash, payload, metadata)
                VALUES ('\(id)', 1, \(user.newest), 1, now(),
                        now() - interval '\(user.ageMinutes) minutes', '\(id)', '\(id)',
                        sha256('x'), '{}', '{}');
                INSERT INTO es.sealing_keys (key_id, project, kek_version, commitment, wrapped,
                                             destroyed_at)
                VALUES ('\(id)', 1, 1, sha256('x'), \(wrapped))
                """
            )
        }
        return ids
    }

    private static func maintain(_ node: StoreHarness, on loop: Loop) async throws -> [StreamID] {
        let clock = ServerClock(node.database, on: loop, log: .discarding) {
            Instant(microseconds: WallTime.nowMicroseconds())
        }
        let outcome = await PostgresMaintenance(node.database, by: clock, Metrics())
            .run(by: .soon)
        #expect(outcome.failures.isEmpty, "\(outcome.failures)")
        return outcome.unfinishedErasures
    }

    @Test("are found from five minutes on, until the key is gone") func found() async throws {
        try await StoreHarness.with { database, nodes in
            let owner = try await database.connect()
            defer { owner.close() }
            let users = try await Self.add(
                [
                    User(), User(hasKey: false), User(ageMinutes: 2), User(newest: 104),
                    User(ageMinutes: 60), User(ageMinutes: 50 * 1_440),
                ],
                owner
            )
            let server = try await ServerInspection(
                database.settings(as: "migrator"),
                on: database.loop
            )
            defer { server.close() }
            #expect(try await server.unfinishedErasures() == [users[5], users[4], users[0]])
            // What is older than any backup of keys is the doctor's alone: it looks less often.
            let due = try await Self.maintain(nodes[0], on: database.loop)
            #expect(due == [users[4], users[0]])
            for user in due {
                let data = PostgresPersonalData(nodes[0].database)
                try await data.destroy(of: SubjectID(user), by: .soon)
            }
            #expect(try await Self.maintain(nodes[0], on: database.loop).isEmpty)
            #expect(try await server.unfinishedErasures() == [users[5]])
        }
    }

    @Test("are not asked for as another role where no role would see them") func unseen()
        async throws
    {
        try await TestDatabase.with { database in
            let owner = try await database.connect()
            defer { owner.close() }
            let role = "doctor_\(database.name)"
            let question = "FUNCTION chancery.unfinished_erasures"
            try await owner.run(
                """
                CREATE ROLE \(role) LOGIN;
                GRANT log_reader TO \(role);
                REVOKE EXECUTE ON \(question) FROM PUBLIC, log_reader
                """
            )
            let unseen = "whether the keys of all erased users are destroyed: PostgreSQL"
            let remedy = "Name migrator by --user, or a role that inherits log_reader."
            let refused = try await HorizonTests.doctor(of: database, as: role)
            #expect(refused.contains(unseen) && refused.contains(remedy), "\(refused)")
            try await owner.run("DROP \(question)")
            let missing = try await HorizonTests.doctor(of: database, as: role)
            #expect(missing.contains(unseen) && !missing.contains(remedy), "\(missing)")
        }
    }

    @Test("are looked for among those of the time asked for alone, and by index") func cost()
        async throws
    {
        try await TestDatabase.with { database in
            let owner = try await database.connect()
            let login = try await database.connect(as: "token_issuer")
            defer { for connection in [owner, login] { connection.close() } }
            let users = try await Self.add([User()], owner)
            try await owner.run(
                """
                INSERT INTO es.events (stream_id, version, type, project, occurred_at, recorded_at,
                                       command_id, hash, payload, metadata)
                SELECT ('80000000-0000-8000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 1, 106, 1,
                       now(), now() - interval '60 days', gen_random_uuid(), sha256('x'),
                       bytea '{}', bytea '{}'
                  FROM generate_series(1, 5000) AS n;
                ANALYZE es.events
                """
            )
            try await login.begin()
            let since = "now() - interval '40 days'"
            let found = "SELECT count(*) FROM chancery.unfinished_erasures(\(since))"
            #expect(try await login.count(found) == Int64(users.count))
            let rows = """
                SELECT sum(seq_tup_read + idx_tup_fetch)::bigint FROM pg_stat_xact_all_tables
                 WHERE schemaname = 'es'
                """
            #expect(try await login.count(rows) < 20)
            try await login.commit()
        }
    }

    @Test("are a fault that chancery doctor names, and says what to do about") func doctor()
        async throws
    {
        try await TestDatabase.with { database in
            let owner = try await database.connect()
            defer { owner.close() }
            let whole = try await HorizonTests.doctor(of: database, as: "migrator")
            #expect(whole.contains("the key of every erased user is destroyed"), "\(whole)")
            let users = try await Self.add([User(), User(hasKey: false)], owner)
            let log = try await HorizonTests.doctor(of: database, as: "migrator")
            let named = "so that they can be read: 1; the first: \(users[0])"
            #expect(log.contains(named), "\(log)")
            #expect(log.contains("Repeat each erasure: chancery subjects erase"), "\(log)")
        }
    }
}
