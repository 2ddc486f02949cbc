import Persistence
import Runtime

// @unchecked: touched on `loop` alone.
/// Everything that runs on a developer's machine, started in order and stopped in reverse.
final class DevStack: @unchecked Sendable {
    /// How often a start that lost one of its ports to somebody else is tried again.
    private static let movesMax = 4

    let folder: DevFolder
    let secrets: DevSecrets
    let postgres: DevPostgres
    let issuers: Int
    private(set) var ports: DevPorts
    private(set) var kafka: DevKafka
    private let loop: Loop
    private var running: [ManagedProcess] = []
    /// Whether nobody waits for the stack any more.
    private(set) var isGivenUp = false

    init(_ folder: DevFolder, _ ports: DevPorts, issuers: Int, on loop: Loop)
        throws(CommandFailure)
    {
        self.folder = folder
        self.ports = ports
        self.issuers = issuers
        self.loop = loop
        secrets = DevSecrets(folder: folder)
        postgres = try DevPostgres(folder)
        kafka = try DevKafka(folder, ports)
    }

    var facts: DevFacts {
        let project = DevProject(folder: folder, ports: ports, secrets: secrets)
        return DevFacts(stack: self, project: project)
    }

    /// Starts what is missing, telling each step.
    ///
    /// Between finding ports and using them somebody else may take one: then on others.
    func start() async throws(CommandFailure) {
        for _ in 0..<Self.movesMax {
            do throws(CommandFailure) { return try await startOnce() } catch {
                await stop()
                let isTaken = ports.all.contains { !Ports.isFree($0.port) }
                guard !isGivenUp, ports.areFound, isTaken else { throw error }
                Terminal.say("  Somebody took one of the ports. Again, on others:")
                ports = try DevPorts(first: 0)
                kafka = try DevKafka(folder, ports)
            }
        }
        try await startOnce()
    }

    private func startOnce() async throws(CommandFailure) {
        try refuseTakenPorts()
        // Whoever waits for it must not find what the last run left.
        try Files.write("", to: folder.environmentFile)
        try secrets.create()
        async let broker = brokerStarted()
        try await startDatabase()
        try await startMail()
        try await broker.get()
        let settings = DevSettings(
            folder: folder,
            ports: ports,
            secrets: secrets,
            socketDirectory: postgres.socketDirectory,
            kafka: kafka.bootstrap
        )
        try settings.writeOperator()
        // With --services the files are there, for who starts a process by hand.
        for process in DevProcess.all(ports, issuers: issuers) {
            let file = try settings.write(process)
            if issuers > 0 { try await start(process, file) }
        }
        try await publish()
    }

    /// Applies the demo project and says where everything is.
    private func publish() async throws(CommandFailure) {
        let project = facts.project
        let environment = try facts.environment()
        let admin = AdminClient(
            origin: environment["ADMIN_URL"] ?? "",
            token: environment["ADMIN_TOKEN"] ?? ""
        )
        try project.write()
        if issuers > 0 {
            try await step("the demo project") { () async throws(CommandFailure) in
                try await project.apply(admin, on: self.loop)
            }
            try await startOffers(project)
        }
        try Files.write(environment.text, to: folder.environmentFile)
    }

    /// Ends a start that is still under way at its next step.
    func giveUp() { isGivenUp = true }

    /// Stops what runs, the last started first.
    func stop() async {
        for process in running.reversed() { await process.stop() }
        running = []
        await postgres.forget(on: loop)
    }

    private func startDatabase() async throws(CommandFailure) {
        let isNew = !postgres.isInitialised
        try await step(isNew ? "PostgreSQL, a new cluster" : "PostgreSQL") {
            () async throws(CommandFailure) in
            try await self.postgres.initialise(on: self.loop)
            let server = self.postgres.server(on: self.loop)
            try self.launch(server)
            try await self.wait(for: server) {
                self.postgres.isReady(server)
            }
            try await self.postgres.createDatabase(on: self.loop)
        }
        try await step("the schema") { () async throws(CommandFailure) in
            let address = DatabaseAddress(
                socketDirectory: self.postgres.socketDirectory,
                name: DevPostgres.database,
                user: DevPostgres.superuser
            )
            let migrator = Wiring.migrator(address, on: self.loop)
            do throws(MigrationError) { try await migrator.apply() } catch {
                throw CommandFailure(
                    "\(error)",
                    remedy: "Or start anew: remove \(self.folder.path)."
                )
            }
        }
    }

    /// `async let` forgets the type of an error; a result keeps it.
    private func brokerStarted() async -> Result<Void, CommandFailure> {
        do throws(CommandFailure) { return .success(try await startKafka()) } catch {
            return .failure(error)
        }
    }

    private func startKafka() async throws(CommandFailure) {
        try await step("Kafka: \(kafka.description)") { () async throws(CommandFailure) in
            let server = try await self.kafka.server(on: self.loop)
            if let server {
                try self.launch(server)
                try await self.wait(for: server, atMost: .seconds(180)) {
                    self.kafka.isReady
                }
            }
            if self.kafka.takesTopics {
                let topics = Topics(bootstrap: self.kafka.bootstrap, isReplicated: false)
                _ = try await topics.bring()
            }
        }
    }

    private func startMail() async throws(CommandFailure) {
        try await step("mail") { () async throws(CommandFailure) in
            let arguments = [self.folder.maildir, "\(self.ports.smtp)", "\(self.ports.mailPage)"]
            let program = "\(self.folder.checkout)/deploy/mail-sink"
            var command = ChildCommand("/usr/bin/setsid", [program] + arguments)
            command.endsWithParent = true
            let sink = ManagedProcess("the mail sink", command, on: self.loop)
            try self.launch(sink)
            try await self.waitForPort(self.ports.mailPage, of: sink)
        }
    }

    /// The demo's web client, with a stand-in for the app that opens it logged in.
    private func startOffers(_ project: DevProject) async throws(CommandFailure) {
        try await step("the demo's web client") { () async throws(CommandFailure) in
            let program = "\(self.folder.checkout)/deploy/demo-offers"
            let secret = try self.secrets.file("client-api")
            let words = [program, project.issuer, "\(self.ports.offers)", secret]
            var command = ChildCommand("/usr/bin/setsid", words)
            command.endsWithParent = true
            let site = ManagedProcess("the demo's web client", command, on: self.loop)
            try self.launch(site)
            try await self.waitForPort(self.ports.offers, of: site)
        }
    }

    private func start(_ process: DevProcess, _ settings: String) async throws(CommandFailure) {
        try await step(process.name) { () async throws(CommandFailure) in
            let program = try Programs.path(process.program)
            let words = [program, "--config", settings, "--insecure-dev"]
            var command = ChildCommand("/usr/bin/setsid", words)
            command.outputFile = self.folder.log(process.name)
            command.directory = self.folder.path
            command.endsWithParent = true
            let managed = ManagedProcess(process.name, command, on: self.loop)
            try self.launch(managed)
            try await self.waitForPort(process.adminPort, of: managed)
        }
    }

    private func launch(_ process: ManagedProcess) throws(CommandFailure) {
        try process.start()
        running.append(process)
    }

    /// One line a step, with its time.
    private func step(
        _ name: String,
        _ body: () async throws(CommandFailure) -> Void
    ) async throws(CommandFailure) {
        let begin = MonotonicInstant.now()
        guard isWaitedFor else { throw CommandFailure("stopped before \(name)") }
        try await body()
        let milliseconds = (MonotonicInstant.now().nanoseconds - begin.nanoseconds) / 1_000_000
        Terminal.say("  ✔ \(name)  \(milliseconds) ms")
    }

    private func waitForPort(_ port: Int, of process: ManagedProcess) async throws(CommandFailure) {
        try await wait(for: process) {
            await Ports.answers(port, on: self.loop)
        }
    }

    /// Whether somebody still waits for the stack, and no other step of its start has failed.
    private var isWaitedFor: Bool { !isGivenUp && !Task.isCancelled }

    /// Looks again and again whether a process that was started is ready.
    private func wait(
        for process: ManagedProcess,
        atMost limit: Duration = .seconds(120),
        _ isReady: () async -> Bool
    ) async throws(CommandFailure) {
        let deadline = MonotonicInstant.now().advanced(by: limit)
        while !(await isReady()) {
            // Where nobody waits for it, a pause would be none.
            guard process.isRunning, isWaitedFor, MonotonicInstant.now() < deadline else {
                throw failure(of: process)
            }
            try? await loop.sleep(until: MonotonicInstant.now().advanced(by: .milliseconds(25)))
        }
    }

    private func failure(of process: ManagedProcess) -> CommandFailure {
        let sentence = "\(process.name) did not start"
        guard let log = process.logFile else {
            return CommandFailure(sentence, remedy: "What it said, if anything, is above.")
        }
        let last = Files.lastLines(log, 3).joined(separator: "\n")
        return CommandFailure("\(sentence)\n\(last)", remedy: "Its log: \(log)")
    }

    private func refuseTakenPorts() throws(CommandFailure) {
        for (port, use) in ports.all where !Ports.isFree(port) {
            throw CommandFailure(
                "port \(port), for \(use), is taken",
                remedy: "Another stack? Name other ports: --port \(ports.first + 100), or 0: any."
            )
        }
    }
}
