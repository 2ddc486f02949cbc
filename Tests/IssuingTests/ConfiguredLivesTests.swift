import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing

/// How long things last where a document says other than the defaults (WireContract 3.1 and 3.2).
@Suite("Lives that a document sets") struct ConfiguredLivesTests {
    @Test("a browser's login ends when it idled too long, and at last by age") func login()
        async throws
    {
        let side = try await SignInSide()
        side.reconfigure { settings in
            settings.sessionLifetimeSeconds = 3600
            settings.sessionIdleSeconds = 600
        }
        let silent = ["prompt": "none"]
        for (uses, pause) in [(1, 600), (7, 515)] as [(Int, Int64)] {
            var browser = TestBrowser(side)
            _ = try await browser.signIn("ada\(uses)@example.com")
            for use in 1...uses {
                side.clock.advance(seconds: pause)
                let step = try await browser.authorize("app", silent)
                let isOver = use == uses
                #expect((step.response?["code"] == nil) == isOver, "\(use) of \(uses)")
                #expect((step.response?["error"] == "login_required") == isOver)
            }
        }
    }

    @Test("a login link is good until its life is over", arguments: [60, 1800] as [Int64])
    func link(_ seconds: Int64) async throws {
        let side = try await SignInSide()
        side.reconfigure { $0.loginLinkLifetimeSeconds = seconds }
        var browser = TestBrowser(side)
        _ = try await browser.enter(SignInSide.address, at: browser.authorize())
        let link = try await browser.presented()
        side.clock.advance(seconds: seconds - 1)
        _ = try await side.approval.view(link, browser.request)
        side.clock.advance(seconds: 1)
        await #expect(throws: ApproveLoginLink.Refusal.self) {
            try await side.approval.view(link, browser.request)
        }
    }

    /// With other settings of its clients.
    private static func tokens(_ change: (inout ClientSettings) -> Void) async throws -> TokenSide {
        let side = try await TokenSide()
        var settings = side.project.settings
        for index in settings.clients.indices { change(&settings.clients[index]) }
        try await side.apply(settings)
        return side
    }

    @Test("without an idle end a refresh token lives until its absolute one") func noIdleEnd()
        async throws
    {
        let side = try await Self.tokens { client in
            client.refreshTokenIdleSeconds = nil
            client.refreshTokenLifetimeSeconds = 31_536_000
        }
        let first = try await side.redeem(side.code())
        side.clock.advance(seconds: 31_535_999)
        let last = try await side.refresh(first.refreshToken)
        side.clock.advance(seconds: 1)
        await expect(refusal: .invalidGrant) { try await side.refresh(last.refreshToken) }
    }

    @Test("a spent refresh token is a retry for as long as the document says", arguments: [0, 60])
    func grace(_ seconds: Int64) async throws {
        let side = try await Self.tokens { $0.refreshTokenGraceSeconds = seconds }
        let first = try await side.redeem(side.code())
        let second = try await side.refresh(first.refreshToken)
        if seconds > 0 {
            side.clock.advance(seconds: seconds - 1)
            let again = try await side.refresh(first.refreshToken)
            #expect(again.refreshToken == second.refreshToken)
            side.clock.advance(seconds: 1)
        }
        await expect(refusal: .invalidGrant) { try await side.refresh(first.refreshToken) }
        await expect(refusal: .invalidGrant) { try await side.refresh(second.refreshToken) }
    }
}
