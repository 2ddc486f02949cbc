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
    /// Reads the settings again.
    typealias Reread = @Sendable () throws(Component.ReloadFailure) -> RevocationProjectorSettings

    let settings: RevocationProjectorSettings
    let isInsecureDev: Bool
    let writer: LogWriter
    let log: Log
    let metrics = Metrics()
    let loop: Loop
    let gate: DatabaseGate
    let database: Database
    let projects: SettingsCatalogue
    let bell: FeedBell
    let service: ProjectorService
    let serverClock: ServerClock
    let clock: SystemClock
    let limits: RequestLimits
    private let blocking = BlockingExecutor()
    private let reread: Reread

    /// - Throws: why the process cannot start, with the exit code.
    init(
        _ settings: RevocationProjectorSettings,
        isInsecureDev: Bool,
        reread: @escaping Reread
    ) throws(Component.StartFailure) {
        self.settings = settings
        self.isInsecureDev = isInsecureDev
        self.reread = reread
        limits = RequestLimits(settings.rates, isForDevelopment: isInsecureDev, metrics: metrics)
        writer = LogWriter(level: settings.log.level)
        log = Log(writer, context: [.field("node", settings.node.name)])
        do { loop = try Loop(name: "projector") } catch {
            throw Component.StartFailure(.failure, "no loop: \(error)")
        }
        let connection = try ConnectionSettings(settings.database, node: settings.node.name)
        gate = settings.database.gate(connection, for: .projecting, isInsecureDev, on: loop, log)
        database = Database(connection, loops: [loop], isReadOnly: true)
        serverClock = ServerClock(database, on: loop, log: log)
        clock = SystemClock(serverClock)
        projects = SettingsCatalogue(
            database,
            documents: ProjectDocument(isInsecureDevelopment: isInsecureDev),
            log: log
        )
        bell = FeedBell(on: loop)
        let (events, revocations) = Self.topics(settings)
        service = ProjectorService(
            PostgresProjection(
                connection,
                topic: settings.kafka.eventsTopic,
                revocationsTopic: settings.kafka.revocationsTopic,
                projects: projects,
                on: loop,
                log: log
            ),
            EventReader(
                events,
                partitions: TopicRules.partitions,
                on: loop,
                blocking: blocking,
                allowsDevelopmentBroker: isInsecureDev
            ),
            RevocationTopic(
                revocations,
                partitions: TopicRules.partitions,
                on: loop,
                blocking: blocking
            ),
            bell: bell,
            times: clock,
            observer: RevocationLatency(metrics),
            on: loop,
            log: log
        )
        RuntimeMetrics.publish([loop], writer, to: metrics, log: log)
        RuntimeMetrics.publish("revocation-projector", ProcessInvocation.version, to: metrics)
        CertificateMetrics.publish(settings.kafka, to: metrics)
        ProjectorMetrics.publish(service, to: metrics)
        serverClock.publish(to: metrics)
    }

    private static func topics(
        _ settings: RevocationProjectorSettings
    ) -> (KafkaTopic, KafkaTopic) {
        let brokers = KafkaClientSettings(settings.kafka, clientID: settings.node.name)
        var events = KafkaTopic(brokers, name: settings.kafka.eventsTopic)
        // A transaction for many records: what comes alone waits no longer than this.
        (events.fetchWaitMilliseconds, events.fetchBytesMin) = (10, 16 * 1024)
        return (events, KafkaTopic(brokers, name: settings.kafka.revocationsTopic))
    }

    /// Serves until the process is told to end.
    func run() -> ExitCode {
        let observer = RequestObserver(metrics: metrics, log: log)
        let health = health
        let adminServer = adminServer(health, observer)
        let lifecycle = Lifecycle(
            on: loop,
            log: log,
            notice: .seconds(settings.node.noticeSeconds),
            [
                gate.component, projectsComponent,
                // Stops last, so that the end can be watched.
                Component(
                    "health",
                    retire: { health.leave() },
                    stop: { await adminServer?.drain() }
                ),
                .listener("public", publicServer(observer), reloadingOn: blocking),
                // Who waits at the feed is answered as its listener closes, not before: told to
                // ask again, they would come back at once.
                Component("waiting readers", stop: { [bell] in bell.close() }),
                .listener("admin", adminServer, reloadingOn: blocking, drains: false),
                .settings(settings, rereading: reread, on: blocking, log: log) {
                    [writer, limits] settings in
                    writer.setLevel(settings.log.level)
                    limits.replace(rates: settings.rates)
                },
                topics.component(on: loop),
                Component(
                    "projector",
                    start: { [service] in service.start() },
                    stop: { [service] in await service.stop() }
                ),
            ]
        )
        RuntimeMetrics.publish(lifecycle, to: metrics)
        let code = lifecycle.run()
        writer.flush()
        return code
    }

    /// Asks once what a start asks.
    func check() -> ExitCode {
        let code = Lifecycle.check(
            on: loop,
            log: log,
            [gate.checkComponent, topics.component(on: loop)]
        )
        writer.flush()
        return code ?? .failure
    }

    private var topics: TopicGate {
        TopicGate(
            settings.kafka,
            [.events, .revocations],
            clientID: settings.node.name,
            isInsecureDev: isInsecureDev,
            on: blocking,
            log: log
        )
    }

    /// The database, and the projects in it; read again every five seconds.
    private var projectsComponent: Component {
        Component(
            "projects",
            start: { [database, projects, loop, clock, serverClock] in
                database.start()
                loop.spawn { await serverClock.run() }
                loop.spawn {
                    // The first times the connection may not be there yet.
                    while !loop.isStopping {
                        try? await projects.refresh(by: clock.deadline(inMilliseconds: 2000))
                        try? await loop.sleep(until: loop.now.advanced(by: projects.pause))
                    }
                }
            },
            stop: { [database] in database.stop() }
        )
    }
}
