import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing

/// What a node decides not to do, by what it has read before and does not write to (decision 0162).
@Suite("What a node leaves out because it is behind") struct StaleReadTests {
    @Test("attack: a code replayed at a node that does not know who joined by it ends who did")
    func replay() async throws {
        let side = try await SharedSessionTests.side()
        let first = try await side.redeem(side.code(scope: "openid offline_access device_sso"))
        let token = RefreshToken(reading: first.refreshToken ?? [], digester: side.digester)
        let session = try #require(token).session
        let code = try await SharedSessionTests.code(continuing: session, on: side)
        let store = try await StaleStore<OfflineGrant>(side.store, remembering: session.stream)
        let thief = try await side.redeem(code, by: "other")
        side.clock.advance(seconds: 11)
        let behind = side.grants(running: side.commands(over: store))
        let replay = RequestParameters([
            "grant_type": "authorization_code", "code": code,
            "redirect_uri": TokenSide.redirectURI, "code_verifier": TokenSide.verifier,
        ])
        await expect(refusal: .invalidGrant) {
            try await behind.endpoint.respond(to: replay, from: side.caller("other"))
        }
        await expect(refusal: .invalidGrant) {
            try await side.refresh(thief.refreshToken, by: "other")
        }
    }

    @Test("a newer mail ends the browser's older link that another node has sent")
    func olderLink() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        let first = try await browser.authorize()
        guard case .login(let id) = first else { return #expect(Bool(false), "\(first)") }
        let store = try await StaleStore<Authorization>(side.store, remembering: id)
        _ = try await browser.enter("a@example.com", at: first)
        let older = try await browser.presented()
        let second = try await browser.authorize()
        guard case .login(let other) = second else { return #expect(Bool(false), "\(second)") }
        let links = side.links(at: side.context(over: store))
        let page = try #require(try await side.pages.login(other, browser.request))
        let posted = browser.posted(other, page.formToken)
        let address = Array("c@example.com".utf8)
        _ = try await links.request(posted, address: address, browser.request)
        await #expect(throws: ApproveLoginLink.Refusal.self) {
            try await side.approval.approve(older, by: .browser, number: nil, browser.request)
        }
    }

    @Test("an enabling revives no session of a disabling that came between")
    func enabledBetween() async throws {
        let side = try await TokenSide()
        let tokens = try await side.redeem(side.code())
        let store = InterruptedStore(side.store, afterLoading: side.subject.stream) {
            try? await side.run(Subject.self, side.subject.stream) { .disable(.operator) }
        }
        let operating = SubjectAdministration(
            commands: side.commands(over: store),
            personalData: InMemoryPersonalData()
        )
        let order = Order(
            in: side.project,
            by: Operator(name: "somebody", role: .operate),
            reason: "asked for",
            deadline: Fixture.noDeadline
        )
        try await operating.enable(side.subject, by: order)
        #expect(try await side.redeem(side.code()).accessToken != nil)
        #expect(try await !side.isActive(tokens.accessToken?.text))
    }

    @Test("an app whose client is enabled while it asks does not hear that its session has ended")
    func enabledWhileAsking() async throws {
        let side = try await TokenSide()
        let tokens = try await side.redeem(side.code())
        let settings = side.project.settings
        var disabled = settings
        disabled.clients[0].enabled = false
        try await side.apply(disabled)
        let store = InterruptedStore(afterComparing: side.store) {
            try? await side.apply(settings)
        }
        let userInfo = UserInfo(
            liveness: Liveness(
                store: store,
                projects: side.projects,
                clock: side.clock,
                names: StreamNames(side.digester)
            ),
            store: store,
            sealer: side.sealer,
            access: side.access,
            clock: side.clock
        )
        let presented = AccessProofs.Presented(
            token: tokens.accessToken?.text ?? [],
            scheme: .bearer,
            request: DPoPProofs.Request(headers: [], method: "GET", url: "")
        )
        let project = try #require(side.projects.project(id: settings.id))
        await expect(refusal: .invalidToken) {
            try await userInfo.claims(for: presented, in: project, by: Fixture.noDeadline)
        }
        #expect(try await side.isActive(tokens.accessToken?.text))
    }

    @Test("a service learns of a token for a resource that it was given at another node")
    func newResource() async throws {
        let side = try await TokenSide()
        let tokens = try await side.redeem(side.code())
        let settings = side.project.settings
        var without = settings
        for index in without.clients.indices where without.clients[index].id.text == "api" {
            without.clients[index].resources = []
        }
        try await side.apply(without)
        #expect(try await !side.isActive(tokens.accessToken?.text))
        try await side.apply(settings, isHeard: false)
        #expect(try await side.isActive(tokens.accessToken?.text))
    }
}
