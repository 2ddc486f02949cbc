import Foundation
import Postgres
import Runtime

/// PostgreSQL and our processes, in a directory of their own; what serves is on the server CPU.
// @unchecked: one task at a time uses it.
final class Stack: @unchecked Sendable {
    /// Every run its own ports, held for as long as it lasts.
    private static let ports = try? PortBlock.anyFree()
    private static let firstPort = ports?.first ?? 21_080
    static let origin = "http://localhost:\(port)"
    static let port = firstPort
    static let adminPort = firstPort + 1
    static let floorPort = firstPort + 2
    static let projectorPort = firstPort + 3
    static let relayAdminPort = firstPort + 4
    static let projectorAdminPort = firstPort + 5
    static let standbyAdminPort = firstPort + 6
    /// A second relay.
    static let standby = "event-relay-standby"
    static let adminToken = "benchmark-operator"
    static let secret = "benchmark-secret"

    static let programs = URL(filePath: CommandLine.arguments[0])
        .deletingLastPathComponent().path

    let directory: String
    private let binaries: String
    private var postgres: Process?
    /// By the program's name.
    var running: [String: Process] = [:]
    var services: Process?
    /// Where Kafka is, once there is one.
    var brokers = ""
    private(set) var postgresProcess: Int32 = 0

    init(in directory: String) throws {
        self.directory = directory
        let known = [18, 17, 16, 15].map { "/usr/lib/postgresql/\($0)/bin" }
        guard let found = known.first(where: FileManager.default.fileExists) else {
            throw Subprocess.Failed(description: "PostgreSQL is not installed")
        }
        binaries = found
    }

    /// A database, a ready issuer and its project.
    func prepare() throws {
        try startPostgres()
        try writeSettings(brokers: "127.0.0.1:9")
        try Subprocess.check(
            "\(Self.programs)/chancery",
            ["migrate", "--config", "\(directory)/operator.yaml", "--user", "postgres"],
            output: .file("\(directory)/migrate.log")
        )
        try start("token-issuer", waitingFor: "/livez")
        try createProject()
    }

    func stop(keeps: Bool) {
        for name in running.keys { stop(name) }
        stopServices()
        if postgresProcess != 0 { kill(postgresProcess, SIGINT) }
        postgres?.waitUntilExit()
        if !keeps { try? FileManager.default.removeItem(atPath: directory) }
    }

    // MARK: PostgreSQL

    private func startPostgres() throws {
        let files = FileManager.default
        try files.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try Subprocess.check("/bin/chown", ["postgres:", directory])
        let data = "\(directory)/data"
        try asPostgres(
            "initdb",
            ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "-k"]
        ).waitUntilExit()
        let server = try asPostgres(
            "postgres",
            ["-D", data] + serverSettings.flatMap { ["-c", $0] }
        )
        postgres = server
        try waitUntil("PostgreSQL", server, "\(directory)/postgres.log", within: 60) {
            readyPostmaster()
        }
        try Subprocess.check(
            "\(binaries)/createdb",
            ["-h", directory, "-U", "postgres", "chancery"]
        )
    }

    var serverSettings: [String] {
        [
            "listen_addresses=", "unix_socket_directories=\(directory)", "max_connections=100",
            "shared_buffers=1GB", "max_locks_per_transaction=256", "wal_compression=lz4",
            "checkpoint_timeout=15min", "max_wal_size=10GB", "jit=off", "fsync=on",
            "full_page_writes=on", "synchronous_commit=on", "timezone=UTC", "log_timezone=UTC",
            // When a commit happened, for the lines behind Kafka.
            "track_commit_timestamp=on",
        ]
    }

    private func readyPostmaster() -> Bool {
        let file = "\(directory)/data/postmaster.pid"
        let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count > 7, lines[7].hasPrefix("ready"), let number = Int32(lines[0]) else {
            return false
        }
        postgresProcess = number
        return true
    }

    /// Before a program that is not told how to keep what it frees.
    static let untuned = ["/usr/bin/env", "-u", "GLIBC_TUNABLES"]

    func asPostgres(
        _ program: String,
        _ arguments: [String],
        on cpu: String = Machine.serverCPU,
        as role: String? = nil
    ) throws -> Process {
        try Subprocess.run(
            "/usr/bin/taskset",
            [
                "-c", cpu,
            ] + Self.untuned + [
                "/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups",
                "--pdeathsig=INT", "--", "\(binaries)/\(program)",
            ] + arguments,
            output: .file("\(directory)/\(role ?? program).log")
        )
    }

    func connection(as user: String) -> ConnectionSettings {
        ConnectionSettings(
            host: directory,
            database: "chancery",
            user: user,
            protection: .none,
            applicationName: "benchmark"
        )
    }

    /// The words of a `psql` that runs one statement as the superuser.
    func psql(_ statement: String) -> [String] {
        ["-XAtq", "-h", directory, "-U", "postgres", "-c", statement, "chancery"]
    }

    // MARK: Our processes

    /// Starts a program with its settings and answers the seconds until it was ready.
    ///
    /// `role` names its settings, its log and its process where one program runs twice.
    @discardableResult
    func start(
        _ program: String,
        as role: String? = nil,
        on cpu: String = Machine.serverCPU,
        waitingFor path: String = "/readyz",
        within seconds: Double = 30
    ) throws -> Double {
        let begin = MonotonicInstant.now()
        let role = role ?? program
        let log = "\(directory)/\(role).log"
        // As the units start them (decision 0196).
        let environment = program == "token-issuer" ? [] : Self.untuned
        let process = try Subprocess.run(
            "/usr/bin/taskset",
            ["-c", cpu] + environment + [
                "\(Self.programs)/\(program)", "--config", "\(directory)/\(role).yaml",
                "--insecure-dev",
            ],
            output: .file(log)
        )
        running[role] = process
        let address = "\(Self.admin(of: role))\(path)"
        try waitUntil(role, process, log, within: seconds) {
            curl(["--max-time", "1", "-o", "/dev/null", address]) == 0
        }
        return MonotonicInstant.now().since(begin) / .seconds(1)
    }

    func stop(_ program: String) {
        guard let process = running.removeValue(forKey: program) else { return }
        process.terminate()
        process.waitUntilExit()
    }

    /// Ends a program as a crash would.
    func crash(_ program: String) {
        guard let process = running.removeValue(forKey: program) else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// The number of a running program, 0 when it does not run.
    func process(of program: String) -> Int32 { running[program]?.processIdentifier ?? 0 }

    var issuerProcess: Int32 { process(of: "token-issuer") }

    static func admin(of program: String) -> String {
        let port =
            switch program {
            case "event-relay": relayAdminPort
            case standby: standbyAdminPort
            case "revocation-projector": projectorAdminPort
            default: adminPort
            }
        return "http://127.0.0.1:\(port)"
    }

    private func createProject() throws {
        let file = "\(directory)/project.yaml"
        try Self.project.write(toFile: file, atomically: true, encoding: .utf8)
        let code = curl([
            "-X", "PUT", "-H", "Authorization: Bearer \(Self.adminToken)",
            "-H", "Content-Type: application/yaml", "-H", "If-None-Match: *",
            "--data-binary", "@\(file)", "-o", "\(directory)/project.answer",
            "\(Self.admin(of: "token-issuer"))/admin/v1/project?project=bench&reason=benchmark",
        ])
        guard code == 0 else { throw Subprocess.Failed(description: "no project: curl \(code)") }
    }

    /// A series of a program's `/metrics`, 0 when there is none.
    func metric(_ name: String, of program: String = "token-issuer") -> Double {
        let line = metrics(of: program).split(separator: "\n").first { $0.hasPrefix(name) }
        return line?.split(separator: " ").last.flatMap { Double($0) } ?? 0
    }

    /// A program's `/metrics`, empty when it does not answer.
    func metrics(of program: String) -> String {
        let file = "\(directory)/metrics"
        guard curl(["-o", file, "\(Self.admin(of: program))/metrics"]) == 0 else { return "" }
        return (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
    }

    // MARK: Waiting

    func waitUntilListening(_ port: UInt16, _ process: Process) throws {
        try waitUntil("the server on \(port)", process, nil, within: 10) {
            curl(["--max-time", "1", "-o", "/dev/null", "http://127.0.0.1:\(port)/"]) == 0
        }
    }

    private func curl(_ arguments: [String]) -> Int32 {
        let words = ["-sS", "--fail", "--max-time", "20"] + arguments
        guard
            let process = try? Subprocess.run(
                "/usr/bin/curl",
                words,
                output: .file("\(directory)/curl.log")
            )
        else { return -1 }
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Returns once it is so; tells the last lines of the log of a process that ended instead.
    func waitUntil(
        _ what: String,
        _ process: Process,
        _ log: String?,
        within seconds: Double,
        _ isSo: () -> Bool
    ) throws {
        let end = MonotonicInstant.now().advanced(by: .seconds(seconds))
        while !isSo() {
            let hasEnded = !process.isRunning
            guard hasEnded || MonotonicInstant.now() >= end else {
                usleep(5_000)
                continue
            }
            let fate = hasEnded ? "ended" : "was not ready after \(Int(seconds)) s"
            let last = log.flatMap { try? String(contentsOfFile: $0, encoding: .utf8) } ?? ""
            let lines = last.split(separator: "\n").suffix(5).joined(separator: "\n")
            throw Subprocess.Failed(description: "\(what) \(fate)\n\(lines)")
        }
    }
}
