import Foundation
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

@Suite("The pulse of a server", .timeLimit(.minutes(3)), .keepsClusterOnFailure) struct PulseTests {
    @Test("a frozen server is told at once, and kept, until it moves again") func frozen()
        async throws
    {
        try await TestDatabase.with(migrated: false) { database in
            let (keeper, pulse) = Self.connect(database)
            defer { Self.stop(keeper, pulse) }
            let first = try await keeper.ready().serverProcess
            let servers = try await Self.servers(of: database)
            for server in servers { kill(server, SIGSTOP) }
            let begin = MonotonicInstant.now()
            await #expect(throws: PostgresError.self) {
                try await keeper.query(.number("SELECT 1::int8"), deadline: .soon)
            }
            let took = MonotonicInstant.now().since(begin)
            // Without the pulse it would be as long as `soon`.
            #expect(took >= ServerPulse.beatMax && took < .seconds(20), "\(took)")
            #expect(pulse.isFrozen)
            await #expect(throws: PostgresError.notConnected) {
                try await keeper.execute(.number("SELECT 1::int8"), deadline: .soon)
            }
            for server in servers { kill(server, SIGCONT) }
            while pulse.isFrozen {
                try await database.loop.sleep(until: .after(.milliseconds(10)))
            }
            let later = try await keeper.query(.number("SELECT 7::int8"), deadline: .soon)
            let kept = try await keeper.connection(by: .soon).serverProcess
            #expect(later == [7] && kept == first)
        }
    }

    @Test("a statement that takes long is waited for") func slow() async throws {
        try await Self.undisturbed { database, watched in
            let (keeper, pulse) = Self.connect(database)
            defer { Self.stop(keeper, pulse) }
            watched.replace(with: pulse)
            _ = try await keeper.ready()
            let sql = "SELECT 3::int8 FROM pg_sleep(1.5)"
            let read = try await keeper.query(.number(sql), deadline: .soon)
            let written = try await keeper.execute(.number(sql), deadline: .soon)
            #expect(read == [3] && written == [3])
        }
    }

    @Test("a pulse that gets no connection does not speak against those that work")
    func refused() async throws {
        try await TestDatabase.with(migrated: false) { database in
            var elsewhere = database.settings()
            elsewhere.database = "there-is-none"
            let (keeper, pulse) = Self.connect(database, pulse: elsewhere)
            defer { Self.stop(keeper, pulse) }
            _ = try await keeper.ready()
            let sql = "SELECT 3::int8 FROM pg_sleep(2)"
            let read = try await keeper.query(.number(sql), deadline: .soon)
            #expect(read == [3])
            #expect(!pulse.isFrozen)
        }
    }

    @Test("a pulse whose own connection is dead does not speak against those that are answered")
    func dead() async throws {
        try await TestDatabase.with(migrated: false) { database in
            let (keeper, pulse) = Self.connect(database)
            defer { Self.stop(keeper, pulse) }
            let own = try await keeper.ready().serverProcess
            let servers = try await Self.servers(of: database).filter { $0 != own }
            for server in servers { kill(server, SIGSTOP) }
            defer { for server in servers { kill(server, SIGCONT) } }
            // Each is long enough to ask why; together they take longer than the server may.
            let slow = "SELECT 3::int8 FROM pg_sleep(0.25)"
            for _ in 0..<8 {
                #expect(try await keeper.query(.number(slow), deadline: .soon) == [3])
            }
            // Where nobody else is answered it cannot know better, and the next answer ends that.
            let slower = "SELECT 3::int8 FROM pg_sleep(1.5)"
            await #expect(throws: PostgresError.deadlineExceeded(sent: true)) {
                try await keeper.query(.number(slower), deadline: .soon)
            }
            while pulse.isFrozen {
                try await database.loop.sleep(until: .after(.milliseconds(10)))
            }
            // Its own is still the dead one: it is given up after five seconds.
            let newest = try await keeper.ready().serverProcess
            let all = try await Self.servers(of: database)
            #expect(Set(all).subtracting([own, newest]) == Set(servers))
            #expect(try await keeper.query(.number("SELECT 7::int8"), deadline: .soon) == [7])
        }
    }

    @Test("a commit that waits for a standby keeps its connection, and nothing follows it there")
    func standby() async throws {
        try await Self.undisturbed { database, watched in
            let silence = Duration.seconds(1)
            let log = SaidLog()
            let (keeper, pulse) = Self.connect(database, silenceMax: silence, log: log.log)
            defer { Self.stop(keeper, pulse) }
            watched.replace(with: pulse)
            let first = try await keeper.ready().serverProcess
            let write = try await database.writing()
            try await database.withSilentStandby {
                let begin = MonotonicInstant.now()
                await #expect(throws: PostgresError.deadlineExceeded(sent: true)) {
                    try await keeper.execute(write, deadline: .soon)
                }
                // As soon as the server has said why, not at the deadline.
                #expect(MonotonicInstant.now().since(begin) < .seconds(30))
                try await database.loop.sleep(until: .after(silence * 6))
                #expect(try await database.commitsThatWait() == [Int64(first)])
                await #expect(throws: PostgresError.notConnected) {
                    try await keeper.execute(write, deadline: .soon)
                }
            }
            let later = try await Self.patiently(keeper, .number("SELECT 7::int8"))
            let kept = try await keeper.connection(by: .soon).serverProcess
            #expect(later == [7] && kept == first)
            let said = log.end()
            let lines = said.split(separator: "\n")
            #expect(lines.count == 2, "\(said)")
            #expect(lines.first?.contains("commits wait for the synchronous standby") == true)
            #expect(lines.last?.contains("commits are answered again") == true)
        }
    }

    @Test("a commit that waits is given up where the name leads to another server by now")
    func elsewhere() async throws {
        try await Self.undisturbed { database, watched in
            // As far as whoever is asked there can tell.
            let superuser = try await database.connect()
            defer { superuser.close() }
            let role = "CREATE ROLE at_\(database.name) LOGIN"
            try await superuser.run(script: Array(role.utf8), deadline: .soon)
            let elsewhere = database.settings(as: "at_\(database.name)")
            let silence = Duration.seconds(1)
            let (keeper, pulse) = Self.connect(database, pulse: elsewhere, silenceMax: silence)
            defer { Self.stop(keeper, pulse) }
            watched.replace(with: pulse)
            let first = try await keeper.ready().serverProcess
            let write = try await database.writing()
            try await database.withSilentStandby {
                await #expect(throws: PostgresError.connectionLost) {
                    try await keeper.execute(write, deadline: .soon)
                }
                let later = try await Self.patiently(keeper, .number("SELECT 7::int8"))
                let next = try await keeper.connection(by: .soon).serverProcess
                #expect(later == [7] && next != first)
            }
        }
    }

    @Test("a question that finds the server full gives no connection up") func full()
        async throws
    {
        try await Self.undisturbed { database, watched in
            let write = try await database.writing()
            let role = "at_\(database.name)"
            let superuser = try await database.connect()
            defer { superuser.close() }
            // One for what writes, one for the pulse, none for a question.
            let script = """
                CREATE ROLE \(role) LOGIN CONNECTION LIMIT 2; GRANT ALL ON written TO \(role)
                """
            try await superuser.run(script: Array(script.utf8), deadline: .soon)
            let silence = Duration.seconds(1)
            let limited = database.settings(as: role)
            let (keeper, pulse) = Self.connect(database, of: limited, silenceMax: silence)
            defer { Self.stop(keeper, pulse) }
            watched.replace(with: pulse)
            let first = try await keeper.ready().serverProcess
            _ = try await Self.servers(of: database, besides: superuser)
            try await database.withSilentStandby {
                await #expect(throws: PostgresError.deadlineExceeded(sent: true)) {
                    try await keeper.execute(write, deadline: .soon)
                }
                try await database.loop.sleep(until: .after(silence * 4))
                #expect(try await database.commitsThatWait() == [Int64(first)])
            }
            let later = try await Self.patiently(keeper, .number("SELECT 7::int8"))
            let kept = try await keeper.connection(by: .soon).serverProcess
            #expect(later == [7] && kept == first)
        }
    }

    /// The pulse that may look frozen.
    private typealias Watched = Guarded<ServerPulse?>

    /// Runs `body` with a database of its own, and again when the pulse it watches was frozen.
    ///
    /// A machine that is held up for half a second looks like a frozen server, and is one.
    private static func undisturbed(
        _ body: @escaping @Sendable (TestDatabase, _ watched: Watched) async throws -> Void
    ) async throws {
        for _ in 1...5 {
            let watched = Watched(nil)
            let isDisturbed = Guarded(false)
            let look: @Sendable () -> Bool = {
                if watched.current?.isFrozen == true { isDisturbed.replace(with: true) }
                return isDisturbed.current
            }
            try await withKnownIssue("the machine was held up", isIntermittent: true) {
                try await TestDatabase.with(migrated: false) { database in
                    // On the loop of the pulse, and more often than that asks again.
                    let looking = database.loop.spawn {
                        while !Task.isCancelled {
                            _ = look()
                            try? await database.loop.sleep(until: .after(.milliseconds(10)))
                        }
                    }
                    defer { looking.cancel() }
                    try await body(database, watched)
                }
            } matching: { _ in
                look()
            }
            if !look() { return }
        }
        Issue.record("the server looked frozen each time")
    }

    private static func patiently(
        _ keeper: ConnectionKeeper,
        _ statement: Statement<Int64>
    ) async throws -> [Int64] {
        let limit = MonotonicInstant.soon
        while true {
            do throws(PostgresError) {
                return try await keeper.query(statement, deadline: limit)
            } catch {
                guard error == .notConnected, MonotonicInstant.now() < limit else { throw error }
                _ = try await keeper.ready()
            }
        }
    }

    private static func connect(
        _ database: TestDatabase,
        of own: ConnectionSettings? = nil,
        pulse asked: ConnectionSettings? = nil,
        silenceMax: Duration? = nil,
        log: Log = .discarding
    ) -> (ConnectionKeeper, ServerPulse) {
        var settings = own ?? database.settings()
        let pulse = ServerPulse(asked ?? settings, on: database.loop, log: log)
        settings.pulse = pulse
        if let silenceMax { settings.silenceMax = silenceMax }
        let keeper = ConnectionKeeper(settings, on: database.loop)
        pulse.start()
        keeper.start()
        return (keeper, pulse)
    }

    private static func stop(_ keeper: ConnectionKeeper, _ pulse: ServerPulse) {
        pulse.stop()
        keeper.stop()
    }

    /// Both connections' processes, once there are two.
    private static func servers(of database: TestDatabase, besides other: Connection? = nil)
        async throws -> [Int32]
    {
        let own = try await database.connect()
        defer { own.close() }
        let sql = """
            SELECT pid::int8 FROM pg_stat_activity
            WHERE datname = '\(database.name)' AND pid <> pg_backend_pid()
              AND pid <> \(other?.serverProcess ?? 0)
            """
        while true {
            let found = try await own.query(.number(sql), deadline: .soon)
            if found.count == 2 { return found.map { Int32(clamping: $0) } }
            try await database.loop.sleep(until: .after(.milliseconds(10)))
        }
    }
}
