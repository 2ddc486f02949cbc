import Domain
import EventFormat
import TestSupport

extension StoredSamples {
    static let continuation = Continuation(
        session: Sample.session(0xD8),
        host: client,
        since: Sample.time(9)
    )

    static let request = AuthorizationRequest(
        client: client,
        redirectURI: Sample.redirectURI("https://app.example.com/cb?a=b"),
        redirectURIGiven: true,
        responseType: .code,
        responseMode: .formPost,
        scope: scope,
        state: "stäte",
        nonce: "nonce-1",
        codeChallenge: CodeChallenge(digest: Sample.digest(11)),
        prompt: [.selectAccount, .login],
        maxAge: 300,
        loginHint: Sample.sealed(12),
        resources: ["https://b.example.com/", "https://a.example.com/"],
        dpopKey: Sample.key(13),
        sso: true,
        expectedSubject: Sample.subject(0xD1),
        renews: Sample.session(0xD2),
        colorScheme: .dark,
        startedAt: columns.occurredAt,
        expiresAt: later
    )

    static let authorizations: [DomainEvent] = [
        .authorization(.pushed(request, secret: Sample.digest(10))),
        .authorization(
            .started(
                request,
                browser: Sample.digest(14)
            )
        ),
        .authorization(.loginRequested(Sample.stream(0xD3))),
        .authorization(
            .authenticated(
                Authorization.Login(
                    subject: Sample.subject(0xA1),
                    browserSession: Sample.session(0xD4),
                    continuation: continuation,
                    via: .browserSession,
                    authentication: login
                )
            )
        ),
        .authorization(.completed(code: Sample.stream(0xD5), scope: scope)),
        .authorization(.failed(.accessDenied)),
    ]

    static let browserSessions: [DomainEvent] = [
        .browserSession(
            .opened(
                BrowserSession.Session(
                    subject: Sample.subject(0xA1),
                    authentication: login,
                    cookie: Sample.digest(15),
                    parent: Parent(kind: .loginLink, stream: Sample.stream(0xD6)),
                    openedAt: columns.occurredAt,
                    expiresAt: later,
                    idleMilliseconds: 604_800_000
                )
            )
        ),
        .browserSession(.cookieRotated(Sample.digest(16), .privilege)),
        .browserSession(
            .reauthenticated(login, cookie: Sample.digest(17), at: columns.occurredAt)
        ),
        .browserSession(.seen(at: columns.occurredAt)),
        .browserSession(
            .clientJoined(
                BrowserSession.Joined(client: client, grant: Sample.session(0xD7))
            )
        ),
        .browserSession(.ended(.subjectDisabled)),
    ]

    static let codes: [DomainEvent] = [
        .authorizationCode(
            .issued(
                AuthorizationCode.Ticket(
                    client: client,
                    redirectURI: Sample.redirectURI("com.example.app:/cb"),
                    redirectURIGiven: false,
                    scope: scope,
                    resources: ["https://api.example.com/"],
                    secret: Sample.digest(21),
                    codeChallenge: CodeChallenge(digest: Sample.digest(22)),
                    nonce: "nonce-1",
                    dpopKey: Sample.key(23),
                    subject: Sample.subject(0xA1),
                    authentication: login,
                    parent: Parent(kind: .authorization, stream: Sample.stream(0xE1)),
                    browserSession: Sample.session(0xE2),
                    continuation: continuation,
                    renews: Sample.session(0xE3),
                    expiresAt: later
                )
            )
        ),
        .authorizationCode(
            .redeemed(
                AuthorizationCode.Redemption(
                    grant: Sample.session(0xE4),
                    family: 2,
                    token: TokenID(Sample.stream(0xE5)),
                    at: columns.occurredAt
                )
            )
        ),
        .authorizationCode(.replayed(afterMilliseconds: 12_345, revoked: true)),
    ]

    static let grants: [DomainEvent] = [
        .offlineGrant(
            .opened(
                OfflineGrant.Opening(
                    subject: Sample.subject(0xA1),
                    client: client,
                    scope: scope,
                    authentication: login,
                    via: .code,
                    parent: Parent(kind: .code, stream: Sample.stream(0xF1)),
                    browserSession: Sample.session(0xF2),
                    openedAt: columns.occurredAt,
                    expiresAt: later,
                    idleMilliseconds: 0,
                    device: Sample.sealed(31)
                )
            )
        ),
        .offlineGrant(
            .refreshTokenIssued(
                OfflineGrant.RefreshTokenIssue(
                    client: client,
                    family: 1,
                    scope: scope,
                    secret: Sample.digest(32),
                    rotates: true,
                    dpopKey: Sample.key(33),
                    resources: ["https://api.example.com/"],
                    expiresAt: later
                ),
                at: columns.occurredAt
            )
        ),
        .offlineGrant(
            .accessTokenIssued(
                OfflineGrant.AccessTokenIssue(
                    token: Sample.token(0xF3),
                    client: client,
                    scope: scope,
                    via: .code,
                    dpopKey: Sample.key(36),
                    expiresAt: later
                )
            )
        ),
        .offlineGrant(
            .refreshed(
                OfflineGrant.Refreshed(
                    family: 1,
                    client: client,
                    generation: 2,
                    secret: Sample.digest(34),
                    token: Sample.token(0xF4),
                    scope: scope,
                    expiresAt: later,
                    at: columns.occurredAt
                )
            )
        ),
        .offlineGrant(
            .retried(
                family: 1,
                generation: 2,
                token: Sample.token(0xF5),
                at: columns.occurredAt
            )
        ),
        .offlineGrant(.reuseDetected(family: 1, client: client, presentedGeneration: 1)),
        .offlineGrant(
            .deviceKeyBound(
                DeviceKey(
                    thumbprint: Sample.key(35),
                    jwk: Array(#"{"crv":"P-256","kty":"EC","x":"AQ","y":"Ag"}"#.utf8)
                ),
                insecure: true
            )
        ),
        .offlineGrant(.revoked(.codeReplay)),
        .offlineGrant(
            .accessTokenRevoked(Sample.token(0xF6), client: client, expiresAt: later)
        ),
        .offlineGrant(.reauthenticated(login, at: columns.occurredAt)),
        .offlineGrant(
            .app2appApproved(
                OfflineGrant.App2AppApproval(
                    code: Sample.stream(0xF7),
                    target: Sample.client("client_b"),
                    insecure: true,
                    biometric: false,
                    shown: OfflineGrant.App2AppApproval.ShownToken(family: 2, generation: 3)
                )
            )
        ),
    ]

    static let sharing: [DomainEvent] = [
        .offlineGrant(
            .deviceSecretIssued(
                OfflineGrant.DeviceSecretIssued(
                    generation: 2,
                    secret: Sample.digest(37),
                    dpopKey: Sample.key(38),
                    at: columns.occurredAt
                )
            )
        ),
        .offlineGrant(
            .clientJoined(
                OfflineGrant.ClientJoined(
                    client: Sample.client("client_b"),
                    scope: scope,
                    via: .nativeSSO,
                    depth: 1,
                    parent: Parent(kind: .session, stream: Sample.stream(0xF9)),
                    deviceSecret: 2,
                    at: columns.occurredAt
                )
            )
        ),
        .offlineGrant(.clientLeft(Sample.client("client_b"), .replaced)),
        .offlineGrant(.deviceSecretRevoked(generation: 2)),
        .offlineGrant(.deviceLinked(Sample.session(0xF8))),
        .offlineGrant(
            .urlIssued(
                OfflineGrant.URLIssued(
                    client: Sample.client("web"),
                    depth: 1,
                    url: Sample.stream(0xFA),
                    at: columns.occurredAt
                )
            )
        ),
        .offlineGrant(.deviceSecretUsed(generation: 2)),
    ]

    static let urls: [DomainEvent] = [
        .preAuthenticatedURL(
            .issued(
                PreAuthenticatedURL.Ticket(
                    session: Sample.session(0xFB),
                    client: Sample.client("web"),
                    scope: scope,
                    secret: Sample.digest(39),
                    expiresAt: later
                )
            )
        ),
        .preAuthenticatedURL(.consumed(Sample.token(0xFC), expiresAt: later)),
    ]
}
