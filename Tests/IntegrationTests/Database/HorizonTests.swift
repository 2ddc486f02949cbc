import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

/// Who holds back what the server publishes and forgets, as `chancery doctor` says it.
@Suite("The horizon", .timeLimit(.minutes(3)), .keepsClusterOnFailure) struct HorizonTests {
    static let rows: [(isWriter: Bool, seconds: Int64?, transactions: Int64, isHindrance: Bool)] = [
        (true, 5, 1, false), (true, 6, 1, true), (false, 60, 1, false), (false, 61, 1, true),
        // Where the time is told, it alone counts.
        (false, 1, 1_000_000, false), (false, nil, 20_000, false), (false, nil, 20_001, true),
        (true, nil, 20_001, true),
    ]

    @Test("is held back by what lasts", arguments: rows)
    func lasting(
        _ row: (isWriter: Bool, seconds: Int64?, transactions: Int64, isHindrance: Bool)
    ) {
        let holder = HorizonHolder(
            .session,
            process: 1,
            name: "psql",
            role: "bob",
            isWriter: row.isWriter,
            seconds: row.seconds,
            transactions: row.transactions
        )
        #expect(holder.isHindrance == row.isHindrance)
    }

    @Test("is held back by readers of this database, and by writers of any") func sessions()
        async throws
    {
        try await TestDatabase.with { database in
            // As the handbook makes it.
            let told = "doctor_\(database.name)"
            let role = "CREATE ROLE \(told) LOGIN; GRANT log_reader, pg_read_all_stats TO \(told)"
            try await Self.open(role, in: database).close()
            let reading = "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1"
            let reader = try await Self.open(reading, in: database)
            let stranger = try await Self.open(reading, in: database, "postgres")
            let writing = "BEGIN; SELECT pg_current_xact_id()"
            let writer = try await Self.open(writing, in: database, "postgres")
            defer { for one in [reader, stranger, writer] { one.close() } }
            for role in ["postgres", told, "migrator"] {
                let server = try await Self.inspection(of: database, as: role)
                defer { server.close() }
                let isToldOfAll = try await server.facts().isToldOfAll
                #expect(isToldOfAll == (role != "migrator"))
                if role == told { #expect(try await server.projection().frontier == nil) }
                let found = try await server.horizonHolders()
                let read = try #require(found.first { $0.process == reader.serverProcess })
                #expect(read.kind == .session && !read.isWriter, "\(read)")
                #expect(read.name == "tests" && read.role == "postgres", "\(read)")
                #expect((read.seconds != nil) == isToldOfAll, "\(read)")
                let wrote = try #require(found.first { $0.process == writer.serverProcess })
                #expect(wrote.isWriter, "\(wrote)")
                #expect(!found.contains { $0.process == stranger.serverProcess })
            }
        }
    }

    @Test("chancery doctor tells a commit that waits for a standby from what may be ended")
    func standby() async throws {
        try await TestDatabase.with { database in
            let writer = try await database.connect()
            defer { writer.close() }
            let write = try await database.writing()
            try await database.withSilentStandby {
                async let written = writer.execute(write, deadline: .soon)
                try await database.untilCommitsWait(1)
                let server = try await Self.inspection(of: database, as: "postgres")
                defer { server.close() }
                let found = try await server.horizonHolders()
                let waits = try #require(found.first { $0.process == writer.serverProcess })
                #expect(waits.kind == .standby && waits.isWriter, "\(waits)")
                // Long enough to be said.
                try await database.loop.sleep(until: .after(.seconds(7)))
                let log = try await Self.doctor(of: database, as: "postgres")
                let process = writer.serverProcess
                let named = "process \(process) (tests, role postgres) has waited for the"
                #expect(log.contains(named), "\(log)")
                #expect(log.contains("Do not end the process"), "\(log)")
                #expect(!log.contains("pg_terminate_backend(\(process))"), "\(log)")
                try await database.nameStandby("")
                _ = try await written
            }
        }
    }

    @Test("chancery doctor names them to a role that is not told how long they last, and says so")
    func doctor() async throws {
        try await TestDatabase.with { database in
            let reading = "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1"
            let reader = try await Self.open(reading, in: database)
            defer { reader.close() }
            let others = """
                DO $$ BEGIN
                  FOR i IN 1..20100 LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP;
                END $$
                """
            let busy = try await Self.open(others, in: database)
            defer { busy.close() }
            let log = try await Self.doctor(of: database, as: "migrator")
            let named = "process \(reader.serverProcess) (tests, role postgres) has read"
            #expect(log.contains(named), "\(log)")
            #expect(log.contains("inherits pg_read_all_stats"), "\(log)")
            // What it looks at after that.
            #expect(log.contains("partitions are made ahead"), "\(log)")
        }
    }

    /// What `chancery doctor` says, which has no Kafka to look at.
    static func doctor(of database: TestDatabase, as role: String) async throws -> String {
        let one = try RelayProcess(
            "chancery",
            ["doctor", "--json", "--user", role],
            database: database.settings(),
            bootstrap: "127.0.0.1:1",
            topic: "nowhere"
        )
        defer { _ = one.end() }
        _ = await one.child.wait(on: database.loop)
        return one.log
    }

    private static func open(
        _ script: String,
        in database: TestDatabase,
        _ other: String? = nil
    ) async throws -> Connection {
        let connection = try await database.connect(to: other)
        try await connection.run(script: Array(script.utf8), deadline: .soon)
        return connection
    }

    private static func inspection(
        of database: TestDatabase,
        as role: String
    ) async throws -> ServerInspection {
        try await ServerInspection(database.settings(as: role), on: database.loop)
    }
}
