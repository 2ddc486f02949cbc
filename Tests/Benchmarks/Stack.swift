import Foundation
import Postgres
import Runtime

/// PostgreSQL and one token-issuer on the server CPU, in a directory of their own.
// @unchecked: one task at a time uses it.
final class Stack: @unchecked Sendable {
    static let origin = "http://localhost:\(port)"
    static let port: UInt16 = 21_080
    static let adminPort: UInt16 = 21_081
    static let floorPort: UInt16 = 21_082
    static let adminToken = "benchmark-operator"
    static let secret = "benchmark-secret"

    let directory: String
    private let binaries: String
    private var postgres: Process?
    private var issuer: Process?
    private(set) var issuerProcess: Int32 = 0
    private(set) var postgresProcess: Int32 = 0

    init(in directory: String) throws {
        self.directory = directory
        let known = [18, 17, 16, 15].map { "/usr/lib/postgresql/\($0)/bin" }
        guard let found = known.first(where: FileManager.default.fileExists) else {
            throw Subprocess.Failed(description: "PostgreSQL is not installed")
        }
        binaries = found
    }

    private static let programs = URL(filePath: CommandLine.arguments[0])
        .deletingLastPathComponent().path

    // MARK: PostgreSQL

    func startPostgres() throws {
        let files = FileManager.default
        try files.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try Subprocess.check("/bin/chown", ["postgres:", directory])
        let data = "\(directory)/data"
        try asPostgres(
            "initdb",
            ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "-k"]
        ).waitUntilExit()
        let settings = [
            "listen_addresses=", "unix_socket_directories=\(directory)", "max_connections=100",
            "shared_buffers=1GB", "max_locks_per_transaction=256", "wal_compression=lz4",
            "checkpoint_timeout=15min", "max_wal_size=10GB", "jit=off", "fsync=on",
            "full_page_writes=on", "synchronous_commit=on", "timezone=UTC", "log_timezone=UTC",
        ]
        postgres = try asPostgres("postgres", ["-D", data] + settings.flatMap { ["-c", $0] })
        try waitUntil("PostgreSQL", within: 30) { try readyPostmaster() }
        try Subprocess.check(
            "\(binaries)/createdb",
            ["-h", directory, "-U", "postgres", "chancery"]
        )
    }

    private func readyPostmaster() throws -> Bool {
        let file = "\(directory)/data/postmaster.pid"
        let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count > 7, lines[7].hasPrefix("ready"), let number = Int32(lines[0]) else {
            return false
        }
        postgresProcess = number
        return true
    }

    private func asPostgres(_ program: String, _ arguments: [String]) throws -> Process {
        try Subprocess.run(
            "/usr/bin/taskset",
            [
                "-c", Machine.serverCPU, "/usr/bin/setpriv", "--reuid=postgres",
                "--regid=postgres", "--clear-groups", "--pdeathsig=INT", "--",
                "\(binaries)/\(program)",
            ] + arguments,
            output: .file("\(directory)/\(program).log")
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

    // MARK: token-issuer

    func migrate() throws {
        try writeSettings()
        try Subprocess.check(
            "\(Self.programs)/chancery",
            ["migrate", "--config", "\(directory)/operator.yaml", "--user", "postgres"],
            output: .file("\(directory)/migrate.log")
        )
    }

    /// Starts it and answers how long it took until it was ready.
    @discardableResult
    func startIssuer(waitingFor path: String = "/readyz") throws -> Double {
        let begin = MonotonicInstant.now()
        let process = try Subprocess.run(
            "/usr/bin/taskset",
            [
                "-c", Machine.serverCPU, "\(Self.programs)/token-issuer", "--config",
                "\(directory)/issuer.yaml", "--insecure-dev",
            ],
            output: .file("\(directory)/issuer.log")
        )
        issuer = process
        issuerProcess = process.processIdentifier
        try waitUntil("token-issuer", within: 30) {
            curl(["-o", "/dev/null", "\(admin)\(path)"]) == 0
        }
        return MonotonicInstant.now().since(begin) / .seconds(1)
    }

    func stopIssuer() {
        issuer?.interrupt()
        issuer?.terminate()
        issuer?.waitUntilExit()
        issuer = nil
    }

    /// A database, a ready issuer and its project.
    func prepare() throws {
        try startPostgres()
        try migrate()
        try startIssuer(waitingFor: "/livez")
        try createProject()
    }

    func stop(keeps: Bool) {
        stopIssuer()
        if postgresProcess != 0 { kill(postgresProcess, SIGINT) }
        postgres?.waitUntilExit()
        if !keeps { try? FileManager.default.removeItem(atPath: directory) }
    }

    // MARK: Project

    private var admin: String { "http://127.0.0.1:\(Self.adminPort)" }

    func createProject() throws {
        let file = "\(directory)/project.yaml"
        try Self.project.write(toFile: file, atomically: true, encoding: .utf8)
        let code = curl([
            "-X", "PUT", "-H", "Authorization: Bearer \(Self.adminToken)",
            "-H", "Content-Type: application/yaml", "-H", "If-None-Match: *",
            "--data-binary", "@\(file)", "-o", "\(directory)/project.answer",
            "\(admin)/admin/v1/project?project=bench&reason=benchmark",
        ])
        guard code == 0 else { throw Subprocess.Failed(description: "no project: curl \(code)") }
    }

    /// A series of `/metrics`, 0 when there is none.
    func metric(_ name: String) -> Double {
        let file = "\(directory)/metrics"
        guard curl(["-o", file, "\(admin)/metrics"]) == 0,
            let text = try? String(contentsOfFile: file, encoding: .utf8)
        else { return 0 }
        let line = text.split(separator: "\n").first { $0.hasPrefix("\(name) ") }
        return line?.split(separator: " ").last.flatMap { Double($0) } ?? 0
    }

    func waitUntilListening(_ port: UInt16) throws {
        try waitUntil("the floor server", within: 10) {
            curl(["-o", "/dev/null", "http://127.0.0.1:\(port)/"]) == 0
        }
    }

    private func curl(_ arguments: [String]) -> Int32 {
        guard
            let process = try? Subprocess.run(
                "/usr/bin/curl",
                ["-sS", "--fail", "--max-time", "20"] + arguments,
                output: .file("\(directory)/curl.log")
            )
        else { return -1 }
        process.waitUntilExit()
        return process.terminationStatus
    }

    private func waitUntil(_ what: String, within seconds: Int, _ isSo: () throws -> Bool) throws {
        for _ in 0..<(seconds * 200) {
            if try isSo() { return }
            usleep(5_000)
        }
        throw Subprocess.Failed(description: "\(what) did not start, see \(directory)")
    }
}
