import Foundation
import Runtime

/// A second PostgreSQL that has each commit before it is answered.
extension Stack {
    private static let standbyPort = 5433

    /// Copies the server, starts the copy on the load CPU, and waits until commits wait for it.
    func startStandby() throws -> Process {
        let data = "\(directory)/standby"
        let copy = try asPostgres(
            "pg_basebackup",
            ["-D", data, "-h", directory, "-U", "postgres", "-R", "-c", "fast", "-X", "stream"]
        )
        copy.waitUntilExit()
        guard copy.terminationStatus == 0 else {
            throw Subprocess.Failed(description: "pg_basebackup failed: \(directory)")
        }
        let settings = serverSettings + ["port=\(Self.standbyPort)"]
        let standby = try asPostgres(
            "postgres",
            ["-D", data] + settings.flatMap { ["-c", $0] },
            on: Machine.loadCPU,
            as: "standby"
        )
        try setStandbyNames("SET synchronous_standby_names = '*'")
        try waitUntil("the standby", standby, "\(directory)/standby.log", within: 60) {
            // A division by zero, and so a failure, while there is none.
            let count = """
                SELECT 1 / count(*) FROM pg_stat_replication WHERE sync_state = 'sync'
                """
            return (try? Subprocess.check("/usr/bin/psql", psql(count))) != nil
        }
        return standby
    }

    func stopStandby(_ standby: Process) throws {
        try setStandbyNames("RESET synchronous_standby_names")
        standby.interrupt()
        standby.waitUntilExit()
    }

    private func setStandbyNames(_ change: String) throws {
        for statement in ["ALTER SYSTEM \(change)", "SELECT pg_reload_conf()"] {
            try Subprocess.check("/usr/bin/psql", psql(statement))
        }
    }
}
