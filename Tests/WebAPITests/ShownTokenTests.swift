import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// Refresh tokens that are shown and not replaced: what becomes of the one before them
/// (WireContract 5.3, 5.4 and 9.6, decision 0255).
@Suite("The one before a token that was shown") struct ShownTokenTests {
    typealias Owner = App2AppTests.Owner

    private let web: WebSide
    /// With the token that was replaced a moment ago.
    private let before: Owner
    /// With the one that took its place.
    private let now: Owner

    init() async throws {
        web = try await WebSide()
        try await BiometricTests.User.allowFullAccess(web)
        before = try await Owner(web, scope: AppSessionTokenTests.scope)
        let answer = try await DPoPTests.refresh(web, before.refreshToken)
        let token = try #require(answer["refresh_token"]?.string, "\(answer.body)")
        now = Owner(web, before.phone, refreshToken: token)
    }

    enum Door: CaseIterable { case refresh, app2app, appSessionToken }

    private func come(by door: Door, with owner: Owner) async throws -> Answer {
        switch door {
        case .refresh: try await DPoPTests.refresh(web, owner.refreshToken)
        case .app2app: try await owner.approve(owner.jwt())
        case .appSessionToken: try await AppSessionTokenTests.ask(web, owner.refreshToken)
        }
    }

    @Test(
        "attack: inside the grace, but its successor has let an app in: reuse, by whatever door",
        arguments: Door.allCases
    )
    func reuse(_ door: Door) async throws {
        let count = web.commits
        #expect(try await now.approve(now.jwt()).status == 200)
        let approvals = web.newestEvents(after: count).compactMap {
            event -> OfflineGrant.App2AppApproval? in
            guard case .offlineGrant(.app2appApproved(let approval)) = event else { return nil }
            return approval
        }
        let shown = OfflineGrant.App2AppApproval.ShownToken(family: 1, generation: 2)
        #expect(approvals.map(\.shown) == [shown])
        let approved = web.commits
        #expect(try await come(by: door, with: before).refusal?.id == "RT-004")
        #expect(
            web.newestEvents(after: approved) == [
                .offlineGrant(
                    .reuseDetected(
                        family: 1,
                        client: Sample.client("app"),
                        presentedGeneration: 1
                    )
                ), .offlineGrant(.revoked(.reuse)),
            ]
        )
        let late = try await DPoPTests.refresh(web, now.refreshToken)
        #expect(late.error == "invalid_grant")
    }

    @Test("one that was shown goes on, and is replaced as ever") func goesOn() async throws {
        for _ in 0..<2 { #expect(try await now.approve(now.jwt()).status == 200) }
        let next = try await DPoPTests.refresh(web, now.refreshToken)
        let again = try await DPoPTests.refresh(web, now.refreshToken)
        #expect(next.status == 200 && again.status == 200)
        #expect(next["refresh_token"] == again["refresh_token"])
    }

    @Test("an app whose answer was lost may let an app in by what it has, and hear it again")
    func lostAnswer() async throws {
        #expect(try await before.approve(before.jwt()).status == 200)
        let again = try await DPoPTests.refresh(web, before.refreshToken)
        #expect(again["refresh_token"]?.string == now.refreshToken)
    }

    @Test("what leaves no event is no use: shown for a browser it spends nothing")
    func unrecorded() async throws {
        let answer = try await web.expectNothingRecorded {
            try await come(by: .appSessionToken, with: now)
        }
        #expect(answer.status == 200)
        let again = try await DPoPTests.refresh(web, before.refreshToken)
        #expect(again["refresh_token"]?.string == now.refreshToken)
    }
}
