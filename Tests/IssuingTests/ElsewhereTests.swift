import Domain
import InMemory
import Issuing
import OAuth
import Runtime
import TestSupport
import Testing

/// A page that waits at an address while somebody logs in with it elsewhere (decision 0200).
@Suite("Logins elsewhere, and who waits") struct ElsewhereTests {
    /// A browser that waits at `address`, and what was mailed there; a minute later the owner of
    /// `SignInSide.address`, who is known, logs in elsewhere.
    private static func waiting(_ address: String, _ side: SignInSide)
        async throws -> (
            browser: TestBrowser, request: StreamID, mailed: ApproveLoginLink.Presented
        )
    {
        var owner = TestBrowser(side)
        _ = try await owner.signIn()
        side.clock.advance(seconds: 61)
        var browser = TestBrowser(side)
        let id = try await browser.enter(address, at: browser.authorize("confirming"))
        let mailed = try await browser.presented()
        side.clock.advance(seconds: 61)
        let login = try await owner.signIn(SignInSide.address, at: "app", ["prompt": "login"])
        #expect(login.response?["code"] != nil)
        return (browser, id, mailed)
    }

    /// How far the page is said to be, what it shows, and whether its button leads back to it.
    private static func looks(_ id: StreamID, _ browser: TestBrowser) async throws -> String {
        let side = browser.side
        let channel = AwaitLogin(side.context, hints: InMemoryStreamHints(), pause: side.clock)
        let status = try await channel.status(of: id, waitSeconds: 0, browser.request)
        let page = try await side.pages.waiting(id, browser.request)
        let posted = browser.posted(id, page.completeToken)
        var isBack = false
        if let answer = try? await side.completion.complete(posted, browser.request),
            case .waiting = answer.step
        {
            isBack = true
        }
        return "\(status) \(page.status) \(page.resendInSeconds) \(isBack)"
    }

    private static func resend(_ id: StreamID, _ browser: TestBrowser)
        async throws -> SignInAnswer
    {
        let token = try await browser.side.pages.waiting(id, browser.request).resendToken
        return try await browser.side.links.resend(browser.posted(id, token), browser.request)
    }

    /// All that a stranger is told who waits, and has the mail sent again.
    private static func told(_ address: String) async throws -> [String] {
        let side = try await SignInSide()
        let (browser, id, _) = try await waiting(address, side)
        let number = try await side.pages.waiting(id, browser.request).number
        var told = [try await looks(id, browser)]
        side.clock.advance(seconds: 61)
        let answer = try await resend(id, browser)
        told.append("\(answer.cookies.count)")
        told.append(try await looks(id, browser))
        let after = try await side.pages.waiting(id, browser.request).number
        told.append("\(after == number)")
        // The address again, in the minute of the mail: it keeps its link.
        side.clock.advance(seconds: 5)
        var other = browser
        _ = try await other.enter(address, at: .login(id))
        told.append(try await looks(id, browser))
        // 600 s after the first mail was asked for, and a second before.
        for seconds in [472, 1] as [Int64] {
            side.clock.advance(seconds: seconds)
            told.append(try await looks(id, browser))
        }
        return told
    }

    @Test("attack: who waits at an address, to learn when its user logs in elsewhere")
    func indistinguishable() async throws {
        let known = try await Self.told(SignInSide.address)
        #expect(
            known == [
                "pending pending 0 true", "1", "pending pending 60 true", "true",
                "pending pending 55 true", "pending pending 0 true", "expired expired 0 false",
            ]
        )
        #expect(try await Self.told("nobody@example.com") == known)
    }

    @Test("attack: how long \"send it again\" takes: the log is asked as often") func reads()
        async throws
    {
        var counts: [Int] = []
        for address in [SignInSide.address, "nobody@example.com"] {
            let side = try await SignInSide()
            let (browser, id, _) = try await Self.waiting(address, side)
            side.clock.advance(seconds: 61)
            let token = try await side.pages.waiting(id, browser.request).resendToken
            let store = CountingStore(side.store)
            _ = try await side.links(at: side.context(over: store))
                .resend(browser.posted(id, token), browser.request)
            counts.append(store.reads)
        }
        #expect(counts[0] == counts[1] && counts[0] > 0)
    }

    @Test("who has the mail sent again after a login elsewhere goes on by it, not by the former")
    func goesOn() async throws {
        let side = try await SignInSide()
        var (browser, id, former) = try await Self.waiting(SignInSide.address, side)
        side.clock.advance(seconds: 61)
        let sent = side.mailbox.sent.count
        browser.take(try await Self.resend(id, browser))
        try await browser.approve()
        #expect(side.mailbox.sent.count == sent + 1)
        await #expect(throws: ApproveLoginLink.Refusal.self) {
            try await side.approval.view(former, browser.request)
        }
        #expect(try await browser.complete(id).response?["code"] != nil)
    }

    @Test("who has the mail sent again goes on by it, though its user was enabled since")
    func enabled() async throws {
        let side = try await SignInSide()
        var first = TestBrowser(side)
        _ = try await first.signIn()
        side.clock.advance(seconds: 61)
        var browser = TestBrowser(side)
        let id = try await browser.enter(SignInSide.address, at: browser.authorize())
        _ = try await browser.presented()
        let user = try side.registered()
        try await side.decide(.disable(.operator), on: user.stream, Subject.self, of: user)
        side.clock.advance(seconds: 61)
        let now = side.clock.now
        try await side.decide(.enable(at: now), on: user.stream, Subject.self, of: user)
        side.clock.advance(seconds: 1)
        _ = try await Self.resend(id, browser)
        try await browser.approve()
        #expect(try await browser.complete(id).response?["code"] != nil)
    }

    @Test("an end that comes while the mail is sent again leaves none that is dead")
    func meanwhile() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        let id = try await browser.enter(SignInSide.address, at: browser.authorize())
        _ = try await browser.presented()
        side.clock.advance(seconds: 61)
        let token = try await side.pages.waiting(id, browser.request).resendToken
        // As its mail is about to be queued, somebody makes the user of the address.
        let mailbox = InterruptedMailbox(side.mailbox, isBefore: true) {
            var owner = TestBrowser(side)
            guard case .login(let own) = try await owner.authorize() else { return }
            let page = try Fixture.some(try await side.pages.login(own, owner.request))
            let answer = try await side.unlimitedLinks(side.mailbox).request(
                owner.posted(own, page.formToken),
                address: Array(SignInSide.address.utf8),
                owner.request
            )
            owner.take(answer)
            try await owner.approve()
            _ = try await owner.complete(own)
        }
        let links = side.unlimitedLinks(mailbox)
        _ = try await links.resend(browser.posted(id, token), browser.request)
        #expect(mailbox.interrupted.current)
        _ = try await links.resend(browser.posted(id, token), browser.request)
        // The first row is of no generation, and dropped.
        side.clock.advance(seconds: 61)
        try await browser.approve()
        #expect(side.mailbox.sent.count == 3)
        #expect(try await browser.complete(id).response?["code"] != nil)
    }
}
