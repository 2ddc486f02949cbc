import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing

/// A stranger has mails sent to somebody's mailbox, so that their own has no room (decision 0241).
@Suite("A mailbox that a stranger fills") struct StarvedMailboxTests {
    private static func browser(_ side: SignInSide, of network: UInt8) -> TestBrowser {
        var browser = TestBrowser(side)
        browser.address.limitKey = [198, 51, 100, network]
        return browser
    }

    /// Asks for a mail by a browser of that network, and says how many go out.
    private static func ask(_ side: SignInSide, from network: UInt8) async throws -> Int {
        var browser = browser(side, of: network)
        let before = side.mailQueue.sent.count
        _ = try await browser.enter(SignInSide.address, at: browser.authorize())
        _ = try await side.mails.run(by: Fixture.noDeadline)
        return side.mailQueue.sent.count - before
    }

    @Test("attack: one network has all the mails that it may: who asks from another gets theirs")
    func perNetwork() async throws {
        let side = try await SignInSide()
        #expect(try await Self.ask(side, from: 1) == 1)
        #expect(try await Self.ask(side, from: 1) == 0)
        // In the same minute.
        #expect(try await Self.ask(side, from: 2) == 1)
        var sent = 1
        for _ in 0..<7 {
            side.clock.advance(seconds: 61)
            sent += try await Self.ask(side, from: 1)
        }
        // In the same hour.
        #expect(sent == 5)
        #expect(try await Self.ask(side, from: 2) == 1)
    }

    @Test("attack: a home asks from each /64 that it has: to a mailbox its /48 is one network")
    func perHome() async throws {
        let side = try await SignInSide()
        let budget = side.budget()
        func allows(_ address: [UInt8], _ wider: [UInt8]) async throws -> Bool {
            try await budget.allows(
                Fixture.some(EmailAddress(SignInSide.address.utf8)),
                from: NetworkAddress(limitKey: address, widerLimitKey: wider, network: ""),
                in: side.project.number,
                at: side.clock.now,
                by: Fixture.noDeadline
            )
        }
        #expect(try await allows([1, 2, 3, 4, 5, 6, 0, 1], [1, 2, 3, 4, 5, 6]))
        #expect(try await !allows([1, 2, 3, 4, 5, 6, 0, 2], [1, 2, 3, 4, 5, 6]))
        #expect(try await allows([1, 2, 3, 4, 5, 7, 0, 1], [1, 2, 3, 4, 5, 7]))
    }

    @Test("nor do many networks fill a mailbox: it gets two mails a minute, and ten an hour")
    func perMailbox() async throws {
        let side = try await SignInSide()
        var sent: [Int] = []
        for minute in UInt8(0)..<6 {
            var inMinute = 0
            for network in UInt8(0)..<4 {
                inMinute += try await Self.ask(side, from: minute * 4 + network)
            }
            sent.append(inMinute)
            side.clock.advance(seconds: 60)
        }
        #expect(sent == [2, 2, 2, 2, 2, 0])
    }

    /// Somebody who waits in `own` for a mail that does not come, because two networks have had
    /// those of this minute, and one of these, which names the same client.
    private static func starved(_ side: SignInSide, at client: String = "web")
        async throws -> (
            own: TestBrowser, waiting: StreamID, mailed: ApproveLoginLink.Presented, number: Int?
        )
    {
        var stranger = browser(side, of: 1)
        let theirs = try await stranger.enter(SignInSide.address, at: stranger.authorize(client))
        let mailed = try await stranger.presented()
        let number = try await side.pages.waiting(theirs, stranger.request).number
        #expect(try await ask(side, from: 2) == 1)
        var own = TestBrowser(side)
        let waiting = try await own.enter(SignInSide.address, at: own.authorize(client))
        _ = try await side.mails.run(by: Fixture.noDeadline)
        #expect(side.mailQueue.sent.count == 2)
        return (own, waiting, mailed, number)
    }

    @Test("attack: the only mail that comes is a stranger's: it is approved by no tap of who waits")
    func strangersMail() async throws {
        let side = try await SignInSide()
        let (own, _, mailed, _) = try await Self.starved(side)
        let view = try await side.approval.view(mailed, own.request)
        #expect(view.isOtherMail && view.numbers.isEmpty)
        let before = side.store.commits.count
        do throws(ApproveLoginLink.Refusal) {
            try await side.approval.approve(mailed, by: .browser, number: nil, own.request)
            Issue.record("it was approved")
        } catch {
            guard case .failed(let why) = error else {
                return #expect(Bool(false), "\(error)")
            }
            #expect(why.code == .accessDenied)
        }
        #expect(side.store.commits.count == before)
        // Another device waits for nothing.
        let phone = TestBrowser(side)
        #expect(try await !side.approval.view(mailed, phone.request).isOtherMail)
        try await side.approval.deny(mailed, own.request)
        await #expect(throws: ApproveLoginLink.Refusal.self) {
            try await side.approval.view(mailed, own.request)
        }
    }

    @Test("where numbers are shown, whoever waits picks the one that the other device shows")
    func numbers() async throws {
        let side = try await SignInSide()
        let (own, _, mailed, number) = try await Self.starved(side, at: "confirming")
        let view = try await side.approval.view(mailed, own.request)
        #expect(view.isOtherMail && view.numbers.count == 3)
        await #expect(throws: ApproveLoginLink.Refusal.self) {
            try await side.approval.approve(mailed, by: .browser, number: nil, own.request)
        }
        try await side.approval.approve(mailed, by: .browser, number: number, own.request)
        #expect(try await side.approval.view(mailed, own.request).isApproved)
    }

    @Test("who gives up the sign-in that waits here may approve one of another device")
    func givenUp() async throws {
        let side = try await SignInSide()
        let (own, waiting, mailed, _) = try await Self.starved(side)
        let token = try await side.pages.waiting(waiting, own.request).frame.cancelToken
        _ = try await CancelLogin(side.context).cancel(own.posted(waiting, token), own.request)
        #expect(try await !side.approval.view(mailed, own.request).isOtherMail)
        try await side.approval.approve(mailed, by: .browser, number: nil, own.request)
        #expect(try await side.approval.view(mailed, own.request).isApproved)
    }

    @Test("nobody waits who has signed in, asked for no mail, or asked ten minutes ago")
    func notWaiting() async throws {
        let side = try await SignInSide()
        var signedIn = TestBrowser(side)
        _ = try await signedIn.signIn()
        var begun = TestBrowser(side)
        _ = try await begun.authorize()
        side.clock.advance(seconds: 61)
        var late = TestBrowser(side)
        _ = try await late.enter(SignInSide.address, at: late.authorize())
        _ = try await side.mails.run(by: Fixture.noDeadline)
        side.clock.advance(seconds: 600)
        var other = Self.browser(side, of: 1)
        _ = try await other.enter(SignInSide.address, at: other.authorize())
        let mailed = try await other.presented()
        for browser in [signedIn, begun, late] {
            #expect(try await !side.approval.view(mailed, browser.request).isOtherMail)
        }
        try await side.approval.approve(mailed, by: .browser, number: nil, late.request)
    }
}
