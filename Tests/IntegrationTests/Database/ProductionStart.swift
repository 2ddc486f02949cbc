import Foundation
import Postgres
import Runtime
import TestSupport

/// One program to be started as in production: without `--insecure-dev`, by a user that is not
/// root, in a folder of its own.
struct ProductionStart {
    let program: String
    /// Its settings, its keys, and what it says.
    let folder: URL
    /// Settings by the environment, such as `["DATABASE__USER": "postgres"]`.
    var changes: [String: String] = [:]
    var arguments: [String] = []
    /// Whether crash reports are off, as a unit of ours has it.
    var isGuarded = true
    /// The most descriptors it may open; nil is what this process may.
    var openFilesMax: Int?
    /// As whom; nil is as we are.
    var user: ChildCommand.User?

    private let manager = FileManager.default

    /// Makes the folder; `remove` takes it away.
    init(_ program: String, _ database: ConnectionSettings) throws {
        self.program = program
        folder = manager.temporaryDirectory
            .appending(path: "chancery-start-\(UUID().uuidString.prefix(8).lowercased())")
        try manager.createDirectory(at: folder, withIntermediateDirectories: true)
        // Whatever the mask is: a listener that another test opens narrows it for a moment.
        try manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
        if geteuid() == 0 {
            // As whom the server runs: a user that is not root and may use its socket.
            let status = try manager.attributesOfItem(atPath: database.host)
            let number = status[.ownerAccountID] as? Int ?? 0
            let group = status[.groupOwnerAccountID] as? Int ?? 0
            user = .init(user: UInt32(number), group: UInt32(group))
            try own(folder.path)
        }
        try settings(database)
            .write(to: folder.appending(path: "settings.yaml"), atomically: false, encoding: .utf8)
        // Another user may not be let into the folder of the build.
        let built = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: program)
        let copy = folder.appending(path: program)
        do { try manager.linkItem(at: built, to: copy) } catch {
            try manager.copyItem(at: built, to: copy)
        }
        try manager.setAttributes(
            [.posixPermissions: 0o644],
            ofItemAtPath: folder.appending(path: "settings.yaml").path
        )
    }

    func remove() { try? manager.removeItem(at: folder) }

    /// The path of a file in the folder.
    func path(_ name: String) -> String { folder.appending(path: name).path }

    /// Writes a file of secrets as the program's user has it: mode 0600.
    func write(_ bytes: [UInt8], to name: String, mode: Int = 0o600) throws {
        try Data(bytes).write(to: folder.appending(path: name))
        try manager.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
        try own(path(name))
    }

    func own(_ path: String) throws {
        guard let user else { return }
        try manager.setAttributes(
            [
                .ownerAccountID: NSNumber(value: user.user),
                .groupOwnerAccountID: NSNumber(value: user.group),
            ],
            ofItemAtPath: path
        )
    }

    /// What it has said.
    var output: String { (try? String(contentsOfFile: path("output"), encoding: .utf8)) ?? "" }

    /// Starts the program.
    func start() throws -> ChildProcess {
        var words = [path(program), "--config", path("settings.yaml")] + arguments
        if let openFilesMax {
            words = ["/bin/sh", "-c", "ulimit -n \(openFilesMax); exec \"$0\" \"$@\""] + words
        }
        var command = ChildCommand(words[0], Array(words.dropFirst()))
        var environment = ["PATH": "/usr/bin:/bin"]
        if isGuarded { environment["SWIFT_BACKTRACE"] = "enable=no" }
        for (name, value) in changes { environment["CHANCERY__\(name)"] = value }
        command.environment = environment
        command.outputFile = path("output")
        command.user = user
        try? manager.removeItem(atPath: path("output"))
        return try Processes.start(command)
    }

    /// Runs the program to its end, a minute at most; what it returned and what it said.
    func run() throws -> (code: Int32, text: String) { try end(of: start()) }

    /// Waits for its end, a minute at most; what it returned and what it said.
    func end(of child: ChildProcess) throws -> (code: Int32, text: String) {
        let timer = DispatchSource.makeTimerSource()
        timer.setEventHandler { child.signal(SIGKILL) }
        timer.schedule(deadline: .now() + 60)
        timer.activate()
        defer { timer.cancel() }
        let end = child.waitBlocking()
        let text = try String(contentsOfFile: path("output"), encoding: .utf8)
        guard case .exited(let code) = end else { return (-1, text) }
        return (code, text)
    }

    private func settings(_ database: ConnectionSettings) -> String {
        """
        node: {name: start-test, shutdown_notice_seconds: 0}
        admin: {listen: "127.0.0.1:0"}
        database:
          host: "\(database.host)"
          name: \(database.database)
          user: \(database.user)
          durability: single-node
        kafka: {bootstrap: "127.0.0.1:1", topology: single-node}
        \(program == "event-relay" ? "" : "listen: {public: [\"127.0.0.1:0\"]}")
        \(program == "token-issuer" ? issuerSettings : "")

        """
    }

    private var issuerSettings: String {
        """
        keys: {directory: "\(path("keys"))", kek_file: "\(path("kek"))"}
        mail: {relay: "127.0.0.1:25", sender: no-reply@example.com}
        """
    }
}
