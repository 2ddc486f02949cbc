import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing

/// A button pressed again when what its login rests on is over (decision 0128).
@Suite("Buttons of a sign-in, pressed again after an end") struct SignInAgainEndingTests {
    private static func order(_ command: Subject.Command, _ side: SignInSide) async throws {
        let user = try side.registered()
        try await side.decide(command, on: user.stream, Subject.self, of: user)
    }

    private static func logOut(_ browser: TestBrowser) async throws {
        let session = SessionID(try Fixture.some(browser.session).stream)
        let user = try browser.side.registered()
        try await browser.side.ending.end(session, of: user, .logout, browser.request)
    }

    /// What ends a login.
    enum End: CaseIterable { case logout, disabled, enabledAgain }

    private static func carryOut(_ end: End, _ browser: TestBrowser) async throws {
        let side = browser.side
        switch end {
        case .logout: try await logOut(browser)
        case .disabled: try await order(.disable(.operator), side)
        case .enabledAgain:
            try await order(.disable(.operator), side)
            side.clock.advance(seconds: 1)
            try await order(.enable(at: side.clock.now), side)
        }
    }

    /// Nothing is told, and nothing recorded.
    private static func expectOver(
        _ side: SignInSide,
        _ press: () async throws -> SignInAnswer
    ) async {
        let commits = side.store.commits.count
        await expect(refusal: .invalidRequest) { try await press() }
        #expect(side.store.commits.count == commits)
    }

    @Test("attack: the code of a login by link, when that login has ended", arguments: End.allCases)
    func link(_ end: End) async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        let id = try await browser.enter(SignInSide.address, at: browser.authorize())
        try await browser.approve()
        let token = try await side.pages.waiting(id, browser.request).completeToken
        let posted = browser.posted(id, token)
        let first = try await side.completion.complete(posted, browser.request)
        browser.take(first)
        let request = browser.request
        let again = try await side.completion.complete(posted, request)
        #expect(again.step.response?["code"] == first.step.response?["code"])
        try await Self.carryOut(end, browser)
        await Self.expectOver(side) { try await side.completion.complete(posted, request) }
    }

    /// A browser that has pressed "Continue" on the page of its account, and the button.
    private static func continued(_ browser: inout TestBrowser) async throws
        -> @Sendable (BrowserRequest) async throws -> SignInAnswer
    {
        let side = browser.side
        _ = try await browser.signIn()
        side.clock.advance(seconds: 61)
        let step = try await browser.authorize("web", ["prompt": "select_account"])
        guard case .selectAccount(let id) = step else { return try Fixture.some(nil) }
        let token = try await side.formToken(id, for: .select, browser.request)
        let posted = browser.posted(id, token)
        let flow = ContinueSignIn(side.context)
        _ = try await flow.selectAccount(posted, usesOther: false, browser.request)
        return { try await flow.selectAccount(posted, usesOther: false, $0) }
    }

    @Test("attack: the code of a browser's login, when it has ended", arguments: End.allCases)
    func session(_ end: End) async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        let press = try await Self.continued(&browser)
        let request = browser.request
        #expect(try await press(request).step.response?["code"] != nil)
        try await Self.carryOut(end, browser)
        await Self.expectOver(side) { try await press(request) }
    }

    @Test("attack: the browser has lost its login since, or has somebody else's")
    func otherLogin() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        let press = try await Self.continued(&browser)
        var other = TestBrowser(side)
        _ = try await other.signIn("grace@example.com")
        let request = browser.request
        for session in [nil, other.session] {
            browser.session = session
            let changed = browser.request
            await Self.expectOver(side) { try await press(changed) }
        }
        #expect(try await press(request).step.response?["code"] != nil)
    }

    @Test("attack: the client has lost its scope since, or needs a consent by now")
    func withdrawn() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        let press = try await Self.continued(&browser)
        let request = browser.request
        let scope = side.project.settings.clients[0].allowedScopes
        side.reconfigure { $0.clients[0].allowedScopes = .empty }
        await Self.expectOver(side) { try await press(browser.request) }
        side.reconfigure { settings in
            settings.clients[0].allowedScopes = scope
            settings.clients[0].consentRequired = true
        }
        await Self.expectOver(side) { try await press(browser.request) }
        side.reconfigure { $0.clients[0].consentRequired = false }
        #expect(try await press(request).step.response?["code"] != nil)
    }
}
