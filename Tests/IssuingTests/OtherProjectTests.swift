import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing

/// Two projects on one log, with clients of the same names (Security I2).
@Suite("Another project") struct OtherProjectTests {
    @Test("its token endpoint takes no code and no refresh token, and burns none") func tokens()
        async throws
    {
        let side = try await TokenSide()
        let there = try neighbour(of: side.project, side.digester)
        let code = try await side.code(browser: side.browser)
        await expect(refusal: .invalidGrant) {
            try await respond(
                [
                    "grant_type": "authorization_code", "code": code,
                    "redirect_uri": TokenSide.redirectURI, "code_verifier": TokenSide.verifier,
                ],
                side,
                there
            )
        }
        let tokens = try await side.redeem(code)
        let refresh = try #require(tokens.refreshToken)
        let commits = side.store.commits.count
        await expect(refusal: .invalidGrant) {
            try await respond(
                [
                    "grant_type": "refresh_token",
                    "refresh_token": String(decoding: refresh, as: UTF8.self),
                ],
                side,
                there
            )
        }
        #expect(side.store.commits.count == commits)
        _ = try await side.refresh(refresh)
    }

    @Test("it can neither revoke nor see a refresh token") func revocation() async throws {
        let side = try await TokenSide()
        let there = try neighbour(of: side.project, side.digester)
        let tokens = try await side.redeem(side.code(for: "web"), by: "web")
        let refresh = try #require(tokens.refreshToken)
        let caller = try caller("web", there)
        try await side.revocation.revoke(
            Revocation.Request(
                token: refresh,
                asker: .client(caller.client, assertion: nil),
                project: there,
                deadline: Fixture.noDeadline
            )
        )
        let answer = try await side.introspection.introspect(refresh, for: caller)
        if case .active = answer { Issue.record("a neighbour sees the token") }
        #expect(try await side.isActive(refresh, asked: "web"))
    }

    @Test("a browser-session is no login there, a link no approval, a request no request")
    func browsers() async throws {
        let side = try await SignInSide()
        let there = try neighbour(of: side.project, side.digester)
        var browser = TestBrowser(side)
        let id = try await browser.enter(SignInSide.address, at: browser.authorize())
        let presented = try await browser.presented()
        await #expect(throws: ApproveLoginLink.Refusal.self) {
            try await side.approval.approve(
                presented,
                by: .native,
                number: nil,
                moved(browser, to: there)
            )
        }
        await expect(refusal: .notFound) {
            try await side.pages.waiting(id, moved(browser, to: there))
        }
        try await browser.approve()
        #expect(try await browser.complete(id).response?["code"] != nil)
        let form = TestBrowser.form(TestBrowser.parameters())
        let step = try await side.authorize.start(form, moved(browser, to: there)).step
        guard case .login = step else {
            Issue.record("the session of another project counted")
            return
        }
        #expect(try await browser.authorize().response?["code"] != nil)
    }

    private func neighbour(of project: Project, _ digester: any Digester) throws -> Project {
        let number = try Fixture.some(ProjectNumber(2))
        let names = StreamNames(digester)
        var settings = project.settings
        settings.id = try Fixture.some(ProjectID("neighbour"))
        return Project(
            number: number,
            settings: settings,
            digest: project.digest,
            configuration: StreamGuard(stream: names.projectConfig(number), version: 0),
            keys: SigningKeyRing.State(),
            keysStream: names.signingKeys(of: number),
            keysVersion: 0
        )
    }

    private func caller(_ client: String, _ project: Project) throws -> Caller {
        let id = try Fixture.some(ClientID(client))
        return Caller(
            project: project,
            client: try Fixture.some(project.enabledClient(id)),
            deadline: Fixture.noDeadline
        )
    }

    private func respond(
        _ parameters: KeyValuePairs<String, String>,
        _ side: TokenSide,
        _ project: Project
    ) async throws -> TokenResponse {
        try await side.endpoint.respond(
            to: RequestParameters(parameters),
            from: try caller("app", project)
        )
    }

    private func moved(_ browser: TestBrowser, to project: Project) -> BrowserRequest {
        BrowserRequest(
            project: project,
            deadline: Fixture.noDeadline,
            transactions: browser.transaction.map { [$0] } ?? [],
            session: browser.session,
            address: browser.address,
            userAgent: browser.agent
        )
    }
}
