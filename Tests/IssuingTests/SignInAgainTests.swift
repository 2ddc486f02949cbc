import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing

/// A button pressed twice: the browser drops the first answer and shows the second.
@Suite("Buttons of a sign-in, pressed again") struct SignInAgainTests {
    private typealias Press = @Sendable (TestBrowser) async throws -> SignInAnswer

    private static func location(_ answer: SignInAnswer) throws -> String {
        guard case .respond(let response) = answer.step else { return try Fixture.some(nil) }
        return response.location
    }

    /// A login that was approved, and its "Continue".
    private static func approved(_ browser: inout TestBrowser) async throws -> Press {
        let side = browser.side
        let id = try await browser.enter(SignInSide.address, at: browser.authorize())
        try await browser.approve()
        let token = try await side.pages.waiting(id, browser.request).completeToken
        return { try await side.completion.complete($0.posted(id, token), $0.request) }
    }

    /// A login that waits for its consent, and the page's two buttons.
    private static func loggedIn(_ browser: inout TestBrowser) async throws
        -> (allow: Press, deny: Press)
    {
        let side = browser.side
        let step = try await browser.signIn(at: "third", ["prompt": "consent"])
        guard case .consent(let id) = step else { return try Fixture.some(nil) }
        let token = try await side.formToken(id, for: .consent, browser.request)
        let flow = ContinueSignIn(side.context)
        return (
            { try await flow.consent($0.posted(id, token), allows: true, $0.request) },
            { try await flow.consent($0.posted(id, token), allows: false, $0.request) }
        )
    }

    private static func cancel(_ browser: inout TestBrowser) async throws -> Press {
        let side = browser.side
        let id = try await browser.enter(SignInSide.address, at: browser.authorize())
        let token = try await side.pages.waiting(id, browser.request).frame.cancelToken
        return { try await CancelLogin(side.context).cancel($0.posted(id, token), $0.request) }
    }

    /// The second and third time it gives the first answer, and nothing is recorded.
    private static func expectOneAnswer(_ press: Press, _ browser: TestBrowser, _ part: String)
        async throws
    {
        let first = try location(await press(browser))
        #expect(first.contains(part))
        let commits = browser.side.store.commits.count
        for _ in 0..<2 {
            let again = try location(await press(browser))
            #expect(again == first)
        }
        #expect(browser.side.store.commits.count == commits)
    }

    @Test("each gives the answer it gave: a code to who went on, access_denied to who did not")
    func again() async throws {
        for number in 0..<4 {
            let side = try await SignInSide()
            var browser = TestBrowser(side)
            switch number {
            case 0:
                let press = try await Self.approved(&browser)
                try await Self.expectOneAnswer(press, browser, "code=ac_")
            case 1:
                let press = try await Self.loggedIn(&browser).allow
                try await Self.expectOneAnswer(press, browser, "code=ac_")
            case 2:
                let press = try await Self.loggedIn(&browser).deny
                try await Self.expectOneAnswer(press, browser, "error=access_denied")
            default:
                let press = try await Self.cancel(&browser)
                try await Self.expectOneAnswer(press, browser, "error=access_denied")
            }
        }
    }

    @Test("two at one moment give one answer") func atOnce() async throws {
        for isConsent in [false, true] {
            let side = try await SignInSide()
            var browser = TestBrowser(side)
            let press =
                isConsent
                ? try await Self.loggedIn(&browser).allow : try await Self.approved(&browser)
            let other = browser
            let firsts = Locations()
            side.store.beforeNextAppend {
                let first = try? await press(other)
                await firsts.add(first.flatMap { try? Self.location($0) })
            }
            let second = try Self.location(try await press(browser))
            #expect(await firsts.all == [second] && second.contains("code=ac_"))
        }
    }

    private actor Locations {
        private(set) var all: [String?] = []

        func add(_ location: String?) { all.append(location) }
    }

    @Test("who gives up gets no code that went out, and who goes on hears that it was refused")
    func otherButton() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        let (allow, deny) = try await Self.loggedIn(&browser)
        _ = try await allow(browser)
        let cookies = browser
        await expect(refusal: .invalidRequest) { try await deny(cookies) }
        var second = TestBrowser(side)
        side.clock.advance(seconds: 61)
        let buttons = try await Self.loggedIn(&second)
        _ = try await buttons.deny(second)
        let answer = try Self.location(try await buttons.allow(second))
        #expect(answer.contains("error=access_denied"))
    }

    @Test("attack: the form in another browser, too late, or at a client that is gone")
    func refused() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        let press = try await Self.approved(&browser)
        _ = try await press(browser)
        let mine = browser
        var stranger = TestBrowser(side)
        _ = try await stranger.authorize()
        let theirs = stranger
        let commits = side.store.commits.count
        await expect(refusal: .accessDenied) { try await press(theirs) }
        await expect(refusal: .accessDenied) { try await press(TestBrowser(side)) }
        side.reconfigure { $0.clients[0].redirectURIs.removeAll() }
        await expect(refusal: .invalidRequest) { try await press(mine) }
        side.reconfigure { $0.clients[0].enabled = false }
        await expect(refusal: .invalidClient) { try await press(mine) }
        let lifetime = side.project.settings.codeLifetimeSeconds
        side.reconfigure { settings in
            settings.clients[0].enabled = true
            settings.clients[0].redirectURIs = [
                RedirectURI(SignInSide.redirectURI(of: "web"))
            ].compactMap(\.self)
        }
        #expect(try Self.location(try await press(mine)).contains("code=ac_"))
        side.clock.advance(seconds: lifetime)
        await expect(refusal: .invalidRequest) { try await press(mine) }
        #expect(side.store.commits.count == commits)
    }

    @Test("attack: the waiting page gets no code of an account chosen on another page")
    func otherAccount() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await browser.signIn()
        side.clock.advance(seconds: 61)
        let step = try await browser.authorize("web", ["prompt": "select_account"])
        guard case .selectAccount(let id) = step else { return #expect(Bool(false), "\(step)") }
        let chosen = try await side.formToken(id, for: .select, browser.request)
        let waiting = try await browser.enter("grace@example.com", at: .login(id))
        let token = try await side.pages.waiting(waiting, browser.request).completeToken
        let flow = ContinueSignIn(side.context)
        let posted = browser.posted(id, chosen)
        let first = try await flow.selectAccount(posted, usesOther: false, browser.request)
        let again = try await flow.selectAccount(posted, usesOther: false, browser.request)
        #expect(try Self.location(first) == Self.location(again))
        let request = browser.request
        let other = browser.posted(id, token)
        await expect(refusal: .invalidRequest) {
            try await side.completion.complete(other, request)
        }
        await expect(refusal: .invalidRequest) {
            try await flow.selectAccount(posted, usesOther: true, request)
        }
    }
}
