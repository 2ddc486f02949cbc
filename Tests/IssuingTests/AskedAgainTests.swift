import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing

/// A request that comes again because a node died between the two halves of its work, and the
/// browser never heard an answer.
@Suite("Asked again where the first answer was lost half-way") struct AskedAgainTests {
    private func logout(_ side: SignInSide, _ hint: String, _ request: BrowserRequest)
        async throws -> EndSession.Answer
    {
        let form = TestBrowser.form(["id_token_hint": hint])
        return try await EndSession(side.context, signer: side.signer).start(form, request)
    }

    @Test("a logout asks nobody, and is finished") func logoutIsFinished() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await browser.signIn()
        let own = SessionID(try #require(browser.session).stream)
        let owner = try side.registered()
        let grant = try await side.openGrant(from: own, owner)
        let hint = try side.hint(grant, owner)
        try await side.decide(.end(.logout), on: own.stream, BrowserSession.self, of: owner)
        let ends = side.store.events(of: own.stream).count
        for _ in 0..<2 {
            let answer = try await logout(side, hint, browser.request)
            guard case .done(nil) = answer else { return #expect(Bool(false), "\(answer)") }
            #expect(side.store.events(of: grant.stream).last == .offlineGrant(.revoked(.logout)))
        }
        #expect(side.store.events(of: own.stream).count == ends)
    }

    @Test("attack: an ended session's hint signs an app's user out of a browser unasked")
    func logoutOfAView() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await browser.signIn()
        let own = SessionID(try #require(browser.session).stream)
        let owner = try side.registered()
        let hint = try side.hint(own, owner)
        try await side.decide(.end(.revoked), on: own.stream, BrowserSession.self, of: owner)
        // Then an app lets its user into this browser.
        var request = browser.request
        request.appSessions = [try await side.appSession(of: owner)]
        let answer = try await logout(side, hint, request)
        guard case .confirm = answer else { return #expect(Bool(false), "\(answer)") }
    }

    @Test("a login and the end of whose place it takes in the browser are one") func login()
        async throws
    {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await browser.signIn()
        let owner = try side.registered()
        let former = SessionID(try #require(browser.session).stream)
        let grant = try await side.openGrant(from: former, owner)
        let id = try await browser.enter(
            "b@example.com",
            at: browser.authorize("app", ["prompt": "login"])
        )
        try await browser.approve()
        let page = try await side.pages.waiting(id, browser.request)
        let posted = browser.posted(id, page.completeToken)
        let count = side.store.commits.count
        side.store.fail(.unavailable)
        await #expect(throws: OAuthError.self) {
            try await side.completion.complete(posted, browser.request)
        }
        #expect(side.store.commits.count == count)
        // From the first commit on the log takes nothing more.
        side.store.fail(.taken, .unavailable, .unavailable, .unavailable)
        _ = try await side.completion.complete(posted, browser.request)
        let end = try #require(side.store.allEvents.last { $0.stream == former.stream })
        #expect(end.body == .browserSession(.ended(.superseded)))
        #expect(end.subject == owner && end.session == former)
        // The apps that joined it are left to whoever follows the ends of the log.
        #expect(side.store.events(of: grant.stream).last != .offlineGrant(.revoked(.superseded)))
        side.store.succeed()
        let followers = FinishEndings(
            InMemoryEndingLog(side.store),
            commands: side.commands,
            personalData: InMemoryPersonalData(),
            pause: StillTime()
        )
        #expect(await followers.run(by: Fixture.noDeadline).sessionCount == 1)
        #expect(side.store.events(of: grant.stream).last == .offlineGrant(.revoked(.superseded)))
        let commits = side.store.commits.count
        _ = try await side.completion.complete(posted, browser.request)
        #expect(side.store.commits.count == commits)
    }

    @Test("a login whose form comes again ends nobody who has logged in since")
    func olderLogin() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        let id = try await browser.enter("b@example.com", at: browser.authorize())
        try await browser.approve()
        let page = try await side.pages.waiting(id, browser.request)
        let posted = browser.posted(id, page.completeToken)
        _ = try await side.completion.complete(posted, browser.request)
        // The answer was lost; then somebody else logged in.
        side.clock.advance(seconds: 1)
        _ = try await browser.signIn(at: "app")
        let newer = try #require(browser.session)
        let count = side.store.commits.count
        _ = try await side.completion.complete(posted, browser.request)
        #expect(side.store.commits.count == count)
        #expect(side.store.events(of: newer.stream).last != .browserSession(.ended(.superseded)))
    }

    @Test("an approval and the ends of the user's other links are one", arguments: [false, true])
    func approval(_ isUnreadable: Bool) async throws {
        let side = try await SignInSide()
        var first = TestBrowser(side)
        _ = try await first.signIn()
        var links: [StreamID] = []
        var presented = try await first.presented()
        for _ in 0..<3 {
            side.clock.advance(seconds: 61)
            var browser = TestBrowser(side)
            _ = try await browser.enter(SignInSide.address, at: browser.authorize())
            presented = try await browser.presented()
            let token = OpaqueToken(.loginLink, reading: presented.token, digester: side.digester)
            links.append(try #require(token).stream)
        }
        // One that nobody can read opens nothing, and holds up none.
        if isUnreadable { side.store.spoil(links[1]) }
        func approve() async throws {
            let stranger = TestBrowser(side).request
            try await side.approval.approve(presented, by: .native, number: nil, stranger)
        }
        let count = side.store.commits.count
        side.store.fail(.unavailable)
        await #expect(throws: ApproveLoginLink.Refusal.self) { try await approve() }
        #expect(side.store.commits.count == count)
        // From the first commit on the log takes nothing more.
        side.store.fail(.taken, .unavailable, .unavailable, .unavailable)
        try await approve()
        let ended = side.store.allEvents.filter {
            if case .loginLink(.superseded(by: links[2])) = $0.body { true } else { false }
        }
        #expect(Set(ended.map(\.stream)) == Set(links.prefix(isUnreadable ? 1 : 2)))
        side.store.succeed()
        try await approve()
        #expect(side.store.commits.count == count + 1)
    }

    @Test("a wrong pick that was under way at a node that died is a refusal again")
    func wrongPickMeanwhile() async throws {
        let side = try await SignInSide()
        var first = TestBrowser(side)
        _ = try await first.signIn()
        let owner = try side.registered()
        side.clock.advance(seconds: 61)
        var browser = TestBrowser(side)
        _ = try await browser.enter(SignInSide.address, at: browser.authorize("confirming"))
        let presented = try await browser.presented()
        let token = OpaqueToken(.loginLink, reading: presented.token, digester: side.digester)
        let link = try #require(token).stream
        let state = try await side.store.load(LoginLink.self, link, by: Fixture.noDeadline).state
        let wrong = try (#require(state.request).number + 1) % 100
        side.store.beforeNextAppend {
            let command = LoginLink.Command.approve(
                by: .native,
                sameDevice: false,
                generation: 1,
                number: wrong,
                at: side.clock.now
            )
            try? await side.decide(command, on: link, LoginLink.self, of: owner)
        }
        do throws(ApproveLoginLink.Refusal) {
            let stranger = TestBrowser(side).request
            try await side.approval.approve(presented, by: .browser, number: wrong, stranger)
            #expect(Bool(false), "it was approved")
        } catch {
            guard case .denied(link, .numberMismatch) = error else {
                return #expect(Bool(false), "\(error)")
            }
        }
    }

    @Test("a user's end that goes on when the user is enabled ends nothing of what came since")
    func enabledMeanwhile() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await browser.signIn()
        let owner = try side.registered()
        let session = try #require(browser.session).stream
        for order in [Subject.Command.disable(.operator), .enable(at: side.clock.now)] {
            try await side.decide(order, on: owner.stream, Subject.self, of: owner)
        }
        let request = CommandRequest(
            project: side.project,
            attributes: EventAttributes(actor: .system),
            deadline: Fixture.noDeadline
        )
        let count = side.store.commits.count
        try await SessionEnding(commands: side.commands).endAll(
            of: owner,
            grants: .subjectDisabled,
            browserSessions: .subjectDisabled,
            request: request
        )
        #expect(side.store.commits.count == count)
        #expect(side.store.events(of: session).last != .browserSession(.ended(.subjectDisabled)))
    }
}

/// Time that passes for nobody, and leaves all of it to everybody.
private struct StillTime: Pause {
    func wait(milliseconds: Int) async {}

    func deadline(inMilliseconds milliseconds: Int) -> Deadline {
        Deadline(nanoseconds: UInt64(milliseconds) * 1_000_000)
    }
}
