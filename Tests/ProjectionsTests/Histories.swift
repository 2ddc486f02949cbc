import Domain
import TestSupport

/// A grant and a browser-session with every event there is.
enum Histories {
    static let client = Sample.client("app")
    static let login = Authentication(methods: [.otp], at: Sample.time(-1))

    static let grant: [OfflineGrant.Event] = [
        .opened(
            OfflineGrant.Opening(
                subject: Sample.subject(1),
                client: client,
                scope: .empty,
                authentication: login,
                via: .code,
                parent: Parent(kind: .code, stream: Sample.stream(2)),
                browserSession: nil,
                openedAt: Sample.time(0),
                expiresAt: Sample.time(9999),
                idleMilliseconds: 0
            )
        ),
        .refreshTokenIssued(
            OfflineGrant.RefreshTokenIssue(
                client: client,
                family: 1,
                scope: .empty,
                secret: Sample.digest(1),
                rotates: true,
                expiresAt: Sample.time(9999)
            ),
            at: Sample.time(0)
        ),
        .accessTokenIssued(
            OfflineGrant.AccessTokenIssue(
                token: Sample.token(5),
                client: client,
                scope: .empty,
                via: .code,
                expiresAt: Sample.time(900)
            )
        ),
        .refreshed(
            OfflineGrant.Refreshed(
                family: 1,
                client: client,
                generation: 2,
                secret: Sample.digest(2),
                token: Sample.token(6),
                scope: .empty,
                expiresAt: Sample.time(900),
                at: Sample.time(3)
            )
        ),
        .retried(family: 1, generation: 2, token: Sample.token(7), at: Sample.time(4)),
        .reauthenticated(login, at: Sample.time(4)),
        .deviceKeyBound(DeviceKey(thumbprint: Sample.key(8), jwk: []), insecure: false),
        .app2appApproved(
            OfflineGrant.App2AppApproval(
                code: Sample.stream(9),
                target: client,
                insecure: false,
                biometric: false
            )
        ),
        .accessTokenRevoked(Sample.token(6), client: client, expiresAt: Sample.time(900)),
        .reuseDetected(family: 1, client: client, presentedGeneration: 1),
        .revoked(.reuse),
    ]

    static let browser: [BrowserSession.Event] = [
        .opened(
            BrowserSession.Session(
                subject: Sample.subject(1),
                authentication: login,
                cookie: Sample.digest(3),
                parent: Parent(kind: .loginLink, stream: Sample.stream(4)),
                openedAt: Sample.time(0),
                expiresAt: Sample.time(8888),
                idleMilliseconds: 3_600_000
            )
        ),
        .seen(at: Sample.time(1)),
        .cookieRotated(Sample.digest(4), .privilege),
        .clientJoined(BrowserSession.Joined(client: client, grant: Sample.session(20))),
        .reauthenticated(login, cookie: Sample.digest(5), at: Sample.time(4)),
        .ended(.logout),
    ]

    static let log =
        ReadModel.record(grant.map(DomainEvent.offlineGrant), stream: 20)
        + ReadModel.record(browser.map(DomainEvent.browserSession), stream: 30, from: 11)

    /// One of each aggregate that no projection reads.
    static let others: [DomainEvent] = [
        .subject(.erased), .loginID(.released(by: Sample.subject(1), .erasure)),
        .loginLink(.denied(.user)), .authorization(.failed(.accessDenied)),
        .authorizationCode(.replayed(afterMilliseconds: 1, revoked: true)),
        .biometricKey(.disabled(.user)),
        .consent(.withdrawn(client, by: .user)),
        .spent(.spent(.clientAssertion, expiresAt: Sample.time(1))),
        .signingKey(.removed(kid: "k")), .projectConfig(.resumed),
    ]
}
