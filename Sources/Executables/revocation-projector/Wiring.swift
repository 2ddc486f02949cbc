internal import Configuration
internal import HTTPServer
internal import Issuing
internal import Kafka
internal import Messaging
internal import Migrations
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
    private let connection: ConnectionSettings
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
        connection = try Self.connection(settings)
        database = Database(connection, loops: [loop])
        projects = SettingsCatalogue(
            database,
            documents: ProjectDocument(isInsecureDevelopment: isInsecureDev),
            log: log
        )
        bell = FeedBell(on: loop)
        let brokers = Self.brokers(settings)
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
                schema, projectsComponent,
                serving("admin", adminServer(observer)),
                serving("public", publicServer(observer)),
                kafka,
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

    private var schema: Component {
        Component(
            "schema",
            start: {
                [settings, connection, loop, log, isInsecureDev] ()
                    async throws(Component.StartFailure) in
                let steps = Migrations.all.compactMap {
                    Migration(version: $0.version, name: $0.name, sql: $0.sql)
                }
                do throws(MigrationError) {
                    try await Migrator(steps, on: connection, loop: loop).check()
                } catch {
                    guard case .database = error else {
                        throw Component.StartFailure(.configuration, "schema: \(error)")
                    }
                    log.warning("the schema could not be checked", .field("error", "\(error)"))
                }
                guard !isInsecureDev else { return }
                try await StartFacts.check(
                    connection,
                    isSingleNode: settings.database.durability == .singleNode,
                    on: loop,
                    log: log
                )
            }
        )
    }

    /// Topics that could lose a revocation are refused (security.md section 10.8); brokers that are
    /// away are no reason to end.
    private var kafka: Component {
        Component(
            "kafka",
            start: { [settings, isInsecureDev, log] () async throws(Component.StartFailure) in
                guard !isInsecureDev else { return }
                let isReplicated = settings.kafka.topology == .replicated
                let check = TopicCheck(
                    Self.brokers(settings),
                    [
                        (settings.kafka.eventsTopic, .events(isReplicated: isReplicated)),
                        (settings.kafka.revocationsTopic, .revocations(isReplicated: isReplicated)),
                    ],
                    on: BlockingExecutor()
                )
                switch await check.outcome() {
                case .right: break
                case .unknown(let why):
                    log.warning("the topics could not be checked", .field("error", why))
                case .refused(let why): throw Component.StartFailure(.configuration, why)
                }
            }
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

    private static func brokers(_ settings: RevocationProjectorSettings) -> ClientSettings {
        var client = ClientSettings(
            bootstrapServers: settings.kafka.bootstrap,
            clientID: settings.node.name
        )
        if let authorities = settings.kafka.authoritiesPath {
            client.security = .tls(
                authorities: authorities,
                certificate: settings.kafka.certificatePath,
                key: settings.kafka.keyPath
            )
        }
        return client
    }

    private static func connection(_ settings: RevocationProjectorSettings)
        throws(Component.StartFailure) -> ConnectionSettings
    {
        let database = settings.database
        var password: Secret?
        if let path = database.passwordPath {
            do { password = try FileReading.secret(at: path, bytesMax: 1024) } catch {
                throw Component.StartFailure(.configuration, "\(path): \(error)")
            }
        }
        return ConnectionSettings(
            host: database.host,
            address: database.address,
            port: database.port,
            database: database.name,
            user: database.user,
            password: password,
            protection: database.authoritiesPath.map { .verified(authoritiesPath: $0) } ?? .none,
            applicationName: settings.node.name
        )
    }
}
