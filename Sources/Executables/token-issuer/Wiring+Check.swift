internal import Assembly
internal import Configuration
internal import Persistence
internal import Postgres
internal import Runtime

extension Wiring {
    /// Asks once what a start asks: the database, the topics, and what the projects need here.
    func check() -> ExitCode {
        let main = loops[0]
        for loop in loops.dropFirst() { loop.start() }
        let code = Lifecycle.check(
            on: main,
            log: log,
            [
                gate.checkComponent, topics.component(on: main),
                projectsComponent(refusesUnread: true),
            ]
        )
        for loop in loops.dropFirst() {
            loop.stop()
            loop.join()
        }
        writer.flush()
        return code ?? .failure
    }

    /// The same before the first start, which makes the keys: the database must be new, too.
    ///
    /// - Returns: the exit code, and what to say when it is a success.
    static func checkWithoutKeys(_ settings: TokenIssuerSettings, isInsecureDev: Bool)
        throws(Component.StartFailure) -> (code: ExitCode, verdict: String)
    {
        let (gate, loop, log, writer) = try gateWithoutKeys(settings, isInsecureDev)
        let topics = topics(settings, isInsecureDev, BlockingExecutor(), log)
        let code = Lifecycle.check(
            on: loop,
            log: log,
            [gate.checkComponent, topics.component(on: loop)]
        )
        writer.flush()
        return (code ?? .failure, "\(gate.verdict); the first start makes keys.directory")
    }

    /// Looks whether a first start may make keys: a root secret of its own is of no use to the
    /// projects of another, and would lie where theirs belongs.
    ///
    /// - Returns: nil when the process is to end before that is known.
    static func checkEmptiness(_ settings: TokenIssuerSettings, isInsecureDev: Bool)
        throws(Component.StartFailure) -> ExitCode?
    {
        let (gate, loop, log, writer) = try gateWithoutKeys(settings, isInsecureDev)
        defer { writer.flush() }
        return Lifecycle.check(on: loop, log: log, [gate.emptinessComponent])
    }

    private static func gateWithoutKeys(
        _ settings: TokenIssuerSettings,
        _ isInsecureDev: Bool
    ) throws(Component.StartFailure) -> (DatabaseGate, Loop, Log, LogWriter) {
        let writer = LogWriter(level: settings.log.level)
        let log = Log(writer, context: [.field("node", settings.node.name)])
        let loop = try loops(1)[0]
        let gate = settings.database.gate(
            try ConnectionSettings(settings.database, node: settings.node.name),
            for: .issuing,
            isInsecureDev,
            firstProjects: [],
            on: loop,
            log
        )
        return (gate, loop, log, writer)
    }
}
