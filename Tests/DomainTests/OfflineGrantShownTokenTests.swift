import Domain
import TestSupport
import Testing

/// A refresh token that an approval names has come back: the one before it is no lost answer any
/// more (decision 0255).
@Suite("A refresh token shown at app2app") struct OfflineGrantShownTokenTests {
    typealias Row = Scenario<OfflineGrant>
    typealias Base = OfflineGrantTests
    typealias Refresh = OfflineGrantRefreshTests
    typealias Shared = OfflineGrantSharingTests

    private static let rotated = Base.rotated

    private static func approval(
        _ generation: UInt32,
        family: UInt16 = 1,
        biometric: Bool = false
    ) -> OfflineGrant.App2AppApproval {
        var approval = Base.approval
        approval.biometric = biometric
        approval.shown = OfflineGrant.App2AppApproval.ShownToken(
            family: family,
            generation: generation
        )
        return approval
    }

    private static func shown(_ generation: UInt32, family: UInt16 = 1) -> OfflineGrant.Event {
        .app2appApproved(approval(generation, family: family))
    }

    private static func approve(
        _ name: String,
        _ generation: UInt32,
        family: UInt16 = 1,
        in history: [OfflineGrant.Event],
        isThere: Bool
    ) -> Row {
        let approval = approval(generation, family: family)
        return Row(
            name,
            given: history,
            when: .approveApp2App(approval),
            then: isThere ? .success([.app2appApproved(approval)]) : .failure(.unknown)
        )
    }

    @Test("is one of the session's", arguments: approveRows)
    func approves(_ row: Row) { row.check() }

    @Test("is used, and what it replaced is spent", arguments: refreshRows)
    func refreshes(_ row: Row) { row.check() }

    @Test("counts as used wherever a token is shown", arguments: presentRows)
    func presents(_ row: Row) { row.check() }

    @Test("lets in whom the reuse of its family, and of no other, ends", arguments: reuseRows)
    func reuses(_ row: Row) { row.check() }

    @Test("only one that went out can have been") func follows() {
        var pairs = Successions<OfflineGrant>([
            "1": Self.shown(1), "2": Self.shown(2), "0": Self.shown(0),
            "1 of another family": Self.shown(1, family: 2),
            "none": .app2appApproved(Base.approval),
            "a biometric key": .app2appApproved(Self.approval(9, biometric: true)),
        ])
        let always: Set = ["none", "a biometric key"]
        pairs.after("without refresh token", Base.withoutRefresh, may: always)
        pairs.after("open", Base.open, may: always.union(["1"]))
        pairs.after("rotated", Self.rotated, may: always.union(["1", "2"]))
        pairs.after("revoked", Base.revoked, may: [])
        pairs.check()
    }

    static let approveRows: [Row] = [
        approve("the current one", 2, in: rotated, isThere: true),
        approve("the one before", 1, in: rotated, isThere: true),
        approve("one that does not exist yet", 3, in: rotated, isThere: false),
        approve("one that never existed", 0, in: rotated, isThere: false),
        approve("one of another family", 1, family: 2, in: rotated, isThere: false),
        approve("of a session without any", 1, in: Base.withoutRefresh, isThere: false),
    ]

    static let refreshRows: [Row] = [
        Row(
            "inside the grace the one before is reuse",
            given: rotated + [shown(2)],
            when: Refresh.refresh(1, at: 1002),
            then: Refresh.reuse(of: 1)
        ),
        Row(
            "also where it was a lost answer until then",
            given: rotated + [Refresh.retried(2, at: 1001), shown(2)],
            when: Refresh.refresh(1, at: 1002),
            then: Refresh.reuse(of: 1)
        ),
        Row(
            "also where rotation was turned off meanwhile",
            given: rotated + [shown(2)],
            when: Refresh.refresh(1, rotates: false, at: 1002),
            then: Refresh.reuse(of: 1)
        ),
        Row(
            "by another client it ends nothing",
            given: rotated + [shown(2)],
            when: Refresh.refresh(1, client: Base.other, at: 1002),
            then: .failure(.otherClient)
        ),
        Row(
            "with another secret it ends nothing",
            given: rotated + [shown(2)],
            when: Refresh.refresh(1, digest: 9, at: 1002),
            then: .failure(.unknown)
        ),
        Row(
            "it goes on itself, and is replaced as ever",
            given: rotated + [shown(2)],
            when: Refresh.refresh(2, at: 1002),
            then: .success([Base.rotation(to: 3, at: 1002)])
        ),
        Row(
            "once replaced it is a lost answer as any",
            given: rotated + [shown(2), Base.rotation(to: 3, at: 1002)],
            when: Refresh.refresh(2, at: 1003),
            then: .success([Refresh.retried(3, at: 1003)])
        ),
        Row(
            "the one before, shown inside the grace, uses up nothing",
            given: rotated + [shown(1)],
            when: Refresh.refresh(1, at: 1002),
            then: .success([Refresh.retried(2, at: 1002)])
        ),
        Row(
            "an approval of before this was recorded uses up nothing",
            given: rotated + [.app2appApproved(Base.approval)],
            when: Refresh.refresh(1, at: 1002),
            then: .success([Refresh.retried(2, at: 1002)])
        ),
        Row(
            "a biometric key shows none",
            given: rotated + [.app2appApproved(approval(2, biometric: true))],
            when: Refresh.refresh(1, at: 1002),
            then: .success([Refresh.retried(2, at: 1002)])
        ),
    ]

    static let presentRows: [Row] = [
        Row(
            "inside the grace the one before is reuse",
            given: rotated + [shown(2)],
            when: Base.presented(1, at: 1002),
            then: Refresh.reuse(of: 1)
        ),
        Row(
            "the one that was shown is good, as often as it comes",
            given: rotated + [shown(2), shown(2)],
            when: Base.presented(2, at: 1002),
            then: .success([])
        ),
        Row(
            "the one before, shown inside the grace, is good again",
            given: rotated + [shown(1)],
            when: Base.presented(1, at: 1002),
            then: .success([])
        ),
    ]

    private static let detected = OfflineGrant.Event.reuseDetected(
        family: 1,
        client: Base.app,
        presentedGeneration: 1
    )

    /// The owner's app has refreshed once, and has a second family.
    private static let twoFamilies =
        Shared.shared + [
            Base.rotation(to: 2, at: 1000),
            .refreshTokenIssued(Shared.issue(Base.app, family: 3), at: Sample.time(1001)),
        ]

    static let reuseRows: [Row] = [
        Row(
            "reuse beside guests ends the session, whose token let an app in",
            given: twoFamilies + [shown(2)],
            when: Base.presented(1, at: 1002),
            then: .success([detected, .revoked(.reuse)])
        ),
        Row(
            "a token of before may have brought the current one by a retry",
            given: twoFamilies + [shown(1), Base.rotation(to: 3, at: 1003)],
            when: Base.presented(2, at: 1040),
            then: .success([
                .reuseDetected(family: 1, client: Base.app, presentedGeneration: 2),
                .revoked(.reuse),
            ])
        ),
        Row(
            "who was let in by a token of another family stays with the guests",
            given: twoFamilies + [shown(1, family: 3)],
            when: Base.presented(1, at: 1040),
            then: .success([detected, .clientLeft(Base.app, .reuse)])
        ),
        Row(
            "of an approval of before this was recorded it may have been any",
            given: twoFamilies + [.app2appApproved(Base.approval)],
            when: Base.presented(1, at: 1040),
            then: .success([detected, .revoked(.reuse)])
        ),
    ]
}
