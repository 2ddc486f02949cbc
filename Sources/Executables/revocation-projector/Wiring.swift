internal import Assembly
internal import Configuration
internal import HTTPServer
internal import Issuing
internal import Kafka
internal import Messaging
internal import Persistence
internal import Postgres
internal import Runtime
internal import Signing
internal import WebAPI

/// Every object of `revocation-projector`, made once and handed to what needs it.
struct Wiring {
    private let settings: RevocationProjectorSettings
    private let isInsecureDev: Bool
    private let writer: LogWriter
    private let log: Log
    private let metrics = Metrics()
    private let loop: Loop
    private let gate: DatabaseGate
    private let database: Database
    private let projects: SettingsCatalogue
    private let bell: FeedBell
    private let service: ProjectorService
    private let clock = SystemClock()

    /// - Throws: why the process cannot start, with the exit code.
    init(
        _ settings: RevocationProjectorSettings,
        isInsecureDev: Bool
    ) throws(Component.StartFailure) {
        self.settings = settings
        self.isInsecureDev = isInsecureDev
        writer = LogWriter(level: settings.log.level)
        log = Log(writer, context: [.field("node", settings.node.name)])
        do { loop = try Loop(name: "projector") } catch {
            throw Component.StartFailure(.failure, "no loop: \(error)")
        }
        let connection = try ConnectionSettings(settings.database, node: settings.node.name)
        gate = DatabaseGate(
            connection,
            for: .projecting,
            isSingleNode: settings.database.durability == .singleNode,
            isInsecureDev: isInsecureDev,
            on: loop,
            log: log
        )
        database = Database(connection, loops: [loop])
        projects = SettingsCatalogue(
            database,
            documents: ProjectDocument(isInsecureDevelopment: isInsecureDev),
            log: log
        )
        bell = FeedBell(on: loop)
        let brokers = ClientSettings(settings.kafka, clientID: settings.node.name)
        let events = EventTopic(brokers, name: settings.kafka.eventsTopic)
        let revocations = EventTopic(brokers, name: settings.kafka.revocationsTopic)
        service = ProjectorService(
            PostgresProjection(
                connection,
                topic: settings.kafka.eventsTopic,
                projects: projects,
                on: loop,
                log: log
            ),
            EventReader(
                events,
                partitions: TopicRules.partitions,
                on: loop,
                blocking: BlockingExecutor(),
                allowsDevelopmentBroker: isInsecureDev
            ),
            RevocationTopic(revocations, partitions: TopicRules.partitions, on: loop),
            bell: bell,
            on: loop,
            log: log
        )
        RuntimeMetrics.publish([loop], writer, to: metrics, log: log)
        ProjectorMetrics.publish(service, to: metrics)
    }

    /// Serves until the process is told to end.
    func run() -> ExitCode {
        let observer = RequestObserver(metrics: metrics, log: log)
        let lifecycle = Lifecycle(
            on: loop,
            log: log,
            [
                gate.component, projectsComponent,
                serving("admin", adminServer(observer)),
                serving("public", publicServer(observer)),
                topics.component,
                Component(
                    "projector",
                    start: { [service] in service.start() },
                    stop: { [service] in await service.stop() }
                ),
            ]
        )
        let code = lifecycle.run()
        writer.flush()
        return code
    }

    private var topics: TopicGate {
        TopicGate(
            settings.kafka,
            [.events, .revocations],
            clientID: settings.node.name,
            isInsecureDev: isInsecureDev,
            log: log
        )
    }

    /// The database, and the projects in it; read again every five seconds.
    private var projectsComponent: Component {
        Component(
            "projects",
            start: { [database, projects, loop, clock] in
                database.start()
                try? await projects.refresh(by: clock.deadline(inMilliseconds: 2000))
                loop.spawn {
                    while !loop.isStopping {
                        try? await loop.sleep(until: loop.now.advanced(by: .seconds(5)))
                        try? await projects.refresh(by: clock.deadline(inMilliseconds: 2000))
                    }
                }
            },
            stop: { [database] in database.stop() }
        )
    }

    private func serving(_ name: String, _ server: HTTPServer?) -> Component {
        Component(
            name,
            start: { () async throws(Component.StartFailure) in
                do { try server?.start() } catch {
                    throw Component.StartFailure(.failure, "\(name) listener: \(error)")
                }
            },
            reload: { try? server?.reload() },
            stop: { await server?.drain() }
        )
    }

    private func publicServer(_ observer: RequestObserver) -> HTTPServer {
        // Names no stream and keys nothing: a secret of this process alone will do.
        let digester = RootDigester(.generate())
        let route = RevocationFeedRoute(
            feed: PostgresRevocationFeed(database, bell: bell),
            signer: JWTSigner(),
            digester: digester,
            failures: FailureLimits(
                RequestLimits(isForDevelopment: isInsecureDev, metrics: metrics)
            ),
            clock: clock
        )
        var server = ServerSettings(
            name: "public",
            addresses: settings.listen.addresses,
            tls: tls
        )
        server.trustedProxies = settings.listen.trustedProxies.compactMap {
            SocketAddress("\($0):0")
        }
        let networks = settings.listen.trustedProxies.compactMap(TrustedProxies.Network.init)
        return HTTPServer(
            server,
            handler: PublicAPI(
                [route],
                projects: projects,
                snapshots: ProjectSnapshots(digester: digester, grantTypes: []),
                intake: Intake(proxies: TrustedProxies(networks), entropy: SystemEntropy()),
                observer: observer,
                isForDevelopment: isInsecureDev
            ),
            loops: [loop],
            log: log,
            metrics: metrics
        )
    }

    private var tls: TLSSettings? {
        guard let certificate = settings.listen.certificatePath, let key = settings.listen.keyPath
        else { return nil }
        return TLSSettings(certificateFile: certificate, keyFile: key)
    }

    private func adminServer(_ observer: RequestObserver) -> HTTPServer? {
        guard let address = settings.admin.address else { return nil }
        let health = Health(
            isAlive: { [loop] in
                loop.lastTurn > MonotonicInstant.now().advanced(by: .seconds(-5))
            },
            checks: [
                Health.Check("database") { [database] in
                    database.isConnected ? nil : "no connection"
                },
                Health.Check("schema") { [gate] in gate.problem },
                Health.Check("projection") { [service] in service.problem },
            ],
            metrics: metrics
        )
        return HTTPServer(
            ServerSettings(name: "admin", addresses: [address]),
            handler: HealthAPI(health, observer: observer),
            loops: [loop],
            log: log,
            metrics: metrics
        )
    }
}
