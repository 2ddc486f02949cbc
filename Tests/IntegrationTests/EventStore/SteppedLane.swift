import Domain
import InMemory
import Issuing
import Persistence
import Runtime
import TestSupport

extension PostgresEventStore {
    /// One lane over a connection that a test plays, on a loop that it steps by hand.
    convenience init(
        oneLane connection: ScriptedConnection,
        on loop: Loop,
        _ metrics: PersistenceMetrics = PersistenceMetrics(Metrics())
    ) {
        self.init(
            EventStoreSettings(node: "test", lanes: 1, cacheBytesMax: 1024 * 1024),
            readers: [(loop, connection)],
            lanes: [(loop, connection)],
            names: StreamNames(StandInDigester()),
            metrics: metrics,
            log: .discarding
        ) { _ in }
    }
}

extension Commit {
    /// Registers a user: one event of a new stream, or of `stream`.
    static func registration(
        of stream: StreamID? = nil,
        in project: ProjectNumber,
        from entropy: SeededEntropy,
        priority: CommandRequest.Priority = .usual
    ) -> Commit {
        Commit(
            command: CommandID(StreamID.timeOrdered(at: .sample, from: entropy)),
            project: project,
            attributes: EventAttributes(actor: .system),
            streams: [
                StreamAppend(
                    stream: stream ?? .timeOrdered(at: .sample, from: entropy),
                    kind: .subject,
                    expected: 0,
                    previousHash: nil,
                    occurredAt: .sample,
                    events: [Subject.wrap(.registered(.sample))],
                    stateAfter: Subject.State.absent
                )
            ],
            guards: [],
            priority: priority
        )
    }
}
