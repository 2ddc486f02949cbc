import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing

@Suite("Sign-in by login link") struct SignInTests {
    @Test("a new address becomes a subject, a session and a code in one append")
    func newAddress() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        let response = try #require(try await browser.signIn().response)
        #expect(response["code"]?.utf8.count == 67)
        #expect(response["state"] == SignInSide.state)
        #expect(response["iss"] == "https://auth.example.com")
        #expect(response.count == 3)
        #expect(browser.session != nil)
        let last = try #require(side.store.commits.last)
        #expect(
            Set(last.streams.map(\.kind))
                == [
                    .subject, .loginID, .loginLink, .authorization, .browserSession,
                    .authorizationCode,
                ]
        )
        #expect(last.guards.contains(side.project.configuration))
    }

    @Test("the second sign-in of an address is the same subject's") func knownAddress()
        async throws
    {
        let side = try await SignInSide()
        var first = TestBrowser(side)
        _ = try await first.signIn()
        var second = TestBrowser(side)
        side.clock.advance(seconds: 3600)
        _ = try await second.signIn("ada@EXAMPLE.com")
        #expect(subjects(side).count == 1)
        #expect(Set(logins(side).map(\.subject)).count == 1)
        #expect(logins(side).count == 2)
    }

    @Test("a browser that is logged in gets its code at once") func singleSignOn() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await browser.signIn()
        let response = try #require(try await browser.authorize("app").response)
        #expect(response["code"] != nil)
        let silent = try await browser.authorize("app", ["prompt": "none"])
        #expect(silent.response?["code"] != nil)
    }

    static let alone: [[String: String]] = [
        ["x_sso_enabled": "false"], ["x_suppress_idp_session_cookie": "true"],
        ["x_sso_enabled": "false", "x_suppress_idp_session_cookie": "true"],
        ["x_sso_enabled": "false", "x_suppress_idp_session_cookie": "false"],
    ]

    @Test("without SSO no session is used and none is made", arguments: alone)
    func withoutSSO(_ parameters: [String: String]) async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        let response = try await browser.signIn(at: "app", parameters).response
        #expect(response?["code"] != nil)
        #expect(browser.session == nil)
        _ = try await browser.signIn("b@example.com")
        let step = try await browser.authorize("app", parameters)
        guard case .login = step else { return #expect(Bool(false), "\(step)") }
    }

    static let shared: [[String: String]] = [
        ["x_sso_enabled": "true"], ["x_suppress_idp_session_cookie": "false"],
        ["x_sso_enabled": "true", "x_suppress_idp_session_cookie": "true"],
    ]

    @Test("with SSO one is made and used; x_sso_enabled decides where it is", arguments: shared)
    func withSSO(_ parameters: [String: String]) async throws {
        var browser = TestBrowser(try await SignInSide())
        _ = try await browser.signIn(at: "app", parameters)
        #expect(browser.session != nil)
        let again = try await browser.authorize("app", parameters)
        #expect(again.response?["code"] != nil)
    }

    static let counting: [(String, [String: String?], Int64, Bool)] = [
        ("a fresh login counts for max_age", ["max_age": "60"], 59, true),
        ("one as old as max_age does not", ["max_age": "60"], 60, false),
        ("nothing is young enough for max_age=0", ["max_age": "0"], 0, false),
        ("nothing counts with prompt=login", ["prompt": "login"], 0, false),
    ]

    @Test("whether a login counts", arguments: counting)
    func counts(_ row: (String, [String: String?], Int64, Bool)) async throws {
        let (sentence, changes, seconds, isCounted) = row
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await browser.signIn()
        side.clock.advance(seconds: seconds)
        let step = try await browser.authorize("app", changes)
        #expect((step.response?["code"] != nil) == isCounted, "\(sentence): \(step)")
    }

    static let silent: [(String, String, String)] = [
        ("nobody is logged in", "web", "login_required"),
        ("a consent is missing", "third", "consent_required"),
    ]

    @Test("prompt=none answers at once", arguments: silent)
    func promptNone(_ row: (String, String, String)) async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        if row.1 == "third" { _ = try await browser.signIn() }
        let step = try await browser.authorize(row.1, ["prompt": "none"])
        #expect(step.response?["error"] == row.2, "\(row.0)")
        #expect(step.response?["state"] == SignInSide.state)
    }

    @Test("a third party's scopes are asked for once") func consent() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        let step = try await browser.signIn(at: "third")
        guard case .consent(let id) = step else { return #expect(Bool(false), "\(step)") }
        let page = try #require(try await side.pages.account(id, for: .consent, browser.request))
        #expect(page.maskedAddress == "a•••@example.com")
        let flow = ContinueSignIn(side.context)
        let posted = browser.posted(id, page.formToken)
        let answer = try await flow.consent(posted, allows: true, browser.request)
        #expect(answer.step.response?["code"] != nil)
        let again = try await browser.authorize("third")
        #expect(again.response?["code"] != nil)
        let asked = try await browser.authorize("third", ["prompt": "consent"])
        guard case .consent = asked else { return #expect(Bool(false), "\(asked)") }
    }

    @Test("attack: who gives up is sent to no address that is not registered any more (I21)")
    func unregistered() async throws {
        let changes: [(OAuthError.Code, @Sendable (inout ClientSettings) -> Void)] = [
            (.invalidRequest, { $0.redirectURIs.removeAll() }),
            (.invalidClient, { $0.enabled = false }),
        ]
        for (code, change) in changes {
            let side = try await SignInSide()
            var browser = TestBrowser(side)
            let first = try await browser.authorize()
            guard case .login(let id) = first else { return #expect(Bool(false), "\(first)") }
            let page = try #require(try await side.pages.login(id, browser.request))
            side.reconfigure { settings in
                for index in settings.clients.indices
                where settings.clients[index].id.text == "web" {
                    change(&settings.clients[index])
                }
            }
            let before = side.store.commits.count
            await expect(refusal: code) {
                try await CancelLogin(side.context)
                    .cancel(browser.posted(id, page.frame.cancelToken), browser.request)
            }
            #expect(side.store.commits.count == before)
        }
    }

    @Test("while the project is suspended no sign-in is over, and each goes on afterwards")
    func suspended() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        let id = try await browser.enter(SignInSide.address, at: browser.authorize())
        side.isSuspended = true
        await expect(refusal: .unauthorizedClient) {
            try await side.pages.waiting(id, browser.request)
        }
        side.isSuspended = false
        _ = try await side.pages.waiting(id, browser.request)
    }

    @Test("who refuses or cancels is told so at the client") func refusals() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        let first = try await browser.authorize()
        guard case .login(let id) = first else { return #expect(Bool(false), "\(first)") }
        let page = try #require(try await side.pages.login(id, browser.request))
        let cancelled = try await CancelLogin(side.context)
            .cancel(browser.posted(id, page.frame.cancelToken), browser.request)
        #expect(cancelled.step.response?["error"] == "access_denied")
        await expect(refusal: .invalidRequest) {
            try await side.pages.login(id, browser.request)
        }
        let step = try await browser.signIn(at: "third")
        guard case .consent(let other) = step else { return #expect(Bool(false), "\(step)") }
        let consent = try #require(
            try await side.pages.account(other, for: .consent, browser.request)
        )
        let refused = try await ContinueSignIn(side.context)
            .consent(browser.posted(other, consent.formToken), allows: false, browser.request)
        #expect(refused.step.response?["error"] == "access_denied")
        #expect(refused.step.response?["code"] == nil)
    }

    @Test("select_account shows the account, and another one logs in afresh") func selection()
        async throws
    {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await browser.signIn()
        let step = try await browser.authorize("app", ["prompt": "select_account"])
        guard case .selectAccount(let id) = step else { return #expect(Bool(false), "\(step)") }
        let page = try #require(try await side.pages.account(id, for: .select, browser.request))
        let flow = ContinueSignIn(side.context)
        let posted = browser.posted(id, page.formToken)
        let other = try await flow.selectAccount(posted, usesOther: true, browser.request)
        guard case .login(id) = other.step else { return #expect(Bool(false), "\(other)") }
        let same = try await flow.selectAccount(posted, usesOther: false, browser.request)
        #expect(same.step.response?["code"] != nil)
    }

    @Test("another person's login takes the browser over and ends the old session")
    func takeOver() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await browser.signIn()
        let old = try #require(browser.session)
        _ = try await browser.signIn("b@example.com", at: "app", ["prompt": "login"])
        #expect(browser.session?.stream != old.stream)
        let events = side.store.events(of: old.stream)
        #expect(events.last == .browserSession(.ended(.superseded)))
    }

    @Test("one that has expired by then is left as it is, and the apps of before with it")
    func takeOverLate() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await browser.signIn()
        let old = try #require(browser.session)
        side.clock.advance(seconds: 8 * 86_400)
        _ = try await browser.signIn("b@example.com", at: "app")
        #expect(browser.session?.stream != old.stream)
        let isEnded = side.store.events(of: old.stream).contains {
            if case .browserSession(.ended) = $0 { true } else { false }
        }
        #expect(!isEnded)
    }

    @Test("the same person's login keeps the session and changes its cookie") func renewal()
        async throws
    {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await browser.signIn()
        let old = try #require(browser.session)
        side.clock.advance(seconds: 61)
        _ = try await browser.signIn(at: "app", ["prompt": "login"])
        #expect(browser.session?.stream == old.stream)
        #expect(browser.session?.text != old.text)
        browser.session = old
        let step = try await browser.authorize("app")
        guard case .login = step else { return #expect(Bool(false), "the old cookie counts") }
    }

    private func subjects(_ side: SignInSide) -> [RecordedEvent] {
        side.store.allEvents.filter {
            if case .subject(.registered) = $0.body { true } else { false }
        }
    }

    private func logins(_ side: SignInSide) -> [Authorization.Login] {
        side.store.allEvents.compactMap {
            if case .authorization(.authenticated(let login)) = $0.body { login } else { nil }
        }
    }
}
