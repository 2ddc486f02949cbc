import Domain
import InMemory
import Issuing
import Persistence
import Publishing
import Runtime

/// The wall clock and the pauses of a process.
struct IssuerClock: WallClock, Pause {
    let world: World
    let process: SimulatedProcess
    /// What the database's clock said last, as `ServerClock` keeps it.
    private let reading = Guarded<ClockReading?>(nil)

    init(world: World, process: SimulatedProcess) {
        self.world = world
        self.process = process
    }

    var problem: String? {
        guard let reading = reading.current else { return "not read yet" }
        let skew = reading.milliseconds(at: now, monotonic: world.nanoseconds)
        return ClockSkew.isWrong(skew) ? "\(skew) ms" : nil
    }

    /// Compares itself with the database's clock, once a second.
    func run(over connection: SimulatedLogConnection) async {
        while !world.isOver {
            let asked = world.nanoseconds
            if let theirs = try? await connection.time() {
                let arrived = world.nanoseconds
                reading.replace(
                    with: ClockReading(
                        of: theirs,
                        at: now,
                        monotonic: arrived,
                        waited: arrived - asked
                    )
                )
            }
            await wait(milliseconds: 1000)
        }
    }

    var now: Instant { world.wallTime(of: process) }

    func wait(milliseconds: Int) async {
        Visit.current?.waits(for: .pausing)
        defer { Visit.current?.goesOn() }
        let end = MonotonicInstant(
            nanoseconds: world.nanoseconds + UInt64(milliseconds) * 1_000_000
        )
        await process.loop.waitOut(until: end)
    }

    func deadline(inMilliseconds milliseconds: Int) -> Deadline {
        Deadline(nanoseconds: world.nanoseconds + UInt64(milliseconds) * 1_000_000)
    }
}

// @unchecked: touched by the one thread that runs the simulation.
/// `token-issuer` as it is wired: real lanes, caches, turnstile and use cases.
final class IssuerProcess: @unchecked Sendable {
    let process: SimulatedProcess
    let store: WatchedStore
    let projects: SimulatedProjects
    let clock: IssuerClock
    let commands: CommandRunner
    let grants: AllGrants
    let endpoint: TokenEndpoint
    let revocation: Revocation
    let introspection: Introspection
    let signIn: SignInContext
    let signer: StandInSigner
    private let assertions: SignedAssertions
    private let connection: SimulatedLogConnection
    private let personalData: InMemoryPersonalData
    private let hearing: Hearing?
    /// Whether its project changes but by a new document.
    private let looksAgain: Bool
    private let rootFile: RootFile
    private let digester = StandInDigester()
    /// What it has read of `root.key`.
    private(set) var root = RootFile.Content()
    private(set) var isReady = false

    init(_ number: Int, in installation: Installation) throws {
        let world = installation.world
        let process = try world.process("issuer-\(number)", loops: world.workersPerIssuer)
        self.process = process
        (personalData, rootFile) = (installation.personalData, installation.root)
        let connection = SimulatedLogConnection(
            world: world,
            database: installation.database,
            process: process
        )
        self.connection = connection
        let loops = process.loops
        (signer, assertions) = (installation.signer, installation.assertions)
        let store = PostgresEventStore(
            EventStoreSettings(node: process.name, lanes: loops.count, cacheBytesMax: 1 << 20),
            readers: loops.map { ($0, connection) },
            lanes: loops.map { ($0, connection) },
            names: StreamNames(digester),
            metrics: installation.metrics,
            log: .discarding
        ) { _ in }
        self.store = WatchedStore(log: store, node: process, checks: installation.checks.commands)
        projects = SimulatedProjects(installation, process)
        clock = IssuerClock(world: world, process: process)
        hearing = Self.hearing(store, projects, clock, in: installation)
        looksAgain = KeyOperator.works(in: world) || ProjectOperator.works(in: world)
        commands = CommandRunner(
            store: self.store,
            projects: projects,
            clock: clock,
            entropy: SeededEntropy(seed: Dice.mix(world.seed) &+ UInt64(number)),
            names: StreamNames(digester),
            pause: clock
        )
        grants = AllGrants(
            commands: commands,
            signer: installation.signer,
            digester: digester,
            reader: installation.jwts,
            memory: InMemoryProofs(),
            pace: AnyPace(),
            sealer: installation.sealer,
            mailQueue: installation.mailQueue,
            mailIsDue: {}
        )
        endpoint = grants.endpoint
        revocation = Revocation(commands: commands, signer: signer, digester: digester)
        introspection = Introspection(
            liveness: Liveness(commands),
            signer: installation.signer,
            digester: digester,
            commands: commands
        )
        signIn = SignInContext(
            commands: commands,
            digester: digester,
            sealer: installation.sealer,
            contexts: installation.contexts
        )
    }

    /// How it finds out who asks, of clients that sign.
    var authentication: ClientAuthentication {
        ClientAuthentication(digester: digester, assertions: assertions, clock: clock)
    }

    /// As `token-issuer` has it: caches are marked stale, the project is read again.
    private static func hearing(
        _ store: PostgresEventStore,
        _ projects: SimulatedProjects,
        _ clock: IssuerClock,
        in installation: Installation
    ) -> Hearing? {
        Hearing(installation.topic, clock.process) { stream, version in
            store.hint(stream, at: version)
            guard stream == projects.configuration || stream == projects.ring else { return }
            clock.process.loop.spawn {
                let deadline = clock.deadline(inMilliseconds: 2_000)
                try? await projects.reload(projects.number, by: deadline)
            }
        }
    }

    /// Reads the configuration and the time, then takes requests.
    func start() {
        takeRoot()
        process.loop.spawn { [self] in await clock.run(over: connection) }
        process.loop.spawn { [self] in await finishEndings() }
        if let hearing { process.loop.spawn { await hearing.run() } }
        if looksAgain { process.loop.spawn { [self] in await lookAgain() } }
        if RootOperator.works(in: clock.world) {
            process.loop.spawn { [self] in await readRoot() }
        }
        process.loop.spawn { [self] in
            store.log.start()
            while !isReady, !clock.world.isOver {
                let deadline = clock.deadline(inMilliseconds: 2000)
                isReady = (try? await projects.reload(projects.number, by: deadline)) != nil
                isReady = isReady && clock.problem == nil
                if !isReady { await clock.wait(milliseconds: 50) }
            }
        }
    }

    /// What nobody tells it of: `token-issuer` looks every five seconds.
    private func lookAgain() async {
        while !clock.world.isOver {
            await clock.wait(milliseconds: 5_000)
            let deadline = clock.deadline(inMilliseconds: 2_000)
            try? await projects.reload(projects.number, by: deadline)
        }
    }

    /// As `token-issuer` does every five seconds.
    private func readRoot() async {
        await clock.wait(milliseconds: clock.world.dice.draw(5_000))
        while !clock.world.isOver {
            await clock.wait(milliseconds: 5_000)
            takeRoot()
        }
    }

    private func takeRoot() {
        root = rootFile.content
        digester.use(root.current, second: root.second)
    }

    private func finishEndings() async {
        let endings = FinishEndings(
            SimulatedEndingLog(over: connection),
            commands: commands,
            personalData: personalData,
            pause: clock
        )
        var reached: [StreamID: Int32] = [:]
        while !clock.world.isOver {
            await clock.wait(milliseconds: 2000)
            let deadline = clock.deadline(inMilliseconds: 20_000)
            reached = await endings.run(by: deadline, after: reached).reached
        }
    }
}
