import Domain
import Issuing

/// Who suspends the project for some seconds and lets it go on (decision 0201).
///
/// In one of ten seeds; the projects of the others are never suspended.
struct ProjectOperator: Sendable {
    private let clients: Clients
    private var installation: Installation { clients.installation }
    private var world: World { clients.world }
    private var suspension: SuspensionModel { installation.checks.suspension }

    /// Nil in a seed without.
    init?(_ clients: Clients) {
        guard Self.works(in: clients.world) else { return nil }
        self.clients = clients
    }

    static func works(in world: World) -> Bool { world.isDrawn(100, purpose: 19) }

    func work() async {
        // Most have logged in by then.
        let most = world.dice.strikes(500) ? 15_000 : 1_000
        await world.sleep(milliseconds: 100 + world.dice.draw(most), on: clients.process)
        suspension.begins()
        guard await carryOut(.suspend(reason: "unpaid")) else { return }
        suspension.hears()
        await world.sleep(milliseconds: 500 + world.dice.draw(8_000), on: clients.process)
        await resume()
    }

    /// Also where the project is not suspended: nothing happens then.
    func resume() async {
        suspension.ends()
        _ = await carryOut(.resume)
    }

    /// Orders it until somebody says that it is done.
    private func carryOut(_ command: ProjectConfig.Command) async -> Bool {
        let stream = installation.project(version: 0).configuration.stream
        for _ in 0..<60 {
            let isDone = await clients.ask(installation.anyIssuer()) { node -> Bool in
                guard await node.run(ProjectConfig.self, stream, { _ in command }) else {
                    return false
                }
                // As `ProjectAdministration` does: this node need not wait for the news of it.
                let deadline = node.clock.deadline(inMilliseconds: 2_000)
                try? await node.projects.reload(node.projects.number, by: deadline)
                return true
            }
            if isDone == true { return true }
            // A person: a lane that waits for its database says so at once.
            await world.sleep(milliseconds: 1_000, on: clients.process)
        }
        installation.checks.broken("I16", "sixty orders about a suspension did nothing")
        return false
    }
}
