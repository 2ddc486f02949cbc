import Domain
import InMemory
import Issuing
import TestSupport
import Testing

/// Where commands came from (decision 0229).
@Suite("Where a command came from") struct CommandOriginTests {
    private final class Source: RequestSource {
        let network = "203.0.113.0/24"
        let userAgent = "curl/8"
    }

    struct Row: Sendable {
        var name: String
        var kind = AggregateKind.offlineGrant
        var event: DomainEvent
        var actor = EventAttributes.Actor.client(Sample.client("app"))
        var isCaused = false
        var hasSource = true
        var isKept = true
        /// Whose the row is.
        var owner: SubjectID? = Sample.subject(1)
    }

    private static let registration = BiometricKey.Registration(
        subject: Sample.subject(1),
        client: Sample.client("app"),
        kid: "kid",
        key: DeviceKey(thumbprint: Sample.key(1), jwk: []),
        algorithm: "ES256",
        enabledAt: Sample.time(1)
    )
    private static let reuse = DomainEvent.offlineGrant(
        .reuseDetected(family: 0, client: Sample.client("app"), presentedGeneration: 1)
    )
    private static let ended = DomainEvent.offlineGrant(.revoked(.operator))

    static let rows = [
        Row(name: "a refresh token that comes again", event: reuse),
        Row(
            name: "a code that comes again, which names what it repeats",
            kind: .authorizationCode,
            event: .authorizationCode(.replayed(afterMilliseconds: 1, revoked: true)),
            isCaused: true
        ),
        Row(
            name: "a new biometric key",
            kind: .biometricKey,
            event: .biometricKey(.enabled(registration))
        ),
        Row(
            name: "a wrong signature",
            kind: .biometricKey,
            event: .biometricKey(.verificationFailed(count: 1, at: Sample.time(1)))
        ),
        Row(
            name: "an operator's order, which is not from where its subject is",
            event: ended,
            actor: .operator(name: "ann"),
            owner: nil
        ),
        Row(name: "what a client does every minute", event: ended, isKept: false),
        Row(
            name: "what follows from an order",
            event: ended,
            actor: .operator(name: "ann"),
            isCaused: true,
            isKept: false
        ),
        Row(name: "what no request gave", event: reuse, hasSource: false, isKept: false),
    ]

    @Test("is kept of what may be asked about, and of nothing else", arguments: rows)
    func kept(_ row: Row) async throws {
        let contexts = InMemoryContextLog()
        let store = AnnouncingEventStore(InMemoryEventStore(), contexts: contexts) { _ in }
        var attributes = EventAttributes(
            actor: row.actor,
            correlation: Correlation(
                request: Sample.stream(9),
                source: row.hasSource ? Source() : nil
            )
        )
        attributes.subject = Sample.subject(1)
        if row.isCaused { attributes.cause = Cause(stream: Sample.stream(8), version: 1) }
        let append = StreamAppend(
            stream: Sample.stream(7),
            kind: row.kind,
            expected: 0,
            previousHash: nil,
            occurredAt: Sample.time(1),
            events: [row.event],
            stateAfter: nil
        )
        let command = CommandID(Sample.stream(6))
        try await store.append(
            Commit(
                command: command,
                project: Sample.number(1),
                attributes: attributes,
                streams: [append],
                guards: []
            ),
            by: Fixture.noDeadline
        )
        let context = RequestContext(
            command: command,
            project: Sample.number(1),
            subject: row.owner,
            at: Sample.time(1),
            network: "203.0.113.0/24",
            userAgent: "curl/8"
        )
        #expect(contexts.recorded == (row.isKept ? [context] : []), "\(row.name)")
    }
}
