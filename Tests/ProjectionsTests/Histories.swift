import Domain
import TestSupport

/// A grant and a browser-session with every event that they have; `HistoriesTests` counts them.
enum Histories {
    static let client = Sample.client("app")
    /// It joins the grant, leaves, comes again and leaves again.
    static let guest = Sample.client("guest")
    static let login = Authentication(methods: [.otp], at: Sample.time(-1))

    static let grant = used + shared + ended

    private static let used: [OfflineGrant.Event] = [
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
                biometric: false,
                shown: OfflineGrant.App2AppApproval.ShownToken(family: 1, generation: 2)
            )
        ),
    ]

    private static let shared: [OfflineGrant.Event] = [
        .deviceSecretIssued(
            OfflineGrant.DeviceSecretIssued(
                generation: 1,
                secret: Sample.digest(10),
                at: Sample.time(8)
            )
        ),
        .deviceSecretIssued(
            OfflineGrant.DeviceSecretIssued(
                generation: 2,
                secret: Sample.digest(11),
                at: Sample.time(9)
            )
        ),
        .deviceSecretUsed(generation: 2),
        .deviceLinked(Sample.session(40)),
        .clientJoined(joined(at: 12)),
        .urlIssued(
            OfflineGrant.URLIssued(
                client: Sample.client("web"),
                depth: 1,
                url: Sample.stream(12),
                at: Sample.time(13)
            )
        ),
        .clientLeft(guest, .replaced),
        .clientJoined(joined(at: 15)),
        .clientLeft(guest, .tokenRevocation),
        .deviceSecretRevoked(generation: 2),
    ]

    private static func joined(at seconds: Double) -> OfflineGrant.ClientJoined {
        OfflineGrant.ClientJoined(
            client: guest,
            scope: .empty,
            via: .nativeSSO,
            depth: 1,
            parent: Parent(kind: .session, stream: Sample.stream(20)),
            deviceSecret: 2,
            at: Sample.time(seconds)
        )
    }

    private static let ended: [OfflineGrant.Event] = [
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
        + ReadModel.record(
            browser.map(DomainEvent.browserSession),
            stream: 30,
            from: Int64(grant.count)
        )

    /// One of each aggregate that no projection reads.
    static let others: [DomainEvent] = [
        .subject(.erased), .loginID(.released(by: Sample.subject(1), .erasure)),
        .loginLink(.denied(.user)), .authorization(.failed(.accessDenied)),
        .authorizationCode(.replayed(afterMilliseconds: 1, revoked: true)),
        .biometricKey(.disabled(.user)),
        .preAuthenticatedURL(.consumed(Sample.token(8), expiresAt: Sample.time(900))),
        .consent(.withdrawn(client, by: .user)),
        .spent(.spent(.clientAssertion, expiresAt: Sample.time(1))),
        .signingKey(.removed(kid: "k")), .projectConfig(.resumed),
    ]
}
