import Domain
import Issuing
import OAuth
import Runtime

// @unchecked: touched by the one thread that runs the simulation.
/// The clients' side of the network: asks one node and hears an answer, or never does.
final class Clients: @unchecked Sendable {
    /// How long a client waits.
    static let patience = Duration.seconds(6)

    let installation: Installation
    let process: SimulatedProcess
    let model: ClientModel
    /// What phones have done.
    var deeds: [Deed] { phoneModel?.deeds ?? [] }
    var phoneModel: DeedModel?
    /// Somebody who comes back, in a seed that has one.
    var regular: Regular?
    /// Servers that sign, in a seed that has them.
    var desk: Desk?
    var world: World { installation.world }

    init(_ installation: Installation) throws {
        self.installation = installation
        process = try installation.world.process("clients")
        model = ClientModel(installation.world, installation.checks)
    }

    /// What all are judged by who ask like phones.
    func sharedModel() -> DeedModel {
        if let phoneModel { return phoneModel }
        let model = DeedModel(world, installation.checks)
        phoneModel = model
        return model
    }

    // @unchecked: touched by the one thread that runs the simulation.
    /// The first answer counts, or the end of the client's patience.
    private final class Call<Answer: Sendable>: @unchecked Sendable {
        private var waiting: Resumption<Answer?>?

        init(_ waiting: Resumption<Answer?>) { self.waiting = waiting }

        func finish(_ answer: Answer?) {
            waiting?.resume(returning: answer)
            waiting = nil
        }
    }

    /// Runs `body` on a node, which may die, be cancelled, or answer a client that is gone.
    func ask<Answer: Sendable>(
        _ node: IssuerProcess,
        _ body: @escaping @Sendable (IssuerProcess) async -> Answer
    ) async -> Answer? {
        var timer: LoopTimer?
        let loop = process.loop
        let answer: Answer? = await loop.park { waiting in
            let call = Call(waiting)
            timer = loop.schedule(at: loop.now.advanced(by: Self.patience)) { call.finish(nil) }
            world.send { [self] in arrive(call, at: node, body) }
            if world.faults.strikes(.clientGone) {
                world.send(afterMicroseconds: world.dice.draw(20_000)) { call.finish(nil) }
            }
        }
        timer?.cancel()
        return answer
    }

    private func arrive<Answer: Sendable>(
        _ call: Call<Answer>,
        at node: IssuerProcess,
        _ body: @escaping @Sendable (IssuerProcess) async -> Answer
    ) {
        // As the public listener does (Security 13).
        let answers = node.isReady && node.clock.problem == nil
        guard node.process.isAlive, answers, !world.isOver else { return call.finish(nil) }
        let commands = installation.checks.commands
        let number = commands.begins(at: node.process)
        let run: @Sendable () async -> Void = { [world] in
            let answer = await body(node)
            commands.ends(number)
            world.send { call.finish(answer) }
        }
        let loop = world.anyLoop(of: node.process)
        let task =
            world.faults.strikes(.clientLeaves)
            ? leaving(loop, run) { call.finish(nil) } : loop.spawn(run)
        if world.faults.strikes(.requestCancelled) {
            world.send(afterMicroseconds: world.dice.draw(10_000)) { task.cancel() }
        }
    }

    /// Runs a request whose client leaves at one of its awaits.
    private func leaving(
        _ loop: Loop,
        _ body: @escaping @Sendable () async -> Void,
        closing close: @escaping () -> Void
    ) -> Task<Void, Never> {
        let database = installation.database
        let visit = Visit(world) { command in
            if database.isCommitted(command) { return .committed }
            return database.isSent(command) ? .call : .lane
        }
        installation.checks.commands.watch(visit)
        let executor = VisitExecutor(loop, visit)
        let task = Task(executorPreference: executor) {
            await Visit.$current.withValue(visit) { await body() }
            visit.end()
        }
        visit.leave = {
            close()
            task.cancel()
        }
        return task
    }

    /// The project as some node knows it.
    var anyProject: Project? { installation.issuers[0].projects.all.first }

    /// A client of the project as that node knows it, also of a suspended one.
    ///
    /// A listener that knows of the suspension would refuse it; the use cases must do so anyway.
    static func caller(_ client: String, at node: IssuerProcess) -> Caller? {
        guard let project = node.projects.all.first, let id = ClientID(client),
            let settings = project.servedClient(id)
        else { return nil }
        return Caller(
            project: project,
            client: settings,
            deadline: node.clock.deadline(inMilliseconds: 3000)
        )
    }
}
