import Publishing
import Runtime

/// `revocation-projector`: the real projector, turned until the end.
enum ProjectorProcess {
    static func start(_ number: Int, in installation: Installation) throws -> SimulatedProcess {
        let process = try installation.world.process("projector-\(number)")
        let projector = Projector(
            store: SimulatedProjection(installation, process),
            source: SimulatedSource(installation.topic, process),
            sink: SimulatedSink(installation, process),
            clock: ProcessClock(world: installation.world, process: process)
        )
        process.loop.spawn { await run(projector, installation) }
        return process
    }

    private static func run(
        _ projector: Projector<SimulatedProjection, SimulatedSource, SimulatedSink>,
        _ installation: Installation
    ) async {
        var projector = projector
        while !installation.world.isOver {
            await projector.turn()
            if case .halted(let reason) = projector.status.role {
                installation.checks.broken("I11", "the projector halted: \(reason)")
            }
        }
    }
}
