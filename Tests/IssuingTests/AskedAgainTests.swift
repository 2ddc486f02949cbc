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
        request.appSession = AppSession(
            session: try await side.openGrant(from: nil, owner),
            client: try Fixture.some(ClientID("web")),
            origin: .url,
            scope: .empty,
            issuedAt: side.clock.now,
            expiresAt: side.clock.now.adding(seconds: 900)
        )
        let answer = try await logout(side, hint, request)
        guard case .confirm = answer else { return #expect(Bool(false), "\(answer)") }
    }

    @Test("a login ends whose place it takes in the browser") func login() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await browser.signIn()
        let former = try #require(browser.session)
        let id = try await browser.enter(
            "b@example.com",
            at: browser.authorize("app", ["prompt": "login"])
        )
        try await browser.approve()
        let page = try await side.pages.waiting(id, browser.request)
        let posted = browser.posted(id, page.completeToken)
        let waiting = browser.request
        // As far as that node came: nobody has ended the former session yet.
        browser.session = nil
        let first = try await side.completion.complete(posted, browser.request)
        #expect(side.store.events(of: former.stream).last != .browserSession(.ended(.superseded)))
        let again = try await side.completion.complete(posted, waiting)
        #expect(again.step.response?["code"] == first.step.response?["code"])
        #expect(side.store.events(of: former.stream).last == .browserSession(.ended(.superseded)))
        let count = side.store.commits.count
        _ = try await side.completion.complete(posted, waiting)
        #expect(side.store.commits.count == count)
    }

    @Test("a login ends nobody who has logged in since") func olderLogin() async throws {
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

    @Test("an approval ends the user's links of before it, and none of after it")
    func approval() async throws {
        let side = try await SignInSide()
        let owner = try await signedIn(side)
        let (older, _) = try await askForLink(side)
        let (link, presented) = try await askForLink(side)
        try await approve(link, of: owner, side)
        _ = try await askForLink(side)
        try await press(presented, side)
        #expect(superseded(side) == [older])
    }

    @Test("an approval that was under way at a node that died ends the user's other links, too")
    func approvalMeanwhile() async throws {
        let side = try await SignInSide()
        let owner = try await signedIn(side)
        let (older, _) = try await askForLink(side)
        let (link, presented) = try await askForLink(side)
        side.store.beforeNextAppend { try? await approve(link, of: owner, side) }
        try await press(presented, side)
        #expect(superseded(side) == [older])
    }

    @Test("a wrong pick that was under way at a node that died is a refusal again")
    func wrongPickMeanwhile() async throws {
        let side = try await SignInSide()
        let owner = try await signedIn(side)
        let (link, presented) = try await askForLink(side, by: "confirming")
        let state = try await side.store.load(LoginLink.self, link, by: Fixture.noDeadline).state
        let wrong = try (#require(state.request).number + 1) % 100
        side.store.beforeNextAppend {
            try? await approve(link, of: owner, number: wrong, sameDevice: false, side)
        }
        do throws(ApproveLoginLink.Refusal) {
            try await side.approval.approve(
                presented,
                by: .browser,
                number: wrong,
                TestBrowser(side).request
            )
            #expect(Bool(false), "it was approved")
        } catch {
            guard case .denied(link) = error else { return #expect(Bool(false), "\(error)") }
        }
    }

    private func signedIn(_ side: SignInSide) async throws -> SubjectID {
        var browser = TestBrowser(side)
        _ = try await browser.signIn()
        return try side.registered()
    }

    /// A link of the user, asked for in a new browser.
    private func askForLink(_ side: SignInSide, by client: String = "web")
        async throws -> (StreamID, ApproveLoginLink.Presented)
    {
        side.clock.advance(seconds: 61)
        var browser = TestBrowser(side)
        _ = try await browser.enter(SignInSide.address, at: browser.authorize(client))
        let presented = try await browser.presented()
        let token = OpaqueToken(.loginLink, reading: presented.token, digester: side.digester)
        return (try #require(token).stream, presented)
    }

    /// The first half of an approval.
    private func approve(
        _ link: StreamID,
        of owner: SubjectID,
        number: Int? = nil,
        sameDevice: Bool = true,
        _ side: SignInSide
    ) async throws {
        let command = LoginLink.Command.approve(
            by: .native,
            sameDevice: sameDevice,
            generation: 1,
            number: number,
            at: side.clock.now
        )
        try await side.decide(command, on: link, LoginLink.self, of: owner)
    }

    private func press(_ presented: ApproveLoginLink.Presented, _ side: SignInSide) async throws {
        let request = TestBrowser(side).request
        try await side.approval.approve(presented, by: .native, number: nil, request)
    }

    private func superseded(_ side: SignInSide) -> [StreamID] {
        let ended = side.store.allEvents.filter {
            if case .loginLink(.superseded) = $0.body { true } else { false }
        }
        return ended.map(\.stream)
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
