import Domain
import EventFormat
import TestSupport

/// One event per stored type, every optional member present: what the golden files hold.
enum StoredSamples {
    static let columns = StoredColumns(
        occurredAt: Instant(microseconds: 1_795_232_854_473_123),
        subject: Sample.subject(0xA1),
        session: Sample.session(0xA2),
        client: Sample.stream(0xA3)
    )

    static let metadata = EventMetadata(
        actor: .operator,
        by: "ann",
        reason: "a \"reason\"",
        cause: Cause(stream: Sample.stream(0xA4), version: 7),
        correlation: Sample.stream(0xA5),
        node: "issuer-1",
        seal: Sample.stream(0xA6),
        traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    )

    static let place = PublishedForm.Place(
        log: Sample.stream(0xA7),
        logIndex: 1234,
        projectName: Sample.project("shop"),
        hash: EventHash(digest: Sample.digest(0xA8)),
        relayEpoch: 3
    )

    /// Whole milliseconds, as members have them.
    static let later = columns.occurredAt.wholeMilliseconds.adding(seconds: 600)

    static let client = Sample.client("client_a")
    static let scope = Sample.scope("openid offline_access https://example.com/read")
    static let login = Authentication(
        methods: [.hwk, .user],
        at: columns.occurredAt.adding(seconds: -9),
        approval: .sameDevice
    )

    /// The row of an event, as the store would write it.
    static func row(_ event: DomainEvent) -> StoredEvent {
        let (type, payload) = EventFormat.encode(event)
        return StoredEvent(
            project: Sample.number(2),
            stream: Sample.stream(0xB1),
            version: 5,
            type: type,
            command: CommandID(Sample.stream(0xB2)),
            actor: Sample.stream(0xB3),
            columns: columns,
            payload: payload,
            metadata: metadata.encoded()
        )
    }

    static let all: [DomainEvent] = [
        subjects, loginIDs, loginLinks, authorizations, browserSessions, codes,
        Array(grants[..<7]), Array(sharing[..<3]), Array(grants[7...]), Array(sharing[3...]),
        biometricKeys, urls, consents, spent, keys, configs,
    ].flatMap(\.self)

    static let subjects: [DomainEvent] = [
        .subject(
            .registered(
                source: .loginLink,
                email: Sample.sealed(1),
                emailVerified: true,
                at: columns.occurredAt
            )
        ),
        .subject(.disabled(.operator)), .subject(.enabled(at: columns.occurredAt)),
        .subject(.erased),
    ]

    static let loginIDs: [DomainEvent] = [
        .loginID(.claimed(by: Sample.subject(0xA1), kind: .email, value: Sample.sealed(2))),
        .loginID(.released(by: Sample.subject(0xA1), .changed)),
    ]

    static let loginLinks: [DomainEvent] = [
        .loginLink(
            .requested(
                LoginLink.Request(
                    authorization: Sample.stream(0xC1),
                    client: client,
                    email: Sample.sealed(3),
                    device: Sample.sealed(4),
                    place: Sample.sealed(5),
                    subject: columns.subject,
                    initiator: Sample.digest(5),
                    mode: .confirm,
                    number: 42,
                    requestedAt: columns.occurredAt,
                    expiresAt: later
                )
            )
        ),
        .loginLink(.resent(generation: 2, at: columns.occurredAt)),
        .loginLink(.mailSent(generation: 2, attempt: 1)),
        .loginLink(.mailFailed(generation: 2, attempt: 1, code: 451, final: false)),
        .loginLink(.approved(by: .native, sameDevice: true, generation: 2)),
        .loginLink(.denied(.numberMismatch)),
        .loginLink(.superseded(by: Sample.stream(0xC2))),
        .loginLink(.consumed(authorization: Sample.stream(0xC1))),
    ]

    static let biometricKeys: [DomainEvent] = [
        .biometricKey(
            .enabled(
                BiometricKey.Registration(
                    subject: Sample.subject(0xA1),
                    client: client,
                    kid: "kid-0001",
                    key: DeviceKey(
                        thumbprint: Sample.key(41),
                        jwk: Array(#"{"crv":"P-256","kty":"EC","x":"AQ","y":"Ag"}"#.utf8)
                    ),
                    algorithm: "ES256",
                    device: Sample.sealed(42),
                    mail: Sample.stream(0x4D),
                    approval: .sameDevice,
                    enabledAt: columns.occurredAt
                )
            )
        ),
        .biometricKey(
            .used(.authenticateApp2App, session: Sample.session(0x81), at: columns.occurredAt)
        ),
        .biometricKey(.verificationFailed(count: 3, at: columns.occurredAt)),
        .biometricKey(.disabled(.user)),
        .biometricKey(.materialClaimed(kid: "kid-0001")),
    ]

    static let consents: [DomainEvent] = [
        .consent(.given(client, scope)), .consent(.withdrawn(client, by: .user)),
    ]

    static let spent: [DomainEvent] = [.spent(.spent(.clientAssertion, expiresAt: later))]

    static let keys: [DomainEvent] = [
        .signingKey(
            .staged(
                kid: "kid-1",
                .es256,
                publicKey: Array(#"{"crv":"P-256","kty":"EC","x":"AQ","y":"Ag"}"#.utf8),
                at: columns.occurredAt
            )
        ),
        .signingKey(.promoted(kid: "kid-1", emergency: false)),
        .signingKey(.retired(kid: "kid-1", at: columns.occurredAt)),
        .signingKey(.removed(kid: "kid-1")),
        .signingKey(.compromised(kid: "kid-1", issuedBefore: later)),
    ]

    static let configs: [DomainEvent] = [
        .projectConfig(
            .applied(
                ProjectConfig.Applied(
                    id: Sample.project("shop"),
                    digest: Sample.digest(6),
                    document: Array("id: shop\nname: \"Shöp\"\n".utf8)
                ),
                changed: ["http", "id"],
                added: ProjectConfig.Difference([Sample.client("partner")], at: columns.occurredAt),
                cascaded: ProjectConfig.Difference([Sample.client("bank")], at: columns.occurredAt)
            )
        ),
        .projectConfig(.suspended(reason: "unpaid")), .projectConfig(.resumed),
    ]
}
