internal import Assembly
internal import Configuration
internal import Kafka
internal import Messaging
internal import Persistence
internal import Postgres
internal import Runtime
internal import WebAPI

/// Every object of `event-relay`, made once and handed to what needs it.
struct Wiring: ProcessWiring {
    typealias Settings = EventRelaySettings

    let frame: ProcessFrame<EventRelaySettings>
    let gate: DatabaseGate
    private let eventLog: PostgresRelayLog
    private let service: RelayService

    static func loopNames(_ settings: EventRelaySettings) -> [String] { ["relay"] }

    init(_ frame: ProcessFrame<EventRelaySettings>) throws(Component.StartFailure) {
        self.frame = frame
        let (settings, isInsecureDev) = (frame.settings, frame.isInsecureDev)
        let (loop, log) = (frame.loop, frame.log)
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
                blocking: frame.blocking,
                log: log,
                allowsDevelopmentBroker: isInsecureDev
            ),
            replayStart: settings.replayStart,
            metrics: frame.metrics,
            on: loop,
            log: log
        )
        frame.publishMetrics()
    }

    /// Nobody sends it anything.
    var notice: Duration { .zero }

    var topics: TopicGate { frame.topics([.events]) }

    func components() -> [Component] {
        let health = health
        let observer = RequestObserver(metrics: metrics, log: log)
        let adminServer = frame.adminServer(HealthAPI(health, observer: observer))
        return [
            gate.component,
            .health(health, ending: adminServer),
            .listener("admin", adminServer, reloadingOn: blocking, drains: false),
            frame.settingsComponent(),
            topics.component(on: loop),
            Component(
                "relay",
                start: { [service, frame] in service.start { frame.end(.temporaryFailure) } },
                stop: { [service] in await service.stop() }
            ),
        ]
    }

    private var health: Health {
        frame.health([
            Health.Check("database") { [eventLog] in
                eventLog.isConnected ? nil : "no connection"
            },
            Health.Check("schema") { [gate] in gate.problem },
            Health.Check("relay") { [service] in service.problem },
        ])
    }
}
