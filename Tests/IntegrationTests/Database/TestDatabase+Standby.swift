import Postgres
import Runtime

/// A synchronous standby that never answers, for all commits of the cluster.
extension TestDatabase {
    /// Runs `body` while every commit waits; afterwards none does.
    func withSilentStandby(_ body: () async throws -> Void) async throws {
        try await nameStandby("nobody")
        do { try await body() } catch {
            // Also when the test's time is over: all that follow would wait, too.
            await loop.spawn { [self] in try? await nameStandby("") }.value
            throw error
        }
        try await nameStandby("")
    }

    /// Says which standby commits wait for, none when empty; counts when it returns.
    func nameStandby(_ name: String) async throws {
        let superuser = try await connect()
        defer { superuser.close() }
        for line in [
            "ALTER SYSTEM SET synchronous_standby_names = '\(name)'", "SELECT pg_reload_conf()",
        ] { try await superuser.run(script: Array(line.utf8), deadline: .soon) }
        // The checkpointer tells it; commits look there.
        let setting = "current_setting('synchronous_standby_names')"
        let isWanted = "SELECT (\(setting) = '\(name)')::int::int8"
        while try await superuser.query(.number(isWanted), deadline: .soon) != [1] {
            try await loop.sleep(until: .after(.milliseconds(10)))
        }
        try await loop.sleep(until: .after(.milliseconds(300)))
    }

    /// A table of one column, and what writes a row of it.
    ///
    /// What writes nothing to the log waits for nobody.
    func writing() async throws -> Statement<Int64> {
        let superuser = try await connect()
        defer { superuser.close() }
        let table = "CREATE TABLE written (n int8)"
        try await superuser.run(script: Array(table.utf8), deadline: .soon)
        return .number("INSERT INTO written VALUES (7) RETURNING n")
    }

    /// The server processes of this database whose commits wait.
    func commitsThatWait() async throws -> [Int64] {
        let own = try await connect()
        defer { own.close() }
        let sql = """
            SELECT pid::int8 FROM pg_stat_activity
             WHERE datname = current_database() AND wait_event = 'SyncRep'
            """
        return try await own.query(.number(sql), deadline: .soon)
    }

    /// Waits until so many commits wait.
    func untilCommitsWait(_ count: Int) async throws {
        while try await commitsThatWait().count < count {
            try await loop.sleep(until: .after(.milliseconds(10)))
        }
    }
}
