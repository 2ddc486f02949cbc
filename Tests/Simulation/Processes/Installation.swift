import Domain
import EventFormat
import InMemory
import Issuing
import OAuth
import Persistence
import Runtime

/// The time of day without anybody's error.
private struct TrueClock: WallClock {
    let world: World
    var now: Instant { world.wallTime }
    var problem: String? { nil }
}

// @unchecked: touched by the one thread that runs the simulation.
/// Everything that runs: issuers, relays and a projector around one database and one cluster.
final class Installation: @unchecked Sendable {
    static let issuerCount = 3

    let world: World
    let database: SimulatedDatabase
    let topic: SimulatedTopic
    let checks: Checks
    /// Names and plain digests; each issuer keys values with one of its own.
    let digester = StandInDigester()
    let root = RootFile()
    let signer = StandInSigner()
    let sealer = InMemorySealer()
    let contexts = InMemoryContextLog()
    let windows = InMemoryWindows()
    let mailQueue: InMemoryMailQueue
    let jwts = SignedJWTs()
    let assertions = SignedAssertions()
    let personalData = InMemoryPersonalData()
    let metrics = PersistenceMetrics(Metrics())
    let policies: ApprovalPolicies
    let projectID: ProjectID
    let projectNumber: ProjectNumber
    /// Settings in the order in which they are applied.
    private(set) var settings: [ProjectSettings]
    private(set) var issuers: [IssuerProcess] = []
    private(set) var relays: [SimulatedProcess] = []
    private(set) var projectors: [SimulatedProcess] = []
    private var processesMade = 0

    init(_ world: World) throws {
        self.world = world
        database = SimulatedDatabase(world, log: StreamID(high: 0xA7, low: world.seed))
        topic = SimulatedTopic(world, partitions: 3)
        mailQueue = InMemoryMailQueue(clock: TrueClock(world: world))
        policies = ApprovalPolicies(in: world)
        let settings = try Fixtures.settings(digester, policies)
        projectID = settings.id
        projectNumber = try Fixtures.some(ProjectNumber(1))
        self.settings = [settings]
        checks = Checks(world, database, topic)
        RootOperator.stage(root, in: world)
        world.afterStep = { [unowned self] in checks.afterStep() }
        world.afterEnd = { [unowned self] in (issuers, relays, projectors) = ([], [], []) }
        for _ in 0..<Self.issuerCount { issuers.append(try makeIssuer()) }
    }

    /// Relays and projectors, once there is something in the log.
    func startReaders() throws {
        for _ in 0..<2 { relays.append(try RelayProcess.start(nextNumber(), in: self)) }
        for _ in 0..<2 { projectors.append(try ProjectorProcess.start(nextNumber(), in: self)) }
    }

    private func nextNumber() -> Int {
        processesMade += 1
        return processesMade
    }

    private func makeIssuer() throws -> IssuerProcess {
        let issuer = try IssuerProcess(nextNumber(), in: self)
        issuer.start()
        return issuer
    }

    // MARK: - Configuration

    /// As the log has it at a version of its configuration.
    func project(
        version: Int32,
        keys: SigningKeyRing.State = SigningKeyRing.State(),
        keysVersion: Int32 = 0
    ) -> Project {
        let names = StreamNames(digester)
        let stream = names.projectConfig(projectNumber)
        let types = database.rows(of: stream, after: 0).prefix(Int(version)).map(\.event.type)
        let applied = types.filter { $0 == StoredType.projectConfigApplied.rawValue }.count
        let index = min(max(0, applied - 1), settings.count - 1)
        let last = types.last { $0 != StoredType.projectConfigApplied.rawValue }
        return Project(
            number: projectNumber,
            settings: settings[index],
            digest: digest(of: Int32(applied)),
            configuration: StreamGuard(stream: stream, version: version),
            isSuspended: last == StoredType.projectConfigSuspended.rawValue,
            keys: keys,
            keysStream: names.signingKeys(of: projectNumber),
            keysVersion: keysVersion
        )
    }

    /// The clients whose sessions take with them those they let in.
    var cascading: Set<ClientID> {
        Set(settings[0].clients.filter { $0.app2app?.cascades ?? false }.map(\.id))
    }

    /// The stream of a user's consent; nil for a client that needs none.
    var consent: (SubjectID, ClientID) -> StreamID? {
        // Keeps no installation, whose checks keep this.
        let (names, number) = (StreamNames(digester), projectNumber)
        let asking = Set(settings[0].clients.filter(\.consentRequired).map(\.id))
        return { asking.contains($1) ? names.consent($0, $1, in: number) : nil }
    }

    /// Of the document that is applied as the `number`th.
    func digest(of number: Int32) -> TokenDigest {
        digester.sha256([UInt8(truncatingIfNeeded: number)])
    }

    /// Prepares the settings of the next version; they hold when the log says so.
    func prepare(_ change: (inout ProjectSettings) -> Void) {
        var next = settings[settings.count - 1]
        change(&next)
        settings.append(next)
    }

    // MARK: - Life and death

    /// A killed process is started again by its service manager.
    func ended(_ process: SimulatedProcess) {
        guard !world.isOver, process.isAlive else { return }
        world.kill(process)
        replace(process)
    }

    func kill(_ process: SimulatedProcess) {
        guard process.isAlive else { return }
        world.kill(process)
        let delay = 50_000 + world.dice.draw(1_500_000)
        world.send(afterMicroseconds: delay) { [self] in replace(process) }
    }

    private func replace(_ process: SimulatedProcess) {
        guard !world.isOver else { return }
        // Out of descriptors: the simulation is over, and says so.
        do {
            if let index = issuers.firstIndex(where: { $0.process === process }) {
                issuers[index] = try makeIssuer()
            } else if let index = relays.firstIndex(where: { $0 === process }) {
                relays[index] = try RelayProcess.start(nextNumber(), in: self)
            } else if let index = projectors.firstIndex(where: { $0 === process }) {
                projectors[index] = try ProjectorProcess.start(nextNumber(), in: self)
            }
        } catch { checks.broken("simulator", "no new process: \(error)") }
    }

    /// Anyone of a few: what a load balancer would pick.
    func anyIssuer() -> IssuerProcess { issuers[world.dice.draw(issuers.count)] }
}
