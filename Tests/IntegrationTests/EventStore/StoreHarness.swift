import Domain
import InMemory
import Issuing
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

/// A node: an event store with its connections, as a process has it, on one loop.
final class StoreHarness: Sendable {
    let store: PostgresEventStore
    let database: Database
    let project: ProjectNumber
    let metrics = Metrics()
    private let entropy = SeededEntropy(seed: .random(in: .min ... .max))

    /// `searching`: a search path of its connections.
    init(_ test: TestDatabase, loops: [Loop]? = nil, searching path: String? = nil) throws {
        let loops = loops ?? [test.loop]
        project = try #require(ProjectNumber(1))
        var settings = test.settings(as: "token_issuer")
        if let path { settings.options.append(("search_path", path)) }
        database = Database(settings, loops: loops)
        store = PostgresEventStore(
            EventStoreSettings(node: "test", lanes: 1, cacheBytesMax: 1024 * 1024),
            connection: settings,
            database: database,
            loops: loops,
            names: StreamNames(StandInDigester()),
            digester: StandInDigester(),
            metrics: PersistenceMetrics(metrics),
            log: .discarding
        )
        database.start()
        store.start()
    }

    func stop() {
        store.stop()
        database.stop()
    }

    /// Runs `body` with as many nodes as asked for, on one database.
    static func with(
        nodes: Int = 1,
        _ body: @escaping @Sendable (TestDatabase, [StoreHarness]) async throws -> Void
    ) async throws {
        try await TestDatabase.with { database in
            let nodes = try (0..<nodes).map { _ in try StoreHarness(database) }
            defer { for node in nodes { node.stop() } }
            for node in nodes { try await node.untilReady() }
            try await body(database, nodes)
        }
    }

    /// Waits for the first connections: a busy machine takes longer than a statement waits.
    func untilReady() async throws {
        try await patiently {
            guard database.isConnected else { throw StoreError.unavailable }
            _ = try await store.loadCurrent(Subject.self, newStream(), by: .soon)
        }
        _ = try await register()
    }

    /// Does again what a busy machine refused: nothing has happened then.
    func patiently<Answer>(_ body: () async throws -> Answer) async throws -> Answer {
        let limit = Deadline.soon
        while true {
            do { return try await body() } catch StoreError.unavailable {
                guard Deadline.after(.zero) < limit else { throw StoreError.unavailable }
                try await Task.sleep(for: .milliseconds(5))
            }
        }
    }

    func newStream() -> StreamID { .timeOrdered(at: .sample, from: entropy) }

    func newCommand() -> CommandID { CommandID(newStream()) }

    /// A subject that is registered: version 1.
    func register() async throws -> Loaded<Subject> {
        var loaded = Loaded<Subject>.new(newStream())
        try await append([.registered(.sample)], to: &loaded)
        return loaded
    }

    /// Appends subject events, each following from the state before.
    func append(
        _ events: [Subject.Event],
        to loaded: inout Loaded<Subject>,
        guards: [StreamGuard] = [],
        by deadline: Deadline = .soon
    ) async throws {
        let after = try #require(Subject.fold(events, from: loaded.state))
        let commit = commit([append(events, to: loaded, after: after)], guards: guards)
        let stream = loaded.stream
        try await patiently { try await store.append(commit, by: deadline) }
        loaded = try await patiently { try await store.load(Subject.self, stream, by: .soon) }
    }

    func append(
        _ events: [Subject.Event],
        to loaded: Loaded<Subject>,
        after: Subject.State
    ) -> StreamAppend {
        StreamAppend(
            stream: loaded.stream,
            kind: .subject,
            expected: loaded.version,
            server: loaded.server,
            previousHash: loaded.hash,
            occurredAt: .sample,
            events: events.map(Subject.wrap),
            stateAfter: after
        )
    }

    /// An event of another kind than a subject's, behind the head of a stream.
    func given(on head: StreamGuard, after hash: EventHash?) throws -> StreamAppend {
        let client = try #require(ClientID("app"))
        let given = Consent.Event.given(client, try #require(Scope("openid")))
        return StreamAppend(
            stream: head.stream,
            kind: .consent,
            expected: head.version,
            server: head.server,
            previousHash: hash,
            occurredAt: .sample,
            events: [Consent.wrap(given)],
            stateAfter: Consent.State.absent
        )
    }

    func commit(
        _ streams: [StreamAppend],
        guards: [StreamGuard] = [],
        as command: CommandID? = nil
    ) -> Commit {
        Commit(
            command: command ?? newCommand(),
            project: project,
            attributes: EventAttributes(actor: .operator(name: "ops")),
            streams: streams,
            guards: guards
        )
    }

    /// The next state of a registered subject: it is switched off and on.
    func toggled(_ loaded: Loaded<Subject>) throws -> StreamAppend {
        let event: Subject.Event =
            if case .active = loaded.state { .disabled(.operator) } else { .enabled(at: .sample) }
        let after = try #require(Subject.evolve(loaded.state, by: event))
        return append([event], to: loaded, after: after)
    }
}

extension Subject.Event {
    static func registered(_ at: Instant) -> Self {
        .registered(
            source: .operator,
            email: Sealed(bytes: [1] + Array(repeating: 7, count: 40)),
            emailVerified: true,
            at: at
        )
    }
}

extension Instant {
    /// An hour after the tests began, and some microseconds: the log takes nothing late.
    static let sample = Instant(
        microseconds: WallTime.nowMicroseconds() / 1000 * 1000 + 3_600_000_123
    )
}

extension Deadline {
    static var soon: Self { after(.seconds(60)) }

    static func after(_ duration: Duration) -> Self {
        Deadline(nanoseconds: MonotonicInstant.after(duration).nanoseconds)
    }
}
