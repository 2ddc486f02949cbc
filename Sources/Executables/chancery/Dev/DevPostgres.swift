import Runtime

/// A private PostgreSQL cluster in `.chancery/postgres`, reached through a Unix socket alone.
struct DevPostgres: Sendable {
    static let database = "chancery"
    static let superuser = "postgres"
    /// A Unix socket's address holds 107 bytes; the file in the directory takes this many.
    private static let socketDirectoryBytesMax = 107 - "/.s.PGSQL.5432".utf8.count

    let folder: DevFolder
    private let binaries: String

    /// - Throws: when PostgreSQL 15 or later is not installed.
    init(_ folder: DevFolder) throws(CommandFailure) {
        self.folder = folder
        let path = (Environment.value("PATH") ?? "").split(separator: ":").map(String.init)
        let known = [15, 16, 17, 18].map { "/usr/lib/postgresql/\($0)/bin" }
        let found = (known + path).first { directory in
            ["initdb", "createdb", "postgres"].allSatisfy { Files.exists("\(directory)/\($0)") }
        }
        guard let found else {
            throw CommandFailure(
                "PostgreSQL is not installed",
                remedy: "deploy/packages run installs it (package postgresql-15)."
            )
        }
        binaries = found
    }

    var data: String { "\(folder.postgres)/data" }

    /// Where the socket is: in the folder, or in /tmp when the checkout's path is too long.
    var socketDirectory: String {
        guard folder.postgres.utf8.count > Self.socketDirectoryBytesMax else {
            return folder.postgres
        }
        let hash = folder.postgres.utf8.reduce(UInt64(5381)) { ($0 &* 33) ^ UInt64($1) }
        return "/tmp/chancery-\(String(hash, radix: 36))"
    }

    var isInitialised: Bool { Files.exists("\(data)/PG_VERSION") }

    /// For people and programs, as the cluster's superuser.
    var url: String {
        "postgresql:///\(Self.database)?host=\(socketDirectory)&user=\(Self.superuser)"
    }

    /// Makes the cluster's files, once.
    func initialise(on loop: Loop) async throws(CommandFailure) {
        try own(folder.postgres)
        if socketDirectory != folder.postgres {
            do { try FileWriting.makeDirectory(socketDirectory) } catch {
                throw CommandFailure("cannot make \(socketDirectory): \(error)")
            }
            try own(socketDirectory)
        }
        guard !isInitialised else { return }
        let arguments = [
            "-D", data, "-U", Self.superuser, "-A", "trust", "-E", "UTF8", "--no-locale",
            "--data-checksums",
        ]
        try await run("initdb", arguments, on: loop)
    }

    /// The server in the foreground: its end is a fast shutdown.
    func server(on loop: Loop) -> ManagedProcess {
        let settings =
            Self.settings + [
                "unix_socket_directories=\(socketDirectory)", "listen_addresses=",
            ]
        let arguments = ["-D", data] + settings.flatMap { ["-c", $0] }
        return ManagedProcess(
            "PostgreSQL",
            unprivileged("postgres", arguments),
            on: loop,
            endSignal: 2,
            stopMax: .seconds(20)
        )
    }

    /// Makes the database, once.
    func createDatabase(on loop: Loop) async throws(CommandFailure) {
        let marker = "\(folder.postgres)/created"
        guard !Files.exists(marker) else { return }
        let server = ["-h", socketDirectory, "-U", Self.superuser]
        do throws(CommandFailure) {
            // Killed between the two lines below, an earlier start has made it and not said so.
            try await run("psql", server + ["-d", Self.database, "-c", "\\conninfo"], on: loop)
        } catch { try await run("createdb", server + [Self.database], on: loop) }
        try Files.write("", to: marker)
    }

    /// Removes the socket's directory when it is not in the folder: only the folder stays.
    func forget(on loop: Loop) async {
        guard socketDirectory != folder.postgres else { return }
        let command = ChildCommand("/bin/rmdir", [socketDirectory])
        _ = await (try? Processes.start(command))?.wait(on: loop)
    }

    var logFile: String { folder.log("postgres") }

    /// Whether connections are answered.
    ///
    /// The last line but one of postmaster.pid says "ready", and the first whose it is: a server
    /// that was killed leaves its file behind.
    func isReady(_ server: ManagedProcess) -> Bool {
        guard let text = Files.text("\(data)/postmaster.pid"), let number = server.number else {
            return false
        }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.count > 7 && lines[7].hasPrefix("ready") && Int32(lines[0]) == number
    }

    /// What Architecture 14 asks of a server, and a size for a shared machine.
    private static let settings = [
        "max_connections=200", "shared_buffers=256MB", "max_locks_per_transaction=256",
        "max_prepared_transactions=0", "wal_compression=lz4", "checkpoint_timeout=15min",
        "max_wal_size=10GB", "jit=off", "commit_delay=0", "fsync=on", "full_page_writes=on",
        "synchronous_commit=on", "log_timezone=UTC", "timezone=UTC", "unix_socket_permissions=0700",
    ]

    private func run(
        _ program: String,
        _ arguments: [String],
        on loop: Loop
    ) async throws(CommandFailure) {
        let end: ChildProcess.End
        do {
            end = try await Processes.start(unprivileged(program, arguments)).wait(on: loop)
        } catch { throw CommandFailure("cannot run \(program): \(error)") }
        guard end == .exited(0) else {
            throw CommandFailure(
                "\(program) failed",
                remedy: "Its output: \(logFile)"
            )
        }
    }

    /// PostgreSQL refuses to run as root, so root hands it to an account without rights of its own.
    ///
    /// That account may not be able to enter the checkout (a home directory, a temporary one), so
    /// it keeps the one right to pass closed directories.
    private func unprivileged(_ program: String, _ arguments: [String]) -> ChildCommand {
        var words = ["\(binaries)/\(program)"] + arguments
        if let account = Self.account {
            words =
                [
                    "/usr/bin/setpriv", "--reuid=\(account.user)", "--regid=\(account.group)",
                    "--clear-groups", "--inh-caps=-all,+dac_override",
                    "--ambient-caps=-all,+dac_override", "--pdeathsig=INT", "--",
                ] + words
        }
        // A session of its own: Ctrl-C in a terminal reaches us alone, and we stop in order.
        var command = ChildCommand("/usr/bin/setsid", words)
        command.outputFile = logFile
        command.directory = folder.postgres
        command.endsWithParent = true
        return command
    }

    /// Who runs the server when we are root; nil when we are not.
    private static let account: ChildCommand.User? =
        ThisProcess.userID == 0
        ? Processes.user(named: "postgres") ?? Processes.user(named: "nobody") : nil

    private func own(_ path: String) throws(CommandFailure) {
        guard let account = Self.account else { return }
        do { try Processes.give(path, to: account) } catch {
            throw CommandFailure("cannot give \(path) to user \(account.user): \(error)")
        }
    }
}
