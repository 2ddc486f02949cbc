import Domain
import EventFormat
import InMemory
import Projections
import Publishing
import TestSupport

/// A log, its topic, relays that fill it, and projectors that read it.
struct ProjectorWorld {
    typealias TestProjector = Projector<
        InMemoryProjectionSession, InMemoryEventSource, InMemoryRevocationSink
    >

    let relays = RelayWorld()
    let model: InMemoryReadModel
    let revocations: InMemoryRevocationTopic

    init() {
        model = InMemoryReadModel(of: relays.log)
        revocations = InMemoryRevocationTopic(beside: relays.topic)
    }

    func projector() -> (TestProjector, InMemoryProjectionSession) {
        let session = model.session()
        let projector = TestProjector(
            store: session,
            source: relays.topic.source(),
            sink: revocations.sink(),
            clock: relays.clock
        )
        return (projector, session)
    }

    /// Commits these events of one session and publishes them.
    func happens(_ events: [BrowserSession.Event], to stream: UInt64, from first: Int32 = 1)
        async throws
    {
        commit(events, to: stream, from: first)
        try await publish()
    }

    /// Commits these events of one session.
    func commit(_ events: [BrowserSession.Event], to stream: UInt64, from first: Int32 = 1) {
        let xid = relays.log.begin()
        relays.log.commit(
            xid,
            events.enumerated().map { offset, event in
                Self.stored(.browserSession(event), stream, first + Int32(offset))
            }
        )
    }

    /// Lets a relay publish what is committed, and a watermark.
    func publish() async throws {
        var (relay, session) = relays.relay()
        try await relay.turns(20)
        relays.clock.advance(.seconds(30))
        try await relay.turns(20)
        session.cut()
    }

    static func stored(
        _ event: DomainEvent,
        _ stream: UInt64,
        _ version: Int32
    ) -> (StoredEvent, EventHash) {
        let (type, payload) = EventFormat.encode(event)
        let id = Sample.stream(stream)
        let stored = StoredEvent(
            project: Sample.number(1),
            stream: id,
            version: version,
            type: type,
            command: CommandID(Sample.stream(0xC0)),
            actor: nil,
            columns: StoredColumns(
                occurredAt: Sample.time(Double(version)),
                subject: Sample.subject(1),
                session: SessionID(id)
            ),
            payload: payload,
            metadata: EventMetadata(
                actor: .system,
                correlation: Sample.stream(0xC1),
                node: "test"
            ).encoded()
        )
        return (stored, EventHash(digest: Sample.digest(UInt8(truncatingIfNeeded: version))))
    }

    static let opened = BrowserSession.Event.opened(
        BrowserSession.Session(
            subject: Sample.subject(1),
            authentication: Authentication(methods: [.otp], at: Sample.time(-1)),
            cookie: Sample.digest(3),
            parent: Parent(kind: .loginLink, stream: Sample.stream(4)),
            openedAt: Sample.time(0),
            expiresAt: Sample.time(8888),
            idleMilliseconds: 3_600_000
        )
    )

    static func key(_ stream: UInt64) -> String { Sample.stream(stream).description }

    /// The read model of what PostgreSQL has, made in one go.
    func rebuilt() async throws -> InMemoryReadModel {
        let other = InMemoryReadModel(of: relays.log)
        let session = other.session()
        var progress = other.progress
        while let range = try await session.published(after: progress.frontier) {
            let versions = try await session.versions(of: range.events.map { SessionID($0.stream) })
            var batch = ProjectionBatch(after: progress, versions: versions)
            batch.take(range)
            try await session.apply(batch, onCluster: "none")
            progress = batch.progress
        }
        return other
    }

    /// Whether the model is the one that the log gives.
    func isWhole() async throws -> Bool {
        let rebuilt = try await rebuilt()
        return model.sessions == rebuilt.sessions
            && model.revocations.mapValues(\.revocation)
                == rebuilt.revocations.mapValues(\.revocation)
    }
}

extension Projector {
    mutating func turns(_ count: Int = 12) async { for _ in 0..<count { await turn() } }

    /// So often by turns with another.
    mutating func turns<OtherStore, OtherSource, OtherSink>(
        _ count: Int,
        with other: inout Projector<OtherStore, OtherSource, OtherSink>
    ) async {
        for _ in 0..<count {
            await turn()
            await other.turn()
        }
    }
}
