import Domain
import InMemory
import Issuing
import OAuth
import Runtime
import TestSupport
import Testing

/// "Send it again": a new link in the former's place, and its mail (decision 0200).
@Suite("Login mails that are sent again") struct ResentMailTests {
    @Test("of two resends at one moment, one counts, and its mail's link opens")
    func resendTwice() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        let id = try await browser.enter(SignInSide.address, at: browser.authorize())
        let token = try await side.pages.waiting(id, browser.request).resendToken
        let other = browser
        // As the first one has put its mail in the queue, the other runs from end to end.
        let mailQueue = InterruptedMailQueue(side.mailQueue) {
            _ = try await side.unlimitedLinks(side.mailQueue)
                .resend(other.posted(id, token), other.request)
        }
        _ = try await side.unlimitedLinks(mailQueue)
            .resend(browser.posted(id, token), browser.request)
        #expect(mailQueue.interrupted.withLock { $0 } == true)
        try await browser.approve()
        #expect(try await browser.complete(id).response?["code"] != nil)
    }

    @Test("a resend that the sender sees before the log does is mailed, only later")
    func resendSeenEarly() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        let id = try await browser.enter(SignInSide.address, at: browser.authorize())
        let token = try await side.pages.waiting(id, browser.request).resendToken
        let mailQueue = InterruptedMailQueue(side.mailQueue) {
            _ = try await side.mails.run(by: Fixture.noDeadline)
        }
        _ = try await side.unlimitedLinks(mailQueue)
            .resend(browser.posted(id, token), browser.request)
        #expect(mailQueue.interrupted.current)
        side.clock.advance(seconds: 2)
        try await browser.approve()
        #expect(try await browser.complete(id).response?["code"] != nil)
    }

    @Test("who presses \"send it again\" because a node died in between gets the mail")
    func diedBeforeResending() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        let id = try await browser.enter(SignInSide.address, at: browser.authorize())
        let former = try await browser.presented()
        side.clock.advance(seconds: 60)
        let token = try await side.pages.waiting(id, browser.request).resendToken
        // Counted, and then nothing more.
        side.store.fail(.unavailable)
        await #expect(throws: OAuthError.self) {
            try await side.links.resend(browser.posted(id, token), browser.request)
        }
        for _ in 1...3 {
            _ = try await side.links.resend(browser.posted(id, token), browser.request)
        }
        try await browser.approve()
        #expect(side.mailQueue.sent.count == 2)
        #expect(try await browser.complete(id).response?["code"] != nil)
        await #expect(throws: ApproveLoginLink.Refusal.self) {
            try await side.approval.view(former, browser.request)
        }
    }

    @Test("attack: a link that has expired is not sent again, however often it is asked for")
    func expired() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        let id = try await browser.enter(SignInSide.address, at: browser.authorize())
        _ = try await browser.presented()
        let token = try await side.pages.waiting(id, browser.request).resendToken
        side.clock.advance(seconds: 600)
        for _ in 1...3 {
            _ = try await side.links.resend(browser.posted(id, token), browser.request)
        }
        #expect(side.mailQueue.due.isEmpty)
    }

    @Test("attack: \"send it again\" pressed twice at once is one mail") func resentOnce()
        async throws
    {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        let id = try await browser.enter(SignInSide.address, at: browser.authorize())
        _ = try await browser.presented()
        side.clock.advance(seconds: 60)
        let token = try await side.pages.waiting(id, browser.request).resendToken
        let (posted, request) = (browser.posted(id, token), browser.request)
        // While the one that was counted waits before its row, the other's mail goes out.
        let mailQueue = InterruptedMailQueue(side.mailQueue, isBefore: true) {
            _ = try await side.links.resend(posted, request)
            for _ in 1...3 { _ = try await side.mails.run(by: Fixture.noDeadline) }
        }
        _ = try await side.links(mailQueue: mailQueue).resend(posted, request)
        #expect(mailQueue.interrupted.current)
        // The row that came late is of no link, and dropped after a minute.
        side.clock.advance(seconds: 61)
        for _ in 1...3 { _ = try await side.mails.run(by: Fixture.noDeadline) }
        #expect(side.mailQueue.sent.count == 2 && side.mailQueue.due.isEmpty)
    }

    @Test("attack: who holds both mails of a login does not see which number their pages share")
    func sameNumbers() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        let phone = TestBrowser(side)
        func numbers() async throws -> [Int] {
            try await side.approval.view(try await phone.presented(), phone.request).numbers
        }
        let id = try await browser.enter(SignInSide.address, at: browser.authorize("confirming"))
        let first = try await numbers()
        side.clock.advance(seconds: 61)
        let token = try await side.pages.waiting(id, browser.request).resendToken
        browser.take(try await side.links.resend(browser.posted(id, token), browser.request))
        let again = try await numbers()
        #expect(side.mailQueue.sent.count == 2)
        #expect(first.count == 3 && again == first)
        // By the form the number is another, and so are the two wrong ones.
        side.clock.advance(seconds: 61)
        _ = try await browser.enter(SignInSide.address, at: .login(id))
        let other = try await numbers()
        #expect(side.mailQueue.sent.count == 3)
        #expect(other.count == 3 && Set(other).intersection(first).count < 2)
    }

    /// What the waiting page counts down after a resend, while its mail is on its way or nowhere.
    private func countdown(for address: String, _ side: SignInSide) async throws -> [Int64] {
        var browser = TestBrowser(side)
        let id = try await browser.enter(address, at: browser.authorize())
        _ = try await side.mails.run(by: Fixture.noDeadline)
        side.clock.advance(seconds: 60)
        let first = try await side.pages.waiting(id, browser.request)
        _ = try await side.links.resend(browser.posted(id, first.resendToken), browser.request)
        var seconds = [first.resendInSeconds]
        for _ in 1...4 {
            let page = try await side.pages.waiting(id, browser.request)
            seconds.append(page.resendInSeconds)
            side.clock.advance(seconds: 19)
            _ = try await side.mails.run(by: Fixture.noDeadline)
        }
        return seconds
    }

    @Test("attack: how long to wait for another mail does not tell whether the last one went out")
    func sameCountdown() async throws {
        let side = try await SignInSide()
        var first = TestBrowser(side)
        _ = try await first.signIn()
        side.reconfigure { $0.signup = .closed }
        side.clock.advance(seconds: 60)
        let known = try await countdown(for: SignInSide.address, side)
        #expect(side.mailQueue.sent.count == 3)
        let unknown = try await countdown(for: "nobody@example.com", side)
        #expect(side.mailQueue.sent.count == 3 && side.mailQueue.due.isEmpty)
        #expect(known == [0, 60, 41, 22, 3] && unknown == known)
    }
}
