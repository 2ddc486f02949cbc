internal import Configuration
internal import HTTPServer
internal import Kafka
internal import Messaging
internal import Migrations
internal import Persistence
internal import Postgres
internal import Runtime
internal import WebAPI

/// Every object of `event-relay`, made once and handed to what needs it.
struct Wiring {
    private let settings: EventRelaySettings
    private let isInsecureDev: Bool
    private let writer: LogWriter
    private let log: Log
    private let metrics = Metrics()
    private let loop: Loop
    private let connection: ConnectionSettings
    private let eventLog: PostgresRelayLog
    private let service: RelayService

    /// - Throws: why the process cannot start, with the exit code.
    init(_ settings: EventRelaySettings, isInsecureDev: Bool) throws(Component.StartFailure) {
        self.settings = settings
        self.isInsecureDev = isInsecureDev
        writer = LogWriter(level: settings.log.level)
        log = Log(writer, context: [.field("node", settings.node.name)])
        do { loop = try Loop(name: "relay") } catch {
            throw Component.StartFailure(.failure, "no loop: \(error)")
        }
        connection = try Self.connection(settings)
        eventLog = PostgresRelayLog(connection, on: loop, log: log)
        service = RelayService(
            eventLog,
            KafkaEventPublisher(
                EventTopic(Self.brokers(settings), name: settings.kafka.eventsTopic),
                on: loop,
                blocking: BlockingExecutor(),
                log: log,
                allowsDevelopmentBroker: isInsecureDev
            ),
            replayStart: settings.replayStart,
            metrics: metrics,
            on: loop,
            log: log
        )
        RuntimeMetrics.publish([loop], writer, to: metrics, log: log)
    }

    /// Publishes until the process is told to end.
    func run() -> ExitCode {
        let server = adminServer
        let lifecycle = Guarded<Lifecycle?>(nil)
        let made = Lifecycle(
            on: loop,
            log: log,
            [
                schema,
                Component(
                    "admin",
                    start: { () async throws(Component.StartFailure) in
                        do { try server?.start() } catch {
                            throw Component.StartFailure(.failure, "admin listener: \(error)")
                        }
                    },
                    stop: { await server?.drain() }
                ),
                kafka,
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
        let code = made.run()
        writer.flush()
        return code
    }

    /// Program and schema agree, or the process does not start; a database that is away is no
    /// reason to end.
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

    /// Topics that could lose events are refused (security.md section 10.8); brokers that are away
    /// are no reason to end.
    private var kafka: Component {
        Component(
            "kafka",
            start: { [settings, isInsecureDev, log] () async throws(Component.StartFailure) in
                guard !isInsecureDev else { return }
                let isReplicated = settings.kafka.topology == .replicated
                let check = TopicCheck(
                    Self.brokers(settings),
                    [(settings.kafka.eventsTopic, .events(isReplicated: isReplicated))],
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

    private var adminServer: HTTPServer? {
        guard let address = settings.admin.address else { return nil }
        let health = Health(
            isAlive: { [loop] in
                loop.lastTurn > MonotonicInstant.now().advanced(by: .seconds(-5))
            },
            checks: [
                Health.Check("database") { [eventLog] in
                    eventLog.isConnected ? nil : "no connection"
                },
                Health.Check("relay") { [service] in service.problem },
            ],
            metrics: metrics
        )
        return HTTPServer(
            ServerSettings(name: "admin", addresses: [address]),
            handler: HealthAPI(health, observer: RequestObserver(metrics: metrics, log: log)),
            loops: [loop],
            log: log,
            metrics: metrics
        )
    }

    private static func brokers(_ settings: EventRelaySettings) -> ClientSettings {
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

    private static func connection(_ settings: EventRelaySettings)
        throws(Component.StartFailure) -> ConnectionSettings
    {
        let database = settings.database
        var password: Secret?
        if let path = database.passwordPath {
            do { password = try FileReading.secret(at: path, bytesMax: 1024) } catch {
                throw Component.StartFailure(.configuration, "\(path): \(error)")
            }
        }
        var connection = ConnectionSettings(
            host: database.host,
            address: database.address,
            port: database.port,
            database: database.name,
            user: database.user,
            password: password,
            protection: database.authoritiesPath.map { .verified(authoritiesPath: $0) } ?? .none,
            applicationName: settings.node.name
        )
        connection.resolution = NameResolution(on: BlockingExecutor())
        return connection
    }
}
