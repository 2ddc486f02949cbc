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

          --port N         the first port (\(DevPorts.usual)); the next \(DevPorts.count - 1) belong to the stack too
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
        port = try arguments.number("--port", in: 1024...65000) ?? DevPorts.usual
        issuers = try arguments.number("--issuers", in: 1...2) ?? 1
        directory = try arguments.value("--directory") ?? ".chancery"
        isWalk = arguments.flag("--walk")
        withProcesses = !arguments.flag("--services")
    }

    func run() -> Int32 {
        Lifecycle.prepare()
        do throws(CommandFailure) {
            let folder = try DevFolder(directory)
            let lock = DevLock(folder: folder)
            if let holder = lock.holder { return running(holder, folder) }
            try folder.create()
            try lock.take()
            return try start(folder)
        } catch {
            CommandLoop.tell(error)
            return error.status
        }
    }

    private func running(_ holder: Int32, _ folder: DevFolder) -> Int32 {
        Terminal.complain("A stack runs here already (process \(holder)).")
        Terminal.complain("Its facts: \(folder.environmentFile). Ctrl-C in its terminal stops it.")
        return 1
    }

    private func start(_ folder: DevFolder) throws(CommandFailure) -> Int32 {
        let loop: Loop
        do { loop = try Loop(name: "dev") } catch { throw CommandFailure("\(error)") }
        let stack = try DevStack(
            folder,
            DevPorts(first: port),
            issuers: withProcesses ? issuers : 0,
            on: loop
        )
        Terminal.say("Starting in \(folder.path):")
        let component = Component(
            "stack",
            start: { () async throws(Component.StartFailure) in
                do throws(CommandFailure) {
                    try await stack.start()
                    stack.facts.sayTable()
                } catch {
                    CommandLoop.tell(error)
                    await stack.stop()
                    throw Component.StartFailure(.failure, error.sentence)
                }
            },
            stop: {
                Terminal.say("\nStopping …")
                await stack.stop()
            }
        )
        return Lifecycle(on: loop, log: .discarding, [component]).run().rawValue
    }
}
