import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing

@Suite("Logout") struct SignInLogoutTests {
    private func logout(_ side: SignInSide) -> EndSession {
        EndSession(side.context, signer: side.signer)
    }

    static let refused: [(String, [String: String])] = [
        (
            "a foreign address",
            ["client_id": "web", "post_logout_redirect_uri": "https://evil.example"]
        ),
        ("another client's", ["client_id": "app", "post_logout_redirect_uri": web]),
        ("an address without client", ["post_logout_redirect_uri": web]),
        ("an unknown client", ["client_id": "nobody"]),
        ("a disabled client", ["client_id": "disabled"]),
        ("a long state", ["client_id": "web", "state": String(repeating: "s", count: 513)]),
    ]
    static let web = "https://web.example.com/bye"

    @Test("what is not the client's is a page", arguments: refused)
    func isRefused(_ row: (String, [String: String])) async throws {
        let side = try await SignInSide()
        let browser = TestBrowser(side)
        await expect(refusal: .invalidRequest) {
            try await logout(side).start(TestBrowser.form(row.1), browser.request)
        }
    }

    @Test("a client that contradicts the hint is a page") func contradiction() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await browser.signIn()
        let session = SessionID(try #require(browser.session).stream)
        let token = try side.hint(session, side.registered())
        await expect(refusal: .invalidRequest) {
            try await logout(side).start(
                TestBrowser.form(["client_id": "app", "id_token_hint": token]),
                browser.request
            )
        }
    }

    @Test("a hint of this session ends it at once and goes back with the state") func hinted()
        async throws
    {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await browser.signIn()
        let session = SessionID(try #require(browser.session).stream)
        let form = [
            "id_token_hint": try side.hint(session, side.registered()),
            "post_logout_redirect_uri": Self.web, "state": "a b",
        ]
        let answer = try await logout(side).start(TestBrowser.form(form), browser.request)
        guard case .done(let location) = answer else { return #expect(Bool(false), "\(answer)") }
        #expect(location == "\(Self.web)?state=a%20b")
        #expect(side.store.events(of: session.stream).last == .browserSession(.ended(.logout)))
        let step = try await browser.authorize("app")
        guard case .login = step else { return #expect(Bool(false), "the session lives") }
    }

    @Test("a hint of a client that this node may only lack ends its session, but leads nowhere yet")
    func behindHint() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await browser.signIn()
        let session = SessionID(try #require(browser.session).stream)
        let token = try side.hint(session, side.registered())
        side.reconfigure { $0.clients.removeAll { $0.id.text == "web" } }
        side.isBehind = true
        let before = side.store.commits.count
        for more in ["post_logout_redirect_uri": Self.web, "client_id": "web"] {
            let form = TestBrowser.form(["id_token_hint": token, more.key: more.value])
            await expect(refusal: .temporarilyUnavailable) {
                try await logout(side).start(form, browser.request)
            }
        }
        #expect(side.store.commits.count == before)
        let alone = TestBrowser.form(["id_token_hint": token])
        let answer = try await logout(side).start(alone, browser.request)
        guard case .done(nil) = answer else { return #expect(Bool(false), "\(answer)") }
        #expect(side.store.events(of: session.stream).last == .browserSession(.ended(.logout)))
    }

    @Test("without a hint it takes a button, whose form is this browser's alone") func button()
        async throws
    {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await browser.signIn()
        let form = TestBrowser.form(["client_id": "web", "post_logout_redirect_uri": Self.web])
        let answer = try await logout(side).start(form, browser.request)
        guard case .confirm(let reference) = answer else {
            return #expect(Bool(false), "\(answer)")
        }
        let page = try await logout(side).confirmation(reference, browser.request)
        #expect(page.reach == .everything && page.clientName == "Client web")
        let before = side.store.commits.count
        // Nothing of this one's is there to end.
        let nobody = TestBrowser(side)
        let nothing = try await logout(side)
            .confirm(reference, formToken: page.formToken, nobody.request)
        guard case .done(Self.web) = nothing else { return #expect(Bool(false), "\(nothing)") }
        #expect(side.store.commits.count == before)
        var stranger = TestBrowser(side)
        _ = try await stranger.signIn("grace@example.com")
        let count = side.store.commits.count
        await expect(refusal: .accessDenied) {
            try await logout(side)
                .confirm(reference, formToken: page.formToken, stranger.request)
        }
        #expect(side.store.commits.count == count)
        let done = try await logout(side)
            .confirm(reference, formToken: page.formToken, browser.request)
        guard case .done(Self.web) = done else { return #expect(Bool(false), "\(done)") }
        let stream = try #require(browser.session).stream
        #expect(side.store.events(of: stream).last == .browserSession(.ended(.logout)))
    }

    @Test("a button pressed twice goes to the client twice, and ends nothing more") func twice()
        async throws
    {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await browser.signIn()
        let form = TestBrowser.form(["client_id": "web", "post_logout_redirect_uri": Self.web])
        let answer = try await logout(side).start(form, browser.request)
        guard case .confirm(let reference) = answer else {
            return #expect(Bool(false), "\(answer)")
        }
        let page = try await logout(side).confirmation(reference, browser.request)
        var counts: [Int] = []
        // Sent before the first answer took the cookie away, and after it.
        for isAnswered in [false, false, true] {
            if isAnswered { browser.session = nil }
            let done = try await logout(side)
                .confirm(reference, formToken: page.formToken, browser.request)
            guard case .done(Self.web) = done else { return #expect(Bool(false), "\(done)") }
            counts.append(side.store.commits.count)
        }
        #expect(Set(counts).count == 1)
    }

    @Test("pressed twice, it ends nothing that lay behind what its page showed")
    func behind() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await browser.signIn()
        let owner = try side.registered()
        let grant = try await side.openGrant(from: nil, owner)
        let form = TestBrowser.form([
            "post_logout_redirect_uri": Self.web, "id_token_hint": try side.hint(grant, owner),
        ])
        let answer = try await logout(side).start(form, browser.request)
        guard case .confirm(let reference) = answer else {
            return #expect(Bool(false), "\(answer)")
        }
        let page = try await logout(side).confirmation(reference, browser.request)
        for _ in 0..<2 {
            let done = try await logout(side)
                .confirm(reference, formToken: page.formToken, browser.request)
            guard case .done(Self.web) = done else { return #expect(Bool(false), "\(done)") }
        }
        let stream = try #require(browser.session).stream
        #expect(side.store.events(of: stream).last == .browserSession(.ended(.logout)))
        #expect(side.store.events(of: grant.stream).last != .offlineGrant(.revoked(.logout)))
        // A page that shows it does end it.
        let next = try await logout(side).confirmation(reference, browser.request)
        _ = try await logout(side).confirm(reference, formToken: next.formToken, browser.request)
        #expect(side.store.events(of: grant.stream).last == .offlineGrant(.revoked(.logout)))
    }

    @Test("nothing to end goes straight back") func nothing() async throws {
        let side = try await SignInSide()
        let browser = TestBrowser(side)
        let form = TestBrowser.form(["client_id": "web", "post_logout_redirect_uri": Self.web])
        let answer = try await logout(side).start(form, browser.request)
        guard case .done(Self.web) = answer else { return #expect(Bool(false), "\(answer)") }
        let bare = try await logout(side).start(Form(fields: []), browser.request)
        guard case .done(nil) = bare else { return #expect(Bool(false), "\(bare)") }
        #expect(side.store.commits.isEmpty)
    }

    @Test("the end of a browser-session reaches the apps opened from it") func cascade()
        async throws
    {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await browser.signIn()
        let cookie = try #require(browser.session)
        let owner = try side.registered()
        let grant = try await side.openGrant(from: SessionID(cookie.stream), owner)
        let token = try side.hint(grant, owner)
        let form = TestBrowser.form(["id_token_hint": token])
        let answer = try await logout(side).start(form, browser.request)
        guard case .done = answer else { return #expect(Bool(false), "\(answer)") }
        #expect(side.store.events(of: grant.stream).last == .offlineGrant(.revoked(.logout)))
    }
}
