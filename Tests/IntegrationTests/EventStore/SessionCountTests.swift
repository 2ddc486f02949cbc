import Domain
import InMemory
import Issuing
import Persistence
import Runtime
import TestSupport
import Testing

@Suite("What the event store counts") struct SessionCountTests {
    private static let client = Sample.client("app")
    private static let opened = OfflineGrant.Event.opened(
        OfflineGrant.Opening(
            subject: Sample.subject(1),
            client: client,
            scope: .empty,
            authentication: Authentication(methods: [.otp], at: .sample),
            via: .biometric,
            parent: Parent(kind: .code, stream: Sample.stream(2)),
            browserSession: nil,
            openedAt: .sample,
            expiresAt: .sample.adding(seconds: 60),
            idleMilliseconds: 60_000
        )
    )
    private static let key = DeviceKey(thumbprint: Sample.key(1), jwk: Array("{}".utf8))
    private static let events: [OfflineGrant.Event] = [
        opened, .deviceKeyBound(key, insecure: false), .deviceKeyBound(key, insecure: true),
        .reuseDetected(family: 0, client: client, presentedGeneration: 1), .revoked(.reuse),
    ]

    /// What is counted after a commit that PostgreSQL takes, or refuses.
    private func counted(isTaken: Bool) throws -> String {
        let loop = try Loop(name: "counts")
        let metrics = Metrics()
        let connection = ScriptedConnection(loop: loop, refusals: isTaken ? [] : [0])
        let store = PostgresEventStore(
            EventStoreSettings(node: "test", lanes: 1, cacheBytesMax: 1024 * 1024),
            readers: [(loop, connection)],
            lanes: [(loop, connection)],
            names: StreamNames(StandInDigester()),
            metrics: PersistenceMetrics(metrics),
            log: .discarding
        ) { _ in }
        let grant = StreamAppend(
            stream: Sample.stream(3),
            kind: .offlineGrant,
            expected: 0,
            previousHash: nil,
            occurredAt: .sample,
            events: Self.events.map(OfflineGrant.wrap),
            stateAfter: OfflineGrant.State.absent
        )
        let commit = Commit(
            command: CommandID(Sample.stream(4)),
            project: Sample.number(1),
            attributes: EventAttributes(actor: .system),
            streams: [grant],
            guards: []
        )
        let outcome = Guarded<Bool?>(nil)
        loop.post {
            loop.spawn {
                do {
                    try await store.append(commit, by: .after(.seconds(60)))
                    outcome.replace(with: true)
                } catch { outcome.replace(with: false) }
            }
        }
        while loop.isReady(at: .now()) { loop.step(at: .now()) }
        #expect(outcome.current == isTaken)
        return String(decoding: metrics.render(), as: UTF8.self)
    }

    @Test("counts what is committed, by what it says") func committed() throws {
        let text = try counted(isTaken: true)
        for line in [
            "grants_opened_total{via=\"biometric\"} 1", "grants_opened_total{via=\"code\"} 0",
            "grants_revoked_total{reason=\"reuse\"} 1", "grants_revoked_total{reason=\"logout\"} 0",
            "refresh_reuse_total 1", "insecure_key_bindings_total 1",
            "append_conflicts_total{stream=\"offline-grant\"} 0",
        ] { #expect(text.contains("\nchancery_\(line)\n"), "\(line)") }
    }

    @Test("counts nothing of what is refused, but the conflict and on what") func refused() throws {
        let text = try counted(isTaken: false)
        for line in [
            "grants_opened_total{via=\"biometric\"} 0", "refresh_reuse_total 0",
            "append_conflicts_total{stream=\"offline-grant\"} 1",
            "append_conflicts_total{stream=\"subject\"} 0",
        ] { #expect(text.contains("\nchancery_\(line)\n"), "\(line)") }
    }
}
