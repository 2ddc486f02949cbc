internal import Assembly
internal import Configuration
internal import Issuing
internal import Kafka
internal import Messaging
internal import Persistence
internal import Postgres
internal import Runtime
internal import Signing
internal import WebAPI

/// Every object of `revocation-projector`, made once and handed to what needs it.
struct Wiring: ProcessWiring {
    typealias Settings = RevocationProjectorSettings

    let frame: ProcessFrame<RevocationProjectorSettings>
    let gate: DatabaseGate
    let database: Database
    let projects: SettingsCatalogue
    let bell: FeedBell
    let service: ProjectorService
    let serverClock: ServerClock
    let clock: SystemClock
    let limits: RequestLimits

    static func loopNames(_ settings: RevocationProjectorSettings) -> [String] { ["projector"] }

    init(_ frame: ProcessFrame<RevocationProjectorSettings>) throws(Component.StartFailure) {
        self.frame = frame
        let (settings, isInsecureDev) = (frame.settings, frame.isInsecureDev)
        let (loop, blocking) = (frame.loop, frame.blocking)
        let (metrics, log) = (frame.metrics, frame.log)
        limits = RequestLimits(settings.rates, isForDevelopment: isInsecureDev, metrics: metrics)
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
        frame.publishMetrics()
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

    var topics: TopicGate { frame.topics([.events, .revocations]) }

    func components() -> [Component] {
        let observer = RequestObserver(metrics: metrics, log: log)
        let health = health
        let adminServer = frame.adminServer(HealthAPI(health, observer: observer))
        return [
            gate.component, projectsComponent,
            .health(health, ending: adminServer),
            .listener("public", publicServer(observer), reloadingOn: blocking),
            // Who waits at the feed is answered as its listener closes, not before: told to
            // ask again, they would come back at once.
            Component("waiting readers", stop: { [bell] in bell.close() }),
            .listener("admin", adminServer, reloadingOn: blocking, drains: false),
            frame.settingsComponent { [limits] new in limits.replace(rates: new.rates) },
            topics.component(on: loop),
            Component(
                "projector",
                start: { [service] in service.start() },
                stop: { [service] in await service.stop() }
            ),
        ]
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
