internal import Assembly
internal import Configuration
internal import Persistence
internal import Postgres
internal import Runtime

extension Wiring {
    /// The database, the topics, and what the projects need here.
    func checks() -> [Component] {
        [gate.checkComponent, topics.component(on: loop), projectsComponent(refusesUnread: true)]
    }

    /// Looks at the database before the first start, which makes the keys: it must be new, too.
    ///
    /// A check ends with that. So does a start that finds the projects of another root secret: one
    /// of its own is of no use to them, and would lie where theirs belongs.
    static func lookWithoutKeys(
        _ frame: ProcessFrame<TokenIssuerSettings>
    ) throws(Component.StartFailure) {
        let settings = frame.settings
        let gate = settings.database.gate(
            try ConnectionSettings(settings.database, node: settings.node.name),
            for: .issuing,
            frame.isInsecureDev,
            firstProjects: [],
            on: frame.loop,
            frame.log
        )
        if frame.invocation.isCheck {
            let topics = frame.topics([.events]).component(on: frame.loop)
            frame.check([gate.checkComponent, topics]) {
                "\(gate.verdict); the first start makes keys.directory"
            }
        }
        let code = frame.ask([gate.emptinessComponent])
        // Told to end before that is known, it has ended in order.
        guard code == .success else { ThisProcess.exit((code ?? .success).rawValue) }
    }
}
