import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing

/// Links that were asked for before their address had a user (decision 0191).
@Suite("Links of an address that is nobody's yet") struct NewcomerLinkTests {
    /// Who asked for a mail a minute ago, to which page that leads, and what came with the mail.
    private static func stranger(_ side: SignInSide)
        async throws -> (
            browser: TestBrowser, waiting: StreamID, mailed: ApproveLoginLink.Presented
        )
    {
        var browser = TestBrowser(side)
        let waiting = try await browser.enter(SignInSide.address, at: browser.authorize())
        let mailed = try await browser.presented()
        side.clock.advance(seconds: 61)
        return (browser, waiting, mailed)
    }

    @Test("attack: a stranger's mail to a new address lets nobody in after its first login")
    func approvedLater() async throws {
        let side = try await SignInSide()
        var (stranger, waiting, mailed) = try await Self.stranger(side)
        var owner = TestBrowser(side)
        #expect(try await owner.signIn().response?["code"] != nil)
        #expect(side.mailQueue.sent.count == 2)
        let before = side.store.commits.count
        await #expect(throws: ApproveLoginLink.Refusal.self) {
            try await side.approval.approve(mailed, by: .browser, number: nil, owner.request)
        }
        #expect(side.store.commits.count == before)
        _ = try await stranger.complete(waiting)
        #expect(stranger.session == nil && side.store.commits.count == before)
    }

    @Test("attack: approved before the first login, a stranger's mail lets nobody in after it")
    func approvedBefore() async throws {
        let side = try await SignInSide()
        var (stranger, waiting, mailed) = try await Self.stranger(side)
        var owner = TestBrowser(side)
        let id = try await owner.enter(SignInSide.address, at: owner.authorize())
        try await owner.approve()
        try await side.approval.approve(mailed, by: .browser, number: nil, owner.request)
        #expect(try await owner.complete(id).response?["code"] != nil)
        let before = side.store.commits.count
        let page = try await side.pages.waiting(waiting, stranger.request)
        #expect(page.status == .expired && page.isOpen)
        let step = try? await stranger.complete(waiting)
        #expect(step?.response?["code"] == nil && stranger.session == nil)
        #expect(side.store.commits.count == before)
        await #expect(throws: ApproveLoginLink.Refusal.self) {
            try await side.approval.approve(mailed, by: .browser, number: nil, owner.request)
        }
    }

    @Test(
        "a mail to a new address approves nothing once sign-up has closed, heard of or not",
        arguments: [true, false]
    )
    func closed(_ isHeard: Bool) async throws {
        let side = try await SignInSide()
        let (stranger, _, mailed) = try await Self.stranger(side)
        if isHeard {
            side.reconfigure { $0.signup = .closed }
        } else {
            try await side.reconfigureElsewhere { $0.signup = .closed }
        }
        let before = side.store.commits.count
        for approver in [LoginLink.Approver.browser, .native] {
            let browser = stranger.request
            let refusal = await #expect(throws: ApproveLoginLink.Refusal.self) {
                try await side.approval.approve(mailed, by: approver, number: nil, browser)
            }
            guard case .dead? = refusal else {
                Issue.record("\(approver): \(String(describing: refusal))")
                continue
            }
        }
        #expect(side.store.commits.count == before)
        // As it was, should it open again in time.
        side.reconfigure { $0.signup = .open }
        try await side.approval.approve(mailed, by: .browser, number: nil, stranger.request)
        #expect(side.store.commits.count == before + 1)
    }

    @Test("who asked before the first login and presses \"send it again\" goes on by that mail")
    func sentAgain() async throws {
        let side = try await SignInSide()
        var (other, waiting, _) = try await Self.stranger(side)
        var owner = TestBrowser(side)
        #expect(try await owner.signIn().response?["code"] != nil)
        side.clock.advance(seconds: 61)
        let token = try await side.pages.waiting(waiting, other.request).resendToken
        _ = try await side.links.resend(other.posted(waiting, token), other.request)
        try await other.approve()
        #expect(side.mailQueue.sent.count == 3)
        #expect(try await other.complete(waiting).response?["code"] != nil)
    }
}
