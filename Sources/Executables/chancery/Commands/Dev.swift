import Runtime

/// `chancery dev`: the whole product on a developer's machine.
struct Dev: Command {
    static let name = "dev"
    static let summary = "start everything on this machine: database, Kafka, mail, all processes"
    static let help = """
        usage: chancery dev [--port N] [--issuers 1|2] [--walk] [--services] [--directory DIR]

        Starts a private PostgreSQL cluster, Kafka, a mail sink, applies the schema and the demo
        project (deploy/config/demo.yaml), and runs token-issuer, event-relay and
        revocation-projector until Ctrl-C. Everything it keeps is in .chancery/, and is there again
        at the next start. The same facts as in its table are in .chancery/dev.env.

          --port N         the first port (\(DevPorts.usual)); the stack takes it and the next
                           \(DevPorts.count - 1). 0: any that are free, other ones at each start
          --issuers 2      a second token-issuer on the same database (ISSUER2 in dev.env)
          --walk           sign a user in, refresh, revoke, and follow the events: against the
                           running stack, or a fresh one that is stopped afterwards
          --services       only PostgreSQL, Kafka and mail, to run a process by hand
          --directory DIR  instead of .chancery

        Kafka is what KAFKA_BOOTSTRAP names, else a node started from KAFKA_HOME or
        ../shared/kafka, else dev-broker.

        deploy/dev builds first and takes the same options.
        """

    private let port: Int
    private let issuers: Int
    private let directory: String
    private let isWalk: Bool
    private let withProcesses: Bool

    init(_ arguments: inout Arguments) throws(UsageError) {
        port = try Self.port(&arguments)
        issuers = try arguments.number("--issuers", in: 1...2) ?? 1
        directory = try arguments.value("--directory") ?? ".chancery"
        isWalk = arguments.flag("--walk")
        withProcesses = !arguments.flag("--services")
    }

    private static func port(_ arguments: inout Arguments) throws(UsageError) -> Int {
        let port = try arguments.number("--port", in: 0...65000) ?? DevPorts.usual
        guard port == 0 || port >= 1024 else {
            throw UsageError(sentence: "--port takes 0, or a number from 1024 to 65000")
        }
        return port
    }

    /// Its output is for people.
    var asJSON: Bool { false }

    func run() -> Int32 {
        Lifecycle.prepare()
        do throws(CommandFailure) {
            let folder = try DevFolder(directory)
            let lock = DevLock(folder: folder)
            try folder.create()
            guard let held = try lock.take() else {
                return isWalk ? walkThere(folder) : running(lock.holder, folder)
            }
            defer { withExtendedLifetime(held) {} }
            return try start(folder)
        } catch {
            CommandLoop.tell(error)
            return error.status
        }
    }

    private func running(_ holder: Int32?, _ folder: DevFolder) -> Int32 {
        let process = holder.map { " (process \($0))" } ?? ""
        Terminal.complain("A stack runs here already\(process).")
        Terminal.complain("Its facts: \(folder.environmentFile). Ctrl-C in its terminal stops it.")
        return 1
    }

    /// Walks against the stack that runs already.
    private func walkThere(_ folder: DevFolder) -> Int32 {
        CommandLoop.run(self) { loop throws(CommandFailure) in
            Terminal.say("Walking through the stack that runs in \(folder.path):")
            try await Self.walk(folder, on: loop)
            return 0
        }
    }

    private static func walk(_ folder: DevFolder, on loop: Loop) async throws(CommandFailure) {
        guard let text = Files.text(folder.environmentFile) else {
            throw CommandFailure(
                "\(folder.environmentFile) is missing",
                remedy: "The stack is still starting: wait for its table."
            )
        }
        let file = "\(folder.settings)/operator.yaml"
        let settings = try OperatorSettings(file, isInsecureDev: true)
        try await Walk(DevEnvironment(parsing: text), settings, on: loop).run()
    }

    private func start(_ folder: DevFolder) throws(CommandFailure) -> Int32 {
        let loop: Loop
        do { loop = try Loop(name: "dev") } catch { throw CommandFailure("\(error)") }
        let issuers = withProcesses ? issuers : 0
        let stack = try DevStack(folder, try DevPorts(first: port), issuers: issuers, on: loop)
        let (isWalk, ending) = (isWalk, DevEnding())
        Terminal.say("Starting in \(folder.path):")
        let component = Component(
            "stack",
            start: { () async throws(Component.StartFailure) in
                do throws(CommandFailure) {
                    try await stack.start()
                    stack.facts.sayTable(isStaying: !isWalk)
                } catch {
                    if !stack.isGivenUp { CommandLoop.tell(error) }
                    await stack.stop()
                    throw Component.StartFailure(.failure, error.sentence)
                }
                guard isWalk else { return }
                loop.spawn {
                    do throws(CommandFailure) {
                        try await Self.walk(folder, on: loop)
                        ending.end(.success)
                    } catch {
                        CommandLoop.tell(error)
                        ending.end(.failure)
                    }
                }
            },
            stop: { await stack.stop() }
        )
        let lifecycle = Lifecycle(on: loop, log: .discarding, [component])
        lifecycle.onSignal = {
            Terminal.say("\nStopping … (again: at once)")
            stack.giveUp()
        }
        ending.lifecycle = lifecycle
        return lifecycle.run().rawValue
    }
}

// @unchecked: set before the loop runs, read on it afterwards.
/// Lets the walk end the stack it runs in.
private final class DevEnding: @unchecked Sendable {
    var lifecycle: Lifecycle?

    func end(_ code: ExitCode) { lifecycle?.end(code) }
}
