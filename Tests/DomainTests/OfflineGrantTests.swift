import Domain
import TestSupport
import Testing

@Suite("OfflineGrant") struct OfflineGrantTests {
    static let app = Sample.client("app")
    static let other = Sample.client("other")
    static let scope = Sample.scope("openid offline_access email")
    static let day = 86_400.0
    static let opening = opened()
    static let issue = issued()
    static let access = token(30, until: 900)
    static let open: [OfflineGrant.Event] = [
        .opened(opening), .refreshTokenIssued(issue, at: Sample.time(0)),
        .accessTokenIssued(access),
    ]
    static let withoutRefresh: [OfflineGrant.Event] = [
        .opened(opening), .accessTokenIssued(access),
    ]
    /// Once refreshed, at second 1 000: generation 2 is current.
    static let rotated = open + [rotation(to: 2, at: 1000)]
    static let revoked = rotated + [.revoked(.logout)]

    static func opened(idleDays: Int64 = 30, lifeDays: Double = 180) -> OfflineGrant.Opening {
        OfflineGrant.Opening(
            subject: Sample.subject(1),
            client: app,
            scope: scope,
            authentication: Authentication(methods: [.otp], at: Sample.time(-5)),
            via: .code,
            parent: Parent(kind: .code, stream: Sample.stream(2)),
            browserSession: Sample.session(3),
            openedAt: Sample.time(0),
            expiresAt: Sample.time(lifeDays * day),
            idleMilliseconds: idleDays * 86_400_000
        )
    }

    static func issued(
        client: ClientID = app,
        scope: Scope = scope,
        key: Thumbprint? = nil,
        until: Double = 180 * day
    ) -> OfflineGrant.RefreshTokenIssue {
        OfflineGrant.RefreshTokenIssue(
            client: client,
            family: 1,
            scope: scope,
            secret: Sample.digest(1),
            rotates: true,
            dpopKey: key,
            expiresAt: Sample.time(until)
        )
    }

    static func token(
        _ number: UInt64,
        client: ClientID = app,
        scope: Scope = scope,
        until: Double
    ) -> OfflineGrant.AccessTokenIssue {
        OfflineGrant.AccessTokenIssue(
            token: Sample.token(number),
            client: client,
            scope: scope,
            via: .code,
            expiresAt: Sample.time(until)
        )
    }

    /// Digest n is of generation n.
    static func rotation(to generation: UInt32, at: Double) -> OfflineGrant.Event {
        .refreshed(
            refreshed(
                generation,
                secret: Sample.digest(UInt8(truncatingIfNeeded: generation)),
                at: at
            )
        )
    }

    static func refreshed(
        _ generation: UInt32,
        secret: TokenDigest?,
        scope: Scope = scope,
        at: Double
    ) -> OfflineGrant.Refreshed {
        OfflineGrant.Refreshed(
            family: 1,
            client: app,
            generation: generation,
            secret: secret,
            token: Sample.token(99),
            scope: scope,
            expiresAt: Sample.time(at + 900),
            at: Sample.time(at)
        )
    }

    @Test("opens", arguments: opensRows) func opens(_ row: Scenario<OfflineGrant>) { row.check() }

    @Test("ends", arguments: endsRows) func ends(_ row: Scenario<OfflineGrant>) { row.check() }

    @Test("lives until it was long not used, or its whole life is over") func lives() {
        let withoutIdle: [OfflineGrant.Event] = [.opened(Self.opened(idleDays: 0))]
        let rows: [([OfflineGrant.Event], Double, Bool)] = [
            (Self.open, 30 * Self.day - 1, true), (Self.open, 30 * Self.day, false),
            (Self.rotated, 30 * Self.day, true), (withoutIdle, 180 * Self.day - 1, true),
            (withoutIdle, 180 * Self.day, false),
        ]
        for (history, seconds, lives) in rows {
            guard let session = OfflineGrant.fold(history)?.openSession else {
                Issue.record("not open")
                return
            }
            #expect(session.isLive(at: Sample.time(seconds)) == lives, "\(history), \(seconds)")
        }
    }

    @Test("logs in again", arguments: reauthenticatesRows)
    func reauthenticates(_ row: Scenario<OfflineGrant>) { row.check() }

    @Test("revokes one access token", arguments: revokesTokensRows)
    func revokesTokens(_ row: Scenario<OfflineGrant>) { row.check() }

    @Test("binds a device key", arguments: bindsRows)
    func binds(_ row: Scenario<OfflineGrant>) { row.check() }

    @Test("lets another app in", arguments: approvesRows)
    func approves(_ row: Scenario<OfflineGrant>) { row.check() }

    @Test("is shown a refresh token", arguments: presentsRows)
    func presents(_ row: Scenario<OfflineGrant>) { row.check() }

    @Test("other aggregates' events are not its own") func unwraps() {
        #expect(OfflineGrant.unwrap(OfflineGrant.wrap(Self.open[0])) == Self.open[0])
        #expect(OfflineGrant.unwrap(.subject(.enabled(at: Instant(microseconds: 0)))) == nil)
    }
}

extension OfflineGrantTests {
    static let opensRows: [Scenario<OfflineGrant>] = [
        Scenario(
            "a code opens a session with a refresh and an access token",
            when: .open(opening, refreshToken: issue, accessToken: access),
            then: .success(open)
        ),
        Scenario(
            "without offline_access it has no refresh token",
            when: .open(opening, refreshToken: nil, accessToken: access),
            then: .success(withoutRefresh)
        ),
        Scenario(
            "nothing outlives the session",
            when: .open(
                opened(lifeDays: 0.001),
                refreshToken: issue,
                accessToken: access
            ),
            then: .success([
                .opened(opened(lifeDays: 0.001)),
                .refreshTokenIssued(issued(until: 86.4), at: Sample.time(0)),
                .accessTokenIssued(token(30, until: 86.4)),
            ])
        ),
        Scenario(
            "a refresh token's scope is within the session's",
            when: .open(
                opening,
                refreshToken: issued(scope: Sample.scope("profile")),
                accessToken: access
            ),
            then: .failure(.scope)
        ),
        Scenario(
            "an access token's, too",
            when: .open(
                opening,
                refreshToken: nil,
                accessToken: token(30, scope: Sample.scope("profile"), until: 900)
            ),
            then: .failure(.scope)
        ),
        Scenario(
            "its tokens are its client's",
            when: .open(opening, refreshToken: issued(client: other), accessToken: access),
            then: .failure(.otherClient)
        ),
        Scenario(
            "its access token, too",
            when: .open(
                opening,
                refreshToken: nil,
                accessToken: token(30, client: other, until: 900)
            ),
            then: .failure(.otherClient)
        ),
        Scenario(
            "it is opened once",
            given: open,
            when: .open(opening, refreshToken: issue, accessToken: access),
            then: .failure(.alreadyOpen)
        ),
        Scenario(
            "it is never reopened",
            given: revoked,
            when: .open(opening, refreshToken: issue, accessToken: access),
            then: .failure(.alreadyOpen)
        ),
    ]

    static let endsRows: [Scenario<OfflineGrant>] = [
        Scenario(
            "it is revoked",
            given: open,
            when: .revoke(.logout),
            then: .success([.revoked(.logout)])
        ),
        Scenario(
            "it is revoked once, for the first reason",
            given: revoked,
            when: .revoke(.erasure),
            then: .success([])
        ),
        Scenario("none is revoked", when: .revoke(.logout), then: .failure(.unknown)),
    ]
}
