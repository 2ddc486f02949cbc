import Domain
import InMemory
import Issuing
import OAuth
import Runtime
import TestSupport
import Testing

/// Requests for a mail that come twice, and senders that are faster than the log (Events 8.3).
@Suite("Login mails that cross each other") struct LoginMailRaceTests {
    /// A browser that has the form for the address before it, and what that form posts.
    private static func atTheForm() async throws
        -> (SignInSide, TestBrowser, StreamID, SignInContext.Posted)
    {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        let step = try await browser.authorize()
        guard case .login(let id) = step else { return try Fixture.some(nil) }
        let page = try Fixture.some(try await side.pages.login(id, browser.request))
        return (side, browser, id, browser.posted(id, page.formToken))
    }

    @Test("waiting for the log costs a mail none of its attempts") func waitsUncounted()
        async throws
    {
        let (side, browser, _, posted) = try await Self.atTheForm()
        let mailQueue = InterruptedMailQueue(side.mailQueue) {
            for _ in 1...6 { _ = try await side.mails.run(by: Fixture.noDeadline) }
        }
        _ = try await side.unlimitedLinks(mailQueue)
            .request(posted, address: Array(SignInSide.address.utf8), browser.request)
        #expect(side.mailQueue.due.map(\.attempts) == [0] && side.mailQueue.sent.isEmpty)
        side.mailQueue.fail(.transient(code: 451))
        _ = try await side.mails.run(by: Fixture.noDeadline)
        #expect(side.mailQueue.due.map(\.attempts) == [1])
    }

    @Test("who sends the address twice at once can still open the mail that went out")
    func twiceAtOnce() async throws {
        let (side, opened, id, posted) = try await Self.atTheForm()
        var browser = opened
        let request = browser.request
        let address = Array(SignInSide.address.utf8)
        // One may send none, and has read the request before the other's link is in the log.
        let mailQueue = InterruptedMailQueue(InMemoryMailQueue(clock: side.clock)) {
            _ = try await side.links.request(posted, address: address, request)
        }
        let windows = InMemoryWindows()
        let budget = side.budget(windows: windows)
        let email = try Fixture.some(EmailAddress(address))
        let isCounted = try await budget.allows(
            email,
            from: browser.address,
            in: side.project.number,
            at: side.clock.now,
            by: Fixture.noDeadline
        )
        #expect(isCounted)
        _ = try await side.links(windows: windows, mailQueue: mailQueue)
            .request(posted, address: address, request)
        #expect(mailQueue.interrupted.current)
        _ = try await side.mails.run(by: Fixture.noDeadline)
        #expect(side.mailQueue.sent.count == 1)
        try await browser.approve()
        #expect(try await browser.complete(id).response?["code"] != nil)
    }

    @Test("who asks again because a node died in between gets the mail")
    func diedBetween() async throws {
        let (side, opened, id, posted) = try await Self.atTheForm()
        var browser = opened
        let address = Array(SignInSide.address.utf8)
        // Counted, and then nothing more.
        side.store.fail(.unavailable)
        await #expect(throws: RequestLoginLink.Refusal.self) {
            try await side.links.request(posted, address: address, browser.request)
        }
        for _ in 1...3 {
            let answer = try await side.links.request(posted, address: address, browser.request)
            guard case .waiting(id) = browser.take(answer) else { return #expect(Bool(false)) }
        }
        // What that node left in the queue is of no link, and dropped.
        side.clock.advance(seconds: 61)
        try await browser.approve()
        #expect(side.mailQueue.sent.count == 1)
        #expect(try await browser.complete(id).response?["code"] != nil)
    }

    @Test("attack: a mail that was counted once is sent once, however often its form comes")
    func countedOnce() async throws {
        let (side, browser, id, posted) = try await Self.atTheForm()
        let (address, request) = (Array(SignInSide.address.utf8), browser.request)
        // While the one that was counted waits, another comes, and one of another address.
        let mailQueue = InterruptedMailQueue(side.mailQueue) {
            for text in [address, Array("b@example.com".utf8)] {
                _ = try await side.links.request(posted, address: text, request)
                for _ in 1...3 { _ = try await side.mails.run(by: Fixture.noDeadline) }
            }
        }
        let answer = try await side.links(mailQueue: mailQueue)
            .request(posted, address: address, request)
        guard case .waiting(id) = answer.step else { return #expect(Bool(false)) }
        #expect(mailQueue.interrupted.current)
        // Nor does another browser have a mail by it.
        var other = TestBrowser(side)
        _ = try await other.enter(SignInSide.address, at: other.authorize())
        for _ in 1...5 { _ = try await side.mails.run(by: Fixture.noDeadline) }
        #expect(side.mailQueue.sent.filter { $0.to.bytes == address }.count == 1)
    }

    @Test("a mail of an earlier minute is replaced as ever when no other may go out") func later()
        async throws
    {
        let (side, browser, _, posted) = try await Self.atTheForm()
        let address = Array(SignInSide.address.utf8)
        func ask() async throws {
            _ = try await side.links.request(posted, address: address, browser.request)
        }
        try await ask()
        let mailed = try await browser.presented()
        side.clock.advance(seconds: 61)
        // Somebody else has a mail sent there.
        var other = TestBrowser(side)
        _ = try await other.enter(SignInSide.address, at: other.authorize())
        try await ask()
        await #expect(throws: ApproveLoginLink.Refusal.self) {
            try await side.approval.view(mailed, browser.request)
        }
    }

    @Test("who sends the address twice in a minute can still open the mail that went out")
    func twiceInAMinute() async throws {
        let (side, opened, id, posted) = try await Self.atTheForm()
        var browser = opened
        for _ in 1...2 {
            let answer = try await side.links.request(
                posted,
                address: Array(SignInSide.address.utf8),
                browser.request
            )
            guard case .waiting(id) = browser.take(answer) else { return #expect(Bool(false)) }
        }
        _ = try await side.mails.run(by: Fixture.noDeadline)
        #expect(side.mailQueue.sent.count == 1)
        try await browser.approve()
        #expect(try await browser.complete(id).response?["code"] != nil)
    }
}
