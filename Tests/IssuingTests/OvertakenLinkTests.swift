import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing

/// Links of a sign-in that no longer waits for them (decision 0212).
@Suite("Links of a sign-in that is over") struct OvertakenLinkTests {
    @Test("a link is good for no longer than its sign-in, and its mail says so") func clipped()
        async throws
    {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        let step = try await browser.authorize()
        side.clock.advance(seconds: 1500)
        let id = try await browser.enter(SignInSide.address, at: step)
        let mailed = try await browser.presented()
        #expect(side.mailQueue.sent.last?.validMinutes == 5)
        let request = try await side.store.load(Authorization.self, id, by: Fixture.noDeadline)
        let started = try #require(request.state.started)
        let link = try #require(started.loginLink)
        let loaded = try await side.store.load(LoginLink.self, link, by: Fixture.noDeadline)
        #expect(loaded.state.request?.expiresAt == started.request.expiresAt)
        side.clock.advance(seconds: 299)
        _ = try await side.approval.view(mailed, browser.request)
        side.clock.advance(seconds: 1)
        await #expect(throws: ApproveLoginLink.Refusal.self) {
            try await side.approval.view(mailed, browser.request)
        }
    }

    @Test("a link whose sign-in went on without it approves nothing") func overtaken()
        async throws
    {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await browser.signIn()
        let step = try await browser.authorize("app", ["prompt": "select_account"])
        guard case .selectAccount(let id) = step else { return #expect(Bool(false), "\(step)") }
        let page = try #require(try await side.pages.account(id, for: .select, browser.request))
        let posted = browser.posted(id, page.formToken)
        let flow = ContinueSignIn(side.context)
        let other = try await flow.selectAccount(posted, usesOther: true, browser.request)
        _ = try await browser.enter("b@example.com", at: other.step)
        let mailed = try await browser.presented()
        _ = try await side.approval.view(mailed, browser.request)
        let own = try await flow.selectAccount(posted, usesOther: false, browser.request)
        #expect(own.step.response?["code"] != nil)
        let before = side.store.commits.count
        await #expect(throws: ApproveLoginLink.Refusal.self) {
            try await side.approval.view(mailed, browser.request)
        }
        await #expect(throws: ApproveLoginLink.Refusal.self) {
            try await side.approval.approve(mailed, by: .native, number: nil, browser.request)
        }
        #expect(side.store.commits.count == before)
    }
}
