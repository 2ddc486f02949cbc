import Postgres
import Runtime
import TestSupport
import Testing

@Suite("A connection", .timeLimit(.minutes(3)), .keepsClusterOnFailure) struct ConnectionTests {
    private static let echo = Array(
        "SELECT $1::uuid, $2::int2, $3::int4, $4::int8, $5::bytea, $6::text, $7::timestamptz".utf8
    )
    private static let slow = Array("SELECT pg_sleep(0.3)".utf8)

    @Test("carries every type both ways, in binary") func types() async throws {
        try await TestDatabase.with(migrated: false) { database in
            let connection = try await database.connect()
            let statement = Statement(
                Self.echo,
                [
                    .uuid((0x0102_0304_0506_0708, 0xF1F2_F3F4_F5F6_F7F8)), .int2(-2), .int4(-3),
                    .int8(.min), .bytes([0, 255, 7]), .text("Zoë"),
                    .timestamp(1_795_232_854_473_123),
                ]
            ) { row throws(PostgresError) in
                let uuid = try row.uuid(0)
                return [
                    "\(String(uuid.0, radix: 16)) \(String(uuid.1, radix: 16))",
                    "\(try row.int2(1)) \(try row.int4(2)) \(try row.int8(3))",
                    "\(try row.bytes(4)) \(try row.text(5)) \(try row.timestamp(6))",
                ]
            }
            let rows = try await connection.query(statement, deadline: .soon)
            #expect(
                rows == [
                    [
                        "102030405060708 f1f2f3f4f5f6f7f8", "-2 -3 \(Int64.min)",
                        "[0, 255, 7] Zoë 1795232854473123",
                    ]
                ]
            )
        }
    }

    @Test("carries arrays, empty ones and NULLs too") func arrays() async throws {
        try await TestDatabase.with(migrated: false) { database in
            let connection = try await database.connect()
            let text = """
                SELECT format('%s %s %s %s %s', $1::int4[], $2::uuid[], $3::bytea[], $4::text[],
                              extract(epoch FROM ($5::timestamptz[])[1]))
                """
            let statement = Statement(
                once: text,
                [
                    .int4s([1, -2]), .optionalUUIDs([nil, (1, 2)]), .byteStrings([[], [1]]),
                    .texts([]), .timestamps([1_000_000]),
                ]
            ) { row throws(PostgresError) in try row.text(0) }
            let rows = try await connection.query(statement, deadline: .soon)
            #expect(
                rows == [
                    "{1,-2} {NULL,00000000-0000-0001-0000-000000000002} "
                        + #"{"\\x","\\x01"} {} 1.000000"#
                ]
            )
        }
    }

    @Test("a column that is null or of another width is an error, not a crash")
    func mismatch() async throws {
        try await TestDatabase.with(migrated: false) { database in
            let connection = try await database.connect()
            for sql in ["SELECT NULL::int8", "SELECT 1::int4", "SELECT"] {
                await #expect(throws: PostgresError.unexpectedRow(column: 0), "\(sql)") {
                    try await connection.query(.number(sql), deadline: .soon)
                }
            }
        }
    }

    @Test("a failing look-up of a turn does not fail the others")
    func sharedTransaction() async throws {
        try await TestDatabase.with(migrated: false) { database in
            let connection = try await database.connect()
            async let first = connection.query(.number("SELECT 1::int8"), deadline: .soon)
            async let second = connection.query(.number("SELECT 1::int8 / 0"), deadline: .soon)
            async let third = connection.query(.number("SELECT 3::int8"), deadline: .soon)
            let answers = try await [first, third]
            #expect(answers == [[1], [3]])
            do {
                _ = try await second
                Issue.record("a division by zero has an answer")
            } catch {
                #expect((error as? PostgresError)?.state == SQLState("22012"))
            }
        }
    }

    @Test("look-ups of one turn share a transaction, writes do not")
    func units() async throws {
        try await TestDatabase.with(migrated: false) { database in
            let connection = try await database.connect()
            let xid = "SELECT pg_current_xact_id()::text::int8"
            async let a = connection.query(.number(xid), deadline: .soon)
            async let b = connection.query(.number(xid), deadline: .soon)
            async let c = connection.execute(.number(xid), deadline: .soon)
            async let d = connection.execute(.number(xid), deadline: .soon)
            let answers = try await [a, b, c, d].map { $0[0] }
            #expect(answers[0] == answers[1])
            #expect(Set(answers).count == 3)
        }
    }

    @Test("a transaction is all or nothing") func transaction() async throws {
        try await TestDatabase.with(migrated: false) { database in
            let connection = try await database.connect()
            try await connection.run(
                script: Array("CREATE TABLE t (n int PRIMARY KEY)".utf8),
                deadline: .soon
            )
            let insert = Array("INSERT INTO t SELECT unnest($1::int4[])".utf8)
            let counts = try await connection.transaction(
                [Statement(insert, [.int4s([1, 2])]), Statement(insert, [.int4s([3])])],
                deadline: .soon
            )
            #expect(counts == [2, 1])
            let failure = await #expect(throws: PostgresError.self) {
                try await connection.transaction(
                    [Statement(insert, [.int4s([4])]), Statement(insert, [.int4s([1])])],
                    deadline: .soon
                )
            }
            #expect(failure?.state == SQLState("23505"))
            #expect(
                try await connection.query(.number("SELECT count(*) FROM t"), deadline: .soon)
                    == [3]
            )
        }
    }

    @Test("what waits at its deadline hears so; the connection goes on")
    func deadline() async throws {
        try await TestDatabase.with(migrated: false) { database in
            let connection = try await database.connect()
            await #expect(throws: PostgresError.deadlineExceeded(sent: true)) {
                try await connection.query(
                    Statement<Void>(Self.slow),
                    deadline: .after(.milliseconds(50))
                )
            }
            #expect(try await connection.query(.number("SELECT 1::int8"), deadline: .soon) == [1])
        }
    }

    @Test("a lost connection leaves a write's outcome unknown") func loss() async throws {
        try await TestDatabase.with(migrated: false) { database in
            let connection = try await database.connect()
            let other = try await database.connect()
            let process = connection.serverProcess
            async let write: [Void] = connection.execute(
                Statement<Void>(once: "SELECT pg_sleep(60)"),
                deadline: .soon
            )
            let sleeps = """
                SELECT count(*) FROM pg_stat_activity
                 WHERE pid = \(process) AND wait_event = 'PgSleep'
                """
            while try await other.query(.number(sleeps), deadline: .soon) != [1] {
                try await database.loop.sleep(until: .after(.milliseconds(10)))
            }
            let end = "SELECT pg_terminate_backend(\(process))::int::int8"
            #expect(try await other.query(.number(end), deadline: .soon) == [1])
            do {
                _ = try await write
                Issue.record("the write has an answer")
            } catch {
                let failure = error as? PostgresError
                #expect(failure == .connectionLost)
                #expect(failure?.isOutcomeUnknown == true)
            }
            #expect(!connection.isOpen)
            await #expect(throws: PostgresError.notConnected) {
                try await connection.query(.number("SELECT 1::int8"), deadline: .soon)
            }
        }
    }

    @Test("the 65th statement that waits is refused") func bound() async throws {
        try await TestDatabase.with(migrated: false) { database in
            let connection = try await database.connect()
            let refused = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<65 {
                    group.addTask {
                        do {
                            _ = try await connection.query(
                                .number("SELECT 1::int8 FROM pg_sleep(0.01)"),
                                deadline: .soon
                            )
                            return false
                        } catch { return error as? PostgresError == .overloaded }
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(refused == 1)
        }
    }

    @Test("a name is looked up beside the loop; without somebody to ask it is refused")
    func names() async throws {
        let loop = try Loop.running()
        defer { loop.end() }
        let resolution = NameResolution(on: BlockingExecutor())
        let addresses = try await resolution.addresses(of: "localhost")
        #expect(!addresses.isEmpty && Set(addresses).count == addresses.count)
        #expect(Set(addresses).isSubset(of: ["127.0.0.1", "::1"]))
        await #expect(throws: PostgresError.self) {
            _ = try await resolution.addresses(of: "no.such.host.invalid")
        }
        let error = await #expect(throws: PostgresError.self) {
            try await loop.answer {
                var settings = ConnectionSettings(
                    host: "db.test",
                    database: "x",
                    user: "x",
                    applicationName: "x"
                )
                settings.port = 1
                _ = try await Connection.connect(settings, on: loop, deadline: .soon)
            }
        }
        #expect(error == .cannotConnect("db.test has no numeric address"))
    }

    @Test("a keeper connects again, and tells who listens") func keeper() async throws {
        try await TestDatabase.with(migrated: false) { database in
            let heard = Guarded(0)
            let keeper = ConnectionKeeper(database.settings(), on: database.loop) {
                connection throws(PostgresError) in
                connection.onNotification = { _ in heard.withLock { $0 += 1 } }
                _ = try await connection.execute(
                    Statement<Void>(once: "LISTEN es"),
                    deadline: .soon
                )
            }
            keeper.start()
            let other = try await database.connect()
            let first = try await keeper.ready().serverProcess
            let end = "SELECT pg_terminate_backend(\(first))::int::int8"
            _ = try await other.query(.number(end), deadline: .soon)
            // Once the loss was seen, which may take a moment.
            while try await keeper.ready().serverProcess == first {
                try await database.loop.sleep(until: .after(.milliseconds(10)))
            }
            let notify = Statement<Void>(once: "SELECT pg_notify('es', '')")
            _ = try await other.execute(notify, deadline: .soon)
            _ = try await keeper.query(.number("SELECT 1::int8"), deadline: .soon)
            #expect(heard.current == 1)
            keeper.stop()
            await #expect(throws: PostgresError.notConnected) {
                try await keeper.connection(by: .soon)
            }
        }
    }
}
