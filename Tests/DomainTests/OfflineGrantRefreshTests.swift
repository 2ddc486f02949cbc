import Domain
import TestSupport
import Testing

@Suite("OfflineGrant: refresh") struct OfflineGrantRefreshTests {
    typealias Base = OfflineGrantTests
    typealias Row = Scenario<OfflineGrant>

    static let day = Base.day
    static let open = Base.open
    static let rotated = Base.rotated
    static let revoked = Base.revoked
    static let key = Sample.key(7)
    static let bound: [OfflineGrant.Event] = [
        .opened(Base.opening),
        .refreshTokenIssued(Base.issued(key: key), at: Sample.time(0)),
    ]
    /// Generation 300 is current; the digests of 1–44 are not kept any more.
    static let old = open + (2...300).map { Base.rotation(to: $0, at: Double($0)) }

    /// A request with everything right; each row makes one thing wrong.
    static func refresh(
        family: UInt16 = 1,
        _ generation: UInt32,
        digest: UInt8? = nil,
        client: ClientID = Base.app,
        key: Thumbprint? = nil,
        scope: String? = nil,
        allowed: Scope = Base.scope,
        rotates: Bool = true,
        successor: UInt8? = nil,
        proven: Bool = false,
        at: Double
    ) -> OfflineGrant.Command {
        .refresh(
            OfflineGrant.Refresh(
                family: family,
                generation: generation,
                presented: Sample.digest(digest ?? UInt8(truncatingIfNeeded: generation)),
                successor: Sample.digest(
                    successor ?? UInt8(truncatingIfNeeded: generation + 1)
                ),
                client: client,
                dpopKey: key,
                scope: scope.map(Sample.scope),
                allowedScope: allowed,
                rotates: rotates,
                graceMilliseconds: 30_000,
                token: Sample.token(99),
                tokenExpiresAt: Sample.time(at + 900),
                proven: proven,
                at: Sample.time(at)
            )
        )
    }

    static func reuse(of generation: UInt32) -> Result<[OfflineGrant.Event], OfflineGrant.Rejection>
    {
        .success([
            .reuseDetected(family: 1, client: Base.app, presentedGeneration: generation),
            .revoked(.reuse),
        ])
    }

    static func retried(_ generation: UInt32, at: Double) -> OfflineGrant.Event {
        .retried(
            family: 1,
            generation: generation,
            token: Sample.token(99),
            at: Sample.time(at)
        )
    }

    @Test("is proven", arguments: proving) func proves(_ row: Row) { row.check() }

    @Test("is allowed", arguments: allowing) func allows(_ row: Row) { row.check() }

    @Test("takes the current token", arguments: currentRows) func current(_ row: Row) {
        row.check()
    }

    @Test("takes the previous token for a retry", arguments: previousRows)
    func previous(_ row: Row) { row.check() }

    @Test("finds reuse", arguments: reusing) func reuses(_ row: Row) { row.check() }

    @Test("only possible events follow") func follows() {
        var pairs = Successions<OfflineGrant>([
            "opened": .opened(Base.opening),
            "refresh token": .refreshTokenIssued(Base.issue, at: Sample.time(0)),
            "access token": .accessTokenIssued(Base.access),
            "rotated to 2": Base.rotation(to: 2, at: 1),
            "rotated to 3": Base.rotation(to: 3, at: 1),
            "used 1": .refreshed(Base.refreshed(1, secret: nil, at: 1)),
            "used 2": .refreshed(Base.refreshed(2, secret: nil, at: 1)),
            "retried 2": Self.retried(2, at: 2),
            "reuse of 1": .reuseDetected(
                family: 1,
                client: Base.app,
                presentedGeneration: 1
            ),
            "revoked": .revoked(.logout), "token revoked": Base.revocation(30, until: 900),
            "reauthenticated": .reauthenticated(Base.again, at: Sample.time(500)),
            "key bound": .deviceKeyBound(Base.deviceKey, insecure: false),
            "app let in": .app2appApproved(Base.approval),
        ])
        let rest: Set = [
            "access token", "revoked", "token revoked", "reauthenticated", "app let in",
        ]
        let always = rest.union(["key bound"])
        pairs.after("absent", [], may: ["opened"])
        pairs.after(
            "without refresh token",
            [.opened(Base.opening)],
            may: always.union(["refresh token"])
        )
        pairs.after("open", Self.open, may: always.union(["rotated to 2", "used 1"]))
        pairs.after(
            "rotated",
            Self.rotated,
            may: always.union(["rotated to 3", "used 2", "retried 2", "reuse of 1"])
        )
        pairs.after(
            "bound",
            Base.bound,
            may: rest.union(["rotated to 2", "used 1"])
        )
        pairs.after("revoked", Self.revoked, may: [])
        pairs.check()
    }

    @Test("the fold keeps 256 digests") func digests() {
        guard let session = OfflineGrant.fold(Self.old)?.openSession else {
            Issue.record("not open")
            return
        }
        let family = session.family(1)
        #expect(family?.generation == 300)
        #expect(family?.digests.count == 256)
        #expect(family?.digests.last == Sample.digest(UInt8(truncatingIfNeeded: 300)))
        #expect(family?.rotatedAt == Sample.time(300))
        #expect(session.lastUsedAt == Sample.time(300))
    }
}
