import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing

/// A browser's login that one client's policy allowed, at a client of another policy
/// (WireContract 7.3; decision 0240).
@Suite("Approvals by one client's policy, at another") struct LaxApprovalTests {
    /// Where somebody logs in, whether another device approves it, and where that counts.
    struct Row: Sendable, CustomTestStringConvertible {
        var asking: String
        var isElsewhere: Bool
        var counting: [String]

        var testDescription: String { "\(asking), approved \(isElsewhere ? "elsewhere" : "here")" }
    }

    static let rows = [
        Row(asking: "web", isElsewhere: true, counting: ["web", "app"]),
        Row(asking: "confirming", isElsewhere: true, counting: ["web", "app", "confirming"]),
        Row(
            asking: "web",
            isElsewhere: false,
            counting: ["web", "app", "confirming", "denying"]
        ),
        Row(
            asking: "denying",
            isElsewhere: false,
            counting: ["web", "app", "confirming", "denying"]
        ),
    ]
    private static let clients = ["web", "app", "confirming", "denying"]

    /// Logs `browser` in, approved where it asked, or by whoever opens the mail elsewhere.
    private static func signIn(
        _ browser: inout TestBrowser,
        at client: String,
        _ changes: [String: String?] = [:],
        isElsewhere: Bool
    ) async throws -> SignInStep {
        let side = browser.side
        let id = try await browser.enter(
            SignInSide.address,
            at: browser.authorize(client, changes)
        )
        if isElsewhere {
            let number = try await side.pages.waiting(id, browser.request).number
            try await TestBrowser(side).approve(number: number)
        } else {
            try await browser.approve()
        }
        return try await browser.complete(id)
    }

    /// How a request is answered.
    private static func word(_ step: SignInStep) -> String {
        switch step {
        case .login: "login"
        case .selectAccount: "account"
        case .consent: "consent"
        case .waiting: "waiting"
        case .respond: step.response?["error"] ?? (step.response?["code"] == nil ? "" : "code")
        }
    }

    @Test(
        "attack: one tap for a lax client, and the browser is let in at a strict one",
        arguments: rows
    )
    func singleSignOn(_ row: Row) async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await Self.signIn(&browser, at: row.asking, isElsewhere: row.isElsewhere)
        for client in Self.clients {
            let counts = row.counting.contains(client)
            let rows: [([String: String?], String)] = [
                ([:], counts ? "code" : "login"),
                (["prompt": "none"], counts ? "code" : "login_required"),
                (["prompt": "select_account"], counts ? "account" : "login"),
            ]
            for (changes, expected) in rows {
                let step = try await browser.authorize(client, changes)
                #expect(Self.word(step) == expected, "\(client) \(changes)")
            }
        }
    }

    @Test("who logs in at the strict client has a login that counts there from then on")
    func stricter() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await Self.signIn(&browser, at: "web", isElsewhere: true)
        let session = browser.session?.stream
        side.clock.advance(seconds: 61)
        let step = try await Self.signIn(&browser, at: "denying", isElsewhere: false)
        #expect(Self.word(step) == "code")
        #expect(session != nil && browser.session?.stream == session)
        #expect(try await Self.word(browser.authorize("denying", ["prompt": "none"])) == "code")
        // The newest login is the one that counts, there as for `max_age`.
        side.clock.advance(seconds: 61)
        _ = try await Self.signIn(&browser, at: "web", ["prompt": "login"], isElsewhere: true)
        #expect(try await Self.word(browser.authorize("denying")) == "login")
    }

    @Test("what was recorded of an approval goes to the session, and to each code")
    func recorded() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await Self.signIn(&browser, at: "web", isElsewhere: true)
        _ = try await browser.authorize("app")
        let approvals = side.store.allEvents.compactMap { event -> LoginLink.Approval? in
            switch event.body {
            case .browserSession(.opened(let session)): session.authentication.approval
            case .authorizationCode(.issued(let ticket)): ticket.authentication.approval
            default: nil
            }
        }
        #expect(approvals == [.anyDevice, .anyDevice, .anyDevice])
    }

    /// Gives every client that people log in at a policy.
    private static func configure(_ side: SignInSide, _ mode: LoginLink.Mode) {
        side.reconfigure { settings in
            for index in settings.clients.indices
            where settings.clients[index].applicationType != .m2m {
                settings.clients[index].loginLinkMode = mode
            }
        }
    }

    @Test("attack: a tap from before that was recorded waits until all policies are strict")
    func unknown() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await Self.signIn(&browser, at: "denying", isElsewhere: false)
        let cookie = try #require(browser.session)
        let user = try side.registered()
        // As a node of the version before that would record it.
        let login = Authentication(methods: [.otp], at: side.clock.now)
        try await side.decide(
            .reauthenticate(login, subject: user, cookie: cookie.digest, at: side.clock.now),
            on: cookie.stream,
            BrowserSession.self,
            of: user
        )
        func words() async throws -> [String] {
            var words: [String] = []
            for client in ["web", "confirming", "denying"] {
                words.append(try await Self.word(browser.authorize(client)))
            }
            return words
        }
        #expect(try await words() == ["code", "login", "login"])
        for mode in [LoginLink.Mode.confirm, .deny] {
            Self.configure(side, mode)
            #expect(try await words() == ["login", "login", "login"], "\(mode)")
        }
        Self.configure(side, .automatic)
        #expect(try await words() == ["code", "code", "code"])
    }

    @Test("the page of an account leads to a login once its client's policy asks for more")
    func tightened() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await Self.signIn(&browser, at: "web", isElsewhere: true)
        let step = try await browser.authorize("app", ["prompt": "select_account"])
        guard case .selectAccount(let id) = step else { return #expect(Bool(false), "\(step)") }
        let page = try #require(try await side.pages.account(id, for: .select, browser.request))
        Self.configure(side, .confirm)
        #expect(try await side.pages.account(id, for: .select, browser.request) == nil)
        let pressed = try await ContinueSignIn(side.context).selectAccount(
            browser.posted(id, page.formToken),
            usesOther: false,
            browser.request
        )
        guard case .login(id) = pressed.step else {
            return #expect(Bool(false), "\(pressed.step)")
        }
    }
}
