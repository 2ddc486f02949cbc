internal import Assembly
internal import Configuration
internal import HTTPServer
internal import Kafka
internal import Messaging
internal import Persistence
internal import Postgres
internal import Runtime
internal import WebAPI

/// Every object of `event-relay`, made once and handed to what needs it.
struct Wiring {
    /// Reads the settings again.
    typealias Reread = @Sendable () throws(Component.ReloadFailure) -> EventRelaySettings

    private let settings: EventRelaySettings
    private let isInsecureDev: Bool
    private let writer: LogWriter
    private let log: Log
    private let metrics = Metrics()
    private let loop: Loop
    let gate: DatabaseGate
    private let eventLog: PostgresRelayLog
    private let service: RelayService
    private let blocking = BlockingExecutor()
    private let reread: Reread

    /// - Throws: why the process cannot start, with the exit code.
    init(
        _ settings: EventRelaySettings,
        isInsecureDev: Bool,
        reread: @escaping Reread
    ) throws(Component.StartFailure) {
        self.settings = settings
        self.reread = reread
        self.isInsecureDev = isInsecureDev
        writer = LogWriter(level: settings.log.level)
        log = Log(writer, context: [.field("node", settings.node.name)])
        do { loop = try Loop(name: "relay") } catch {
            throw Component.StartFailure(.failure, "no loop: \(error)")
        }
        let connection = try ConnectionSettings(settings.database, node: settings.node.name)
        gate = settings.database.gate(connection, for: .publishing, isInsecureDev, on: loop, log)
        eventLog = PostgresRelayLog(
            connection,
            topic: settings.kafka.eventsTopic,
            on: loop,
            log: log
        )
        service = RelayService(
            eventLog,
            KafkaEventPublisher(
                KafkaTopic(
                    KafkaClientSettings(settings.kafka, clientID: settings.node.name),
                    name: settings.kafka.eventsTopic
                ),
                partitions: TopicRules.partitions,
                on: loop,
                blocking: blocking,
                log: log,
                allowsDevelopmentBroker: isInsecureDev
            ),
            replayStart: settings.replayStart,
            metrics: metrics,
            on: loop,
            log: log
        )
        RuntimeMetrics.publish([loop], writer, to: metrics, log: log)
        RuntimeMetrics.publish("event-relay", ProcessInvocation.version, to: metrics)
        CertificateMetrics.publish(settings.kafka, to: metrics)
    }

    /// Publishes until the process is told to end.
    func run() -> ExitCode {
        let health = health
        let lifecycle = Guarded<Lifecycle?>(nil)
        let made = Lifecycle(
            on: loop,
            log: log,
            [
                gate.component,
                // Listens until all else has ended, and says meanwhile that it goes.
                Component("health", retire: { health.leave() }),
                .listener("admin", adminServer(health), reloadingOn: blocking),
                .settings(settings, rereading: reread, on: blocking, log: log) {
                    [writer] settings in
                    writer.setLevel(settings.log.level)
                },
                topics.component(on: loop),
                Component(
                    "relay",
                    start: { [service] in
                        service.start { lifecycle.current?.end(.temporaryFailure) }
                    },
                    stop: { [service] in await service.stop() }
                ),
            ]
        )
        lifecycle.replace(with: made)
        RuntimeMetrics.publish(made, to: metrics)
        let code = made.run()
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
            [.events],
            clientID: settings.node.name,
            isInsecureDev: isInsecureDev,
            on: blocking,
            log: log
        )
    }

    private var health: Health {
        Health(
            isAlive: { [loop] in loop.isTurning },
            checks: [
                Health.Check("database") { [eventLog] in
                    eventLog.isConnected ? nil : "no connection"
                },
                Health.Check("schema") { [gate] in gate.problem },
                Health.Check("relay") { [service] in service.problem },
            ],
            metrics: metrics
        )
    }

    private func adminServer(_ health: Health) -> HTTPServer? {
        guard let address = settings.admin.address else { return nil }
        return HTTPServer(
            ServerSettings(
                name: "admin",
                addresses: [address],
                tls: TLSSettings(settings.admin)
            ),
            handler: HealthAPI(health, observer: RequestObserver(metrics: metrics, log: log)),
            loops: [loop],
            log: log,
            metrics: metrics
        )
    }
}
