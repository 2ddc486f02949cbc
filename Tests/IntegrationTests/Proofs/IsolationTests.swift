import Domain
import Issuing
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

/// What locks and then looks, where another isolation than READ COMMITTED is the default.
@Suite("Another isolation", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct IsolationTests {
    /// Whose default it is; `$d` is the database.
    static let defaults = [
        "ALTER DATABASE $d SET default_transaction_isolation = 'repeatable read'",
        "ALTER DATABASE $d SET default_transaction_isolation = 'serializable'",
        """
        ALTER ROLE token_issuer IN DATABASE $d
          SET default_transaction_isolation = 'repeatable read'
        """,
    ]

    private static func give(_ order: String, in database: TestDatabase) async throws {
        let owner = try await database.connect()
        defer { owner.close() }
        try await owner.run(order.replacing("$d", with: database.name))
    }

    /// An issuer's connection that asks for nothing, as behind a pooler that leaves options out.
    private static func bare(in database: TestDatabase) -> ConnectionSettings {
        var settings = database.settings(as: "token_issuer")
        settings.options = []
        return settings
    }

    @Test("lets no guard hold that waited for the end of its session", arguments: defaults)
    func guardBehindLock(_ order: String) async throws {
        try await TestDatabase.with { database in
            try await Self.give(order, in: database)
            let revoker = try await database.connect(as: "token_issuer")
            let granter = try await Connection.connect(
                Self.bare(in: database),
                on: database.loop,
                deadline: .soon
            )
            defer {
                revoker.close()
                granter.close()
            }
            var ids = IDSource()
            let session = ids.next()
            #expect(try await revoker.append(.opening([session])).isEmpty)
            try await revoker.begin()
            #expect(try await revoker.append(.next(of: session, after: 1)).isEmpty)
            var grant = RawAppend.opening([ids.next()])
            grant.guards = [RawAppend.Guard(command: 0, stream: session, version: 1)]
            let isOver = Guarded(false)
            async let refusal = Self.refusal(of: grant, on: granter, isOver)
            // It waits for the lock by then, unless it has been refused.
            let limit = MonotonicInstant.after(.milliseconds(200))
            while !isOver.current, .now() < limit {
                try await database.loop.sleep(until: .after(.milliseconds(5)))
            }
            try await revoker.commit()
            #expect(await refusal == SQLState("ES011"))
            #expect(try await revoker.count("SELECT count(*) FROM es.events") == 2)
        }
    }

    /// Why an append was refused as a whole; nil: it was taken.
    private static func refusal(
        of call: RawAppend,
        on connection: Connection,
        _ isOver: Guarded<Bool>
    ) async -> SQLState? {
        defer { isOver.replace(with: true) }
        do throws(PostgresError) {
            _ = try await connection.append(call)
            return nil
        } catch { return error.state }
    }

    @Test("is none of our own connections, which ask for theirs", arguments: defaults)
    func ours(_ order: String) async throws {
        try await TestDatabase.with { database in
            try await Self.give(order, in: database)
            let connection = try await database.connect(as: "token_issuer")
            defer { connection.close() }
            let level = "SELECT current_setting('transaction_isolation')"
            #expect(try await connection.text(level) == "read committed")
            let node = try StoreHarness(database)
            defer { node.stop() }
            try await node.untilReady()
            #expect(try await node.register().version == 1)
        }
    }

    @Test("puts no read model in place of one that it saw before it waited") func rebuilt()
        async throws
    {
        try await TestDatabase.with { database in
            let owner = try await database.connect()
            defer { owner.close() }
            try await owner.run("BEGIN ISOLATION LEVEL REPEATABLE READ")
            let error = await #expect(throws: PostgresError.self) {
                try await owner.run(
                    "SELECT chancery.finish_rebuild(1, 't', 'c', '{}', '{}', false)"
                )
            }
            #expect(error?.state == SQLState("ES011"))
        }
    }

    @Test("ends a start whose connections are given it, and no other") func start() async throws {
        try await TestDatabase.with { database in
            try await Self.give(Self.defaults[0], in: database)
            let rows: [(ConnectionSettings, [String])] = [
                (Self.bare(in: database), ["default_transaction_isolation is repeatable read"]),
                (database.settings(as: "token_issuer"), []),
            ]
            for (settings, sentences) in rows {
                let server = try await ServerInspection(settings, on: database.loop)
                defer { server.close() }
                let refusals = try await server.startRefusals(
                    of: "token_issuer",
                    for: .issuing,
                    isSingleNode: true
                )
                #expect(refusals.map(\.sentence) == sentences)
            }
        }
    }
}
