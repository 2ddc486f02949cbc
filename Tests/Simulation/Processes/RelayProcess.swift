import Domain
import Publishing
import Runtime

/// The clock of a process: its pauses are timers of its loop.
struct ProcessClock: RelayClock {
    let world: World
    let process: SimulatedProcess

    var nanoseconds: UInt64 { process.loop.now.nanoseconds }

    var wallTime: Instant { world.wallTime(of: process) }

    func pause(_ time: Duration) async {
        try? await process.loop.sleep(until: process.loop.now.advanced(by: time))
    }
}

/// `event-relay`: the real relay, turned until it is fenced; then a new process takes its place.
enum RelayProcess {
    static func start(_ number: Int, in installation: Installation) throws -> SimulatedProcess {
        let world = installation.world
        let process = try world.process("relay-\(number)")
        let session = SimulatedRelaySession(
            installation.database,
            of: process,
            project: installation.projectID
        )
        let relay = Relay(
            log: session,
            publisher: SimulatedProducer(of: installation.topic, in: process),
            clock: ProcessClock(world: world, process: process)
        )
        process.loop.spawn { await run(relay, process, installation) }
        return process
    }

    private static func run(
        _ relay: Relay<SimulatedRelaySession, SimulatedProducer>,
        _ process: SimulatedProcess,
        _ installation: Installation
    ) async {
        var relay = relay
        while !installation.world.isOver {
            do { try await relay.turn() } catch { break }
            if case .halted(let halt) = relay.status.role {
                installation.checks.broken("I10", "the relay halted: \(halt)")
            }
        }
        // Exit 75: the service manager starts another one.
        installation.ended(process)
    }
}
