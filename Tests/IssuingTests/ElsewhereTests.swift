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

    /// What "send it again" asks of the log and appends to it: reads, commits, guards, streams; two
    /// minutes after a mail, `meanwhile` having come between.
    private static func cost(
        of address: String = SignInSide.address,
        isNewcomer: Bool = false,
        _ meanwhile: (SignInSide) async throws -> Void
    ) async throws -> [Int] {
        let side = try await SignInSide()
        if !isNewcomer { try await signIn(side) }
        side.clock.advance(seconds: 61)
        var browser = TestBrowser(side)
        let id = try await browser.enter(address, at: browser.authorize())
        _ = try await browser.presented()
        side.clock.advance(seconds: 61)
        try await meanwhile(side)
        side.clock.advance(seconds: 61)
        let token = try await side.pages.waiting(id, browser.request).resendToken
        let store = CountingStore(side.store)
        let before = side.store.commits.count
        _ = try await side.links(at: side.context(over: store))
            .resend(browser.posted(id, token), browser.request)
        let commits = side.store.commits.dropFirst(before)
        let guards = commits.reduce(0) { $0 + $1.guards.count }
        let streams = commits.reduce(0) { $0 + $1.streams.count }
        return [store.reads, commits.count, guards, streams]
    }

    private static func signIn(_ side: SignInSide) async throws {
        var owner = TestBrowser(side)
        _ = try await owner.signIn()
    }

    private static func disable(_ side: SignInSide) async throws {
        let user = try side.registered()
        try await side.decide(.disable(.operator), on: user.stream, Subject.self, of: user)
    }

    @Test("attack: how long \"send it again\" takes: the log is asked as often, and told as much")
    func costs() async throws {
        let nobody = try await Self.cost(of: "nobody@example.com") { _ in }
        #expect(nobody[0] > 0 && nobody[1] == 1 && nobody[3] == 3)
        let known = try await Self.cost { _ in }
        #expect(known == nobody)
        let disabled = try await Self.cost { side in try await Self.disable(side) }
        #expect(disabled == nobody)
        // Whose address it is, it became since; and once more, of who was disabled then.
        for isDisabled in [false, true] {
            let newcomer = try await Self.cost(isNewcomer: true) { side in
                try await Self.signIn(side)
                if isDisabled { try await Self.disable(side) }
            }
            #expect(newcomer == nobody)
        }
        // What a login elsewhere has ended is not ended again.
        var elsewhere = try await Self.cost { side in try await Self.signIn(side) }
        elsewhere[3] += 1
        #expect(elsewhere == nobody)
    }

    @Test("whose first login completes while their page asks hears that, not that it came too late")
    func completing() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        let id = try await browser.enter(SignInSide.address, at: browser.authorize())
        try await browser.approve()
        let request = try await side.store.load(Authorization.self, id, by: Fixture.noDeadline)
        let link = try Fixture.some(request.state.started?.loginLink)
        let other = browser
        let store = InterruptedStore(side.store, afterLoading: link) {
            var pressing = other
            _ = try? await pressing.complete(id)
        }
        let context = side.context(over: store)
        let channel = AwaitLogin(context, hints: InMemoryStreamHints(), pause: side.clock)
        let status = try await channel.status(of: id, waitSeconds: 0, browser.request)
        #expect(status == .completed)
    }

    @Test("who asks for a mail in another tab is told so in the first, who only begins is not")
    func anotherTab() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        let first = try await browser.enter(SignInSide.address, at: browser.authorize())
        side.clock.advance(seconds: 25)
        let step = try await browser.authorize()
        #expect(try await Self.looks(first, browser) == "pending pending 35 true")
        // Past the limit of its minute it ends the first one's link all the same.
        let second = try await browser.enter(SignInSide.address, at: step)
        #expect(try await Self.looks(first, browser) == "expired expired 35 true")
        #expect(try await Self.looks(second, browser) == "pending pending 60 true")
        side.clock.advance(seconds: 61)
        browser.take(try await Self.resend(first, browser))
        #expect(try await Self.looks(first, browser) == "pending pending 60 true")
        #expect(try await Self.looks(second, browser) == "expired expired 0 true")
        // Another address at the second, and in the minute of the first one's mail its own again:
        // nothing more is mailed there, but a link that was replaced does not come back.
        side.clock.advance(seconds: 1)
        _ = try await browser.enter("nobody@example.com", at: .login(second))
        #expect(try await Self.looks(first, browser) == "expired expired 59 true")
        side.clock.advance(seconds: 1)
        _ = try await browser.enter(SignInSide.address, at: .login(first))
        #expect(try await Self.looks(first, browser) == "pending pending 60 true")
        #expect(try await Self.looks(second, browser) == "expired expired 59 true")
        side.clock.advance(seconds: 61)
        browser.take(try await Self.resend(first, browser))
        #expect(try await Self.isOpen(first, side))
        #expect(try await !Self.isOpen(second, side))
    }

    /// Whether the newest link of a request may still be approved.
    private static func isOpen(_ id: StreamID, _ side: SignInSide) async throws -> Bool {
        let deadline = Fixture.noDeadline
        let request = try await side.store.load(Authorization.self, id, by: deadline)
        let link = try Fixture.some(request.state.started?.loginLink)
        let loaded = try await side.store.load(LoginLink.self, link, by: deadline)
        guard case .requested = loaded.state else { return false }
        return true
    }

    @Test("who has the mail sent again after a login elsewhere goes on by it, not by the former")
    func goesOn() async throws {
        let side = try await SignInSide()
        var (browser, id, former) = try await Self.waiting(SignInSide.address, side)
        side.clock.advance(seconds: 61)
        let sent = side.mailQueue.sent.count
        browser.take(try await Self.resend(id, browser))
        try await browser.approve()
        #expect(side.mailQueue.sent.count == sent + 1)
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
        let mailQueue = InterruptedMailQueue(side.mailQueue, isBefore: true) {
            var owner = TestBrowser(side)
            guard case .login(let own) = try await owner.authorize() else { return }
            let page = try Fixture.some(try await side.pages.login(own, owner.request))
            let answer = try await side.unlimitedLinks(side.mailQueue).request(
                owner.posted(own, page.formToken),
                address: Array(SignInSide.address.utf8),
                owner.request
            )
            owner.take(answer)
            try await owner.approve()
            _ = try await owner.complete(own)
        }
        let links = side.unlimitedLinks(mailQueue)
        _ = try await links.resend(browser.posted(id, token), browser.request)
        #expect(mailQueue.interrupted.current)
        try await browser.approve()
        #expect(side.mailQueue.sent.count == 3)
        #expect(try await browser.complete(id).response?["code"] != nil)
    }
}
