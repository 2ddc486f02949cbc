import Domain
import TestSupport
import Testing

/// Refresh tokens that come again where others share the session (WireContract 5.3 and 9.7,
/// decision 0194).
@Suite("Reuse in a shared session") struct OfflineGrantSharedReuseTests {
    typealias Row = Scenario<OfflineGrant>
    typealias Base = OfflineGrantTests
    typealias Shared = OfflineGrantSharingTests

    private static let other = Sample.client("other")

    private static let twice = [Base.rotation(to: 2, at: 1000), Base.rotation(to: 3, at: 2000)]

    /// A site that came in by the continue screen, and has refreshed once.
    private static let site: [OfflineGrant.Event] = {
        var refreshed = Base.refreshed(2, secret: Sample.digest(2), at: 1000)
        refreshed.family = 2
        refreshed.client = Shared.web
        return [
            .clientJoined(
                OfflineGrant.ClientJoined(
                    client: Shared.web,
                    scope: Shared.scope,
                    via: .continue,
                    depth: 1,
                    parent: Shared.session,
                    at: Sample.time(10)
                )
            ), .refreshTokenIssued(Shared.issue(Shared.web, family: 2), at: Sample.time(10)),
            .refreshed(refreshed),
        ]
    }()

    private static func reuse(of generation: UInt32, family: UInt16 = 1)
        -> OfflineGrant.Presentation
    {
        OfflineGrant.Presentation(
            family: family,
            generation: generation,
            presented: Sample.digest(UInt8(generation)),
            dpopKey: nil,
            graceMilliseconds: 30_000,
            at: Sample.time(3000)
        )
    }

    private static func detected(_ generation: UInt32) -> OfflineGrant.Event {
        .reuseDetected(family: 1, client: Base.app, presentedGeneration: generation)
    }

    @Test("ends what a thief can have made of the token", arguments: rows) func reuses(_ row: Row) {
        row.check()
    }

    static let rows: [Row] = [
        Row(
            "reuse ends the family of one, the session goes on for the others",
            given: Shared.shared + twice,
            when: .present(reuse(of: 2)),
            then: .success([
                detected(2),
                .clientLeft(Base.app, .reuse),
            ])
        ),
        Row(
            "and the secret, where the thief was given one, with whom it let in",
            given: Shared.shared + twice + [.deviceSecretIssued(Shared.secret(2, at: 2500))]
                + Shared.joined(other, family: 3, at: 2600),
            when: .present(reuse(of: 2)),
            then: .success([
                detected(2),
                .deviceSecretRevoked(generation: 2), .clientLeft(Base.app, .reuse),
                .clientLeft(other, .reuse),
            ])
        ),
        Row(
            "a site that goes on with the session lets nobody in: it leaves alone",
            given: Shared.open + site + Shared.joined(other, family: 3, at: 1500),
            when: .present(reuse(of: 1, family: 2)),
            then: .success([
                .reuseDetected(family: 2, client: Shared.web, presentedGeneration: 1),
                .clientLeft(Shared.web, .reuse),
            ])
        ),
        Row(
            "nobody stays for whom a thief may have let in",
            given: Shared.open + twice + Shared.joined(Shared.guest, family: 2, at: 2600),
            when: .present(reuse(of: 2)),
            then: .success([
                detected(2),
                .revoked(.reuse),
            ])
        ),
        Row(
            "of an older token it is not known when it was replaced: since the client came",
            given: Shared.shared + twice,
            when: .present(reuse(of: 1)),
            then: .success([
                detected(1),
                .revoked(.reuse),
            ])
        ),
        Row(
            "nobody stays where the thief may have let an app in by app2app, which goes along",
            given: Shared.shared + [Base.rotation(to: 2, at: 1000), approved]
                + [Base.rotation(to: 3, at: 2000)],
            when: .present(reuse(of: 2)),
            then: .success([detected(2), .revoked(.reuse)])
        ),
        Row(
            "nor where that was with a token made of the one that comes again",
            given: Shared.shared + twice + [approved],
            when: .present(reuse(of: 2)),
            then: .success([detected(2), .revoked(.reuse)])
        ),
        Row(
            "who let an app in by a token of before stays with those who share the session",
            given: Shared.shared + [approved] + twice,
            when: .present(reuse(of: 2)),
            then: .success([detected(2), .clientLeft(Base.app, .reuse)])
        ),
        Row(
            "nor does it end for an app that a biometric key let in as it opened the session",
            given: Shared.shared + [byKey] + twice.prefix(1),
            when: .present(reuse(of: 1)),
            then: .success([detected(1), .clientLeft(Base.app, .reuse)])
        ),
        Row(
            "nobody but the client that opened the session lets apps in so",
            given: Shared.open + site + [approved] + Shared.joined(other, family: 3, at: 1500),
            when: .present(reuse(of: 1, family: 2)),
            then: .success([
                .reuseDetected(family: 2, client: Shared.web, presentedGeneration: 1),
                .clientLeft(Shared.web, .reuse),
            ])
        ),
    ]

    private static let byKey: OfflineGrant.Event = {
        var approval = Base.approval
        approval.biometric = true
        return .app2appApproved(approval)
    }()

    private static let approved = OfflineGrant.Event.app2appApproved(Base.approval)
}
