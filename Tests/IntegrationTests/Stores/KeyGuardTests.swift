import Domain
import Postgres
import Runtime
import TestSupport
import Testing

/// Whose keys `es.destroy_key` destroys, whoever asks (decision 0226).
@Suite("Keys that may be destroyed", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct KeyGuardTests {
    /// A key, and what the log has of whose it is.
    struct Case: Sendable {
        var name: String
        /// Of a user, or of a login link.
        var isUsers: Bool
        var ageDays: Int64 = 0
        /// The newest event of the user, who has an event in the link's stream, too.
        var newest: Int16?
        var isDestroyed = false
    }

    static let cases = [
        Case(name: "a user", isUsers: true, newest: 101),
        Case(name: "a disabled user", isUsers: true, newest: 104),
        Case(name: "an erased user", isUsers: true, newest: 106, isDestroyed: true),
        Case(name: "a user of years", isUsers: true, ageDays: 2_000, newest: 105),
        Case(name: "nobody yet", isUsers: true),
        Case(name: "a link of today", isUsers: false),
        Case(name: "a link of two days ago", isUsers: false, ageDays: 2, isDestroyed: true),
        Case(name: "a link that a user used", isUsers: false, newest: 105),
        Case(name: "a link of an erased user", isUsers: false, newest: 106, isDestroyed: true),
    ]

    private static let insert = """
        INSERT INTO es.events (stream_id, version, type, project, occurred_at, command_id,
                               subject_id, hash, payload, metadata)
        """
    private static let living = "SELECT count(*) FROM es.sealing_keys WHERE destroyed_at IS NULL"

    private static func id(_ number: Int, ofUser isUsers: Bool, ageDays: Int64 = 0) -> StreamID {
        let now = Instant(microseconds: WallTime.nowMicroseconds())
        let born = UInt64(now.adding(seconds: -ageDays * 86_400).milliseconds) << 16
        let high = isUsers ? 8 << 60 | born | 0x8001 : born | 0x7001
        return StreamID(high: high, low: 1 << 63 | UInt64(number))
    }

    private static func addKey(_ id: StreamID, _ owner: Connection) async throws {
        try await owner.run(
            """
            INSERT INTO es.sealing_keys (key_id, project, kek_version, wrapped, commitment)
            VALUES ('\(id)', 1, 1, sha256('x'), sha256('x'))
            """
        )
    }

    /// A stream of so many events, of a user from the second on; the newest is of this type.
    private static func addEvents(
        _ count: Int,
        to stream: StreamID,
        of user: StreamID,
        newest type: Int16,
        _ owner: Connection
    ) async throws {
        try await owner.run(
            """
            \(insert)
            SELECT uuid '\(stream)', n, CASE n WHEN \(count) THEN \(type) ELSE 101 END, 1, now(),
                   gen_random_uuid(), CASE WHEN n > 1 THEN uuid '\(user)' END, sha256('x'),
                   bytea '{}', bytea '{}'
              FROM generate_series(1, \(count)) AS n
            """
        )
    }

    /// What an issuer's login hears.
    private static func destroy(_ id: StreamID, _ login: Connection)
        async -> Result<Bool, PostgresError>
    {
        let call = "SELECT es.destroy_key('\(id)')::int::bigint"
        do throws(PostgresError) {
            return .success(try await login.query(.number(call), deadline: .soon) == [1])
        } catch { return .failure(error) }
    }

    @Test("go where the log has the reason, and once; all others are refused by name")
    func reasons() async throws {
        try await TestDatabase.with { database in
            let owner = try await database.connect()
            let login = try await database.connect(as: "token_issuer")
            defer { for connection in [owner, login] { connection.close() } }
            for (number, row) in Self.cases.enumerated() {
                let user = Self.id(number, ofUser: true, ageDays: row.ageDays)
                let key = Self.id(number, ofUser: row.isUsers, ageDays: row.ageDays)
                if let newest = row.newest {
                    try await Self.addEvents(2, to: user, of: user, newest: newest, owner)
                    if key != user {
                        try await Self.addEvents(3, to: key, of: user, newest: 309, owner)
                    }
                }
                try await Self.addKey(key, owner)
                switch await Self.destroy(key, login) {
                case .success(let isDestroyed): #expect(isDestroyed && row.isDestroyed, "\(row)")
                case .failure(let error):
                    #expect(error.state == SQLState("ES010") && !row.isDestroyed, "\(row)")
                    #expect("\(error)".contains("\(key)"), "\(error)")
                }
                let isLeft = "\(Self.living) AND key_id = '\(key)'"
                #expect(try await owner.count(isLeft) == (row.isDestroyed ? 0 : 1), "\(row)")
                guard row.isDestroyed else { continue }
                #expect(try await Self.destroy(key, login).get() == false, "\(row)")
            }
            let stranger = Self.id(99, ofUser: true)
            #expect(try await Self.destroy(stranger, login).get() == false)
        }
    }

    @Test("are all spared by one statement that names a key too many") func tooMany()
        async throws
    {
        try await TestDatabase.with { database in
            let owner = try await database.connect()
            let login = try await database.connect(as: "token_issuer")
            defer { for connection in [owner, login] { connection.close() } }
            for number in 0..<5 {
                let user = Self.id(number, ofUser: true)
                let newest: Int16 = number == 4 ? 101 : 106
                try await Self.addEvents(2, to: user, of: user, newest: newest, owner)
                try await Self.addKey(user, owner)
            }
            let all = "SELECT count(es.destroy_key(key_id)) FROM es.sealing_keys"
            let error = await #expect(throws: PostgresError.self) {
                try await login.query(.number(all), deadline: .soon)
            }
            #expect(error?.state == SQLState("ES010"))
            #expect(try await owner.count(Self.living) == 5)
        }
    }

    @Test("cost a few look-ups, however long the log and the user's stream are") func cost()
        async throws
    {
        try await TestDatabase.with { database in
            let owner = try await database.connect()
            let login = try await database.connect(as: "token_issuer")
            defer { for connection in [owner, login] { connection.close() } }
            let (user, link) = (Self.id(1, ofUser: true), Self.id(1, ofUser: false))
            try await Self.addEvents(5_000, to: user, of: user, newest: 106, owner)
            try await Self.addEvents(9, to: link, of: user, newest: 309, owner)
            let other = Self.id(2, ofUser: false)
            try await Self.addEvents(5_000, to: other, of: other, newest: 704, owner)
            for key in [user, link] { try await Self.addKey(key, owner) }
            try await owner.run("ANALYZE es.events")
            try await login.begin()
            for key in [user, link] { #expect(try await Self.destroy(key, login).get()) }
            let rows = """
                SELECT sum(seq_tup_read + idx_tup_fetch)::bigint FROM pg_stat_xact_all_tables
                 WHERE schemaname = 'es' AND relname LIKE 'events%'
                """
            #expect(try await login.count(rows) < 20)
            try await login.commit()
        }
    }
}
