import Crypto
import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// The end of a session is the end of those it let in, if its client says so, whatever ends it
/// (WireContract 9.7), and only then (Security I6).
@Suite("Cascades") struct CascadeTests {
    /// An app's session that can let others in.
    struct Holder {
        let web: WebSide
        let phone: Phone
        let client: String
        let answer: Answer

        /// Redeems `code`, and binds a key of its own phone.
        init(_ web: WebSide, _ code: String, client: String = "app") async throws {
            self.web = web
            self.client = client
            phone = try Phone()
            let jwt = try phone.jwt(phone.header(), DeviceKeyTests.payload(web))
            answer = try await DeviceKeyTests.redeem(web, code: code, jwt: jwt, client: client)
            #expect(answer.status == 200, "\(answer.body)")
        }

        var refreshToken: String { answer["refresh_token"]?.string ?? "" }
        var accessToken: String { answer["access_token"]?.string ?? "" }

        func session() throws -> SessionID { try CascadeTests.session(of: refreshToken, web) }

        /// A code for `target`.
        func code(for target: String) async throws -> String {
            let answer = try await ask(target)
            return try #require(answer["code"]?.string, "\(answer.body)")
        }

        /// Asks to let `target` in.
        func ask(_ target: String) async throws -> Answer {
            let jwt = try phone.jwt(phone.header(), DeviceKeyTests.payload(web))
            let digest = web.side.digester.sha256(Array(TokenSide.verifier.utf8))
            return try await web.post(
                "/oauth2/token",
                "grant_type=\(App2AppTests.grant)&client_id=\(target)&jwt=\(jwt)"
                    + "&refresh_token=\(refreshToken)&redirect_uri=\(TokenSide.redirectURI)"
                    + "&code_challenge=\(Base64URL.text(digest.bytes))"
            )
        }

        func letIn(_ target: String) async throws -> Holder {
            try await Holder(web, code(for: target), client: target)
        }

        func isOpen() async throws -> Bool {
            let stream = try session().stream
            let grant = try await web.side.store.load(
                OfflineGrant.self,
                stream,
                by: Fixture.noDeadline
            )
            if case .open = grant.state { return true }
            return false
        }

        func refresh() async throws -> Answer {
            try await web.post(
                "/oauth2/token",
                "grant_type=refresh_token&client_id=\(client)&refresh_token=\(refreshToken)"
            )
        }
    }

    static func session(of token: String, _ web: WebSide) throws -> SessionID {
        try #require(RefreshToken(reading: Array(token.utf8), digester: web.side.digester)).session
    }

    /// Seven apps may let others in, and end whom they let in: "app", "other", "app-1" to "app-5".
    static func cascading(_ cascades: Bool = true) async throws -> WebSide {
        let web = try await WebSide()
        var settings = web.side.project.settings
        for number in 1...5 {
            var more = settings.clients[1]
            more.id = Sample.client("app-\(number)")
            settings.clients.append(more)
        }
        cascade(cascades, in: &settings)
        try await web.side.apply(settings)
        return web
    }

    /// Whether they end whom they let in.
    static func cascade(_ cascades: Bool, in settings: inout ProjectSettings) {
        for index in settings.clients.indices {
            let id = settings.clients[index].id.text
            guard ["app", "other"].contains(id) || id.hasPrefix("app-") else { continue }
            settings.clients[index].app2app = .init(cascades: cascades)
        }
    }

    private static func state(_ id: SessionID, _ web: WebSide) async throws -> OfflineGrant.State {
        try await web.side.store.load(OfflineGrant.self, id.stream, by: Fixture.noDeadline).state
    }

    static func expectCascaded(_ id: SessionID, _ web: WebSide) async throws {
        let state = try await state(id, web)
        guard case .revoked(_, .cascade) = state else {
            Issue.record("not ended by cascade: \(state)")
            return
        }
    }

    @Test("who knows a sid, but no token, ends nothing of anybody") func madeUp() async throws {
        let web = try await Self.cascading()
        let owner = try await Holder(web, web.side.code())
        let target = try await owner.letIn("other")
        let id = try owner.session().stream.bytes
        let made = id + [0, 1, 0, 0, 0, 1] + [UInt8](repeating: 7, count: 32)
        let before = web.commits
        let revoked = try await web.post("/oauth2/revoke", "token=rt_\(Base64URL.text(made))")
        #expect(revoked.status == 200)
        #expect(web.commits == before)
        #expect(try await target.refresh().status == 200)
    }

    @Test("an owner's access token that ends alone ends nothing it let in") func accessToken()
        async throws
    {
        let web = try await Self.cascading()
        let owner = try await Holder(web, web.side.code())
        let target = try await owner.letIn("other")
        _ = try await web.post("/oauth2/revoke", "token=\(owner.accessToken)")
        #expect(try await target.refresh().status == 200)
        #expect(try await owner.refresh().status == 200)
    }

    @Test("a logout repeated after a failure finishes what the failure left") func repeated()
        async throws
    {
        let web = try await Self.cascading()
        let owner = try await Holder(web, web.side.code())
        let target = try await owner.letIn("other")
        try await web.side.run(OfflineGrant.self, owner.session().stream) {
            .revoke(.tokenRevocation)
        }
        let again = try await web.post("/oauth2/revoke", "token=\(owner.refreshToken)")
        #expect(again.status == 200)
        try await Self.expectCascaded(target.session(), web)
    }

    @Test("a replay of the owner's code ends whom it let in, and whom these let in") func replay()
        async throws
    {
        let web = try await Self.cascading()
        let code = try await web.side.code()
        let owner = try await Holder(web, code)
        let target = try await owner.letIn("other")
        let third = try await target.letIn("app-1")
        #expect(try await owner.refresh().status == 200)
        let replay = try await DeviceKeyTests.redeem(web, code: code, jwt: nil)
        #expect(replay.error == "invalid_grant")
        try await Self.expectCascaded(target.session(), web)
        try await Self.expectCascaded(third.session(), web)
    }

    @Test("so does the next login of the biometric key that approved", arguments: [true, false])
    func biometric(_ logsIn: Bool) async throws {
        let web = try await Self.cascading()
        let user = try await BiometricTests.User(web)
        let jwt = try user.jwt("authenticate_app2app") { $0.setting("client_id", "other") }
        let approved = try await user.authenticate(jwt, user.link)
        let code = try #require(approved["code"]?.string, "\(approved.body)")
        let target = try await Holder(web, code, client: "other")
        if logsIn {
            #expect(try await user.authenticate(user.jwt("authenticate")).status == 200)
        } else {
            // Or its removal.
            let removed = try await web.send(
                .delete,
                "/api/v1/biometric_keys/\(user.kid)",
                headers: ["authorization": "Bearer \(user.accessToken)"]
            )
            #expect(removed.status == 200)
        }
        try await Self.expectCascaded(target.session(), web)
    }

    @Test("a third app in the row is refused from the commit that ends the first") func deep()
        async throws
    {
        let web = try await Self.cascading()
        let owner = try await Holder(web, web.side.code())
        let third = try await owner.letIn("other").letIn("app-1")
        let code = try await third.code(for: "app-2")
        #expect(try await web.side.isActive(Array(third.accessToken.utf8)))
        // The process dies here: nothing but the first end is in the log.
        try await web.side.run(OfflineGrant.self, owner.session().stream) { .revoke(.logout) }
        #expect(try await !web.side.isActive(Array(third.accessToken.utf8)))
        #expect(try await third.refresh().error == "invalid_grant")
        let redeemed = try await DeviceKeyTests.redeem(web, code: code, jwt: nil, client: "app-2")
        #expect(redeemed.error == "invalid_grant")
    }

    @Test("a code dies with the part of the owner that gave it, though its session lives on")
    func ownPart() async throws {
        let web = try await WebSide()
        let owner = try await Holder(web, web.side.code())
        let code = try await owner.code(for: "other")
        // Somebody else is in it, so a reuse ends no more (WireContract 5.3).
        try await web.side.run(OfflineGrant.self, owner.session().stream) {
            .share(.leave(Sample.client("app"), .reuse))
        }
        let answer = try await web.expectNothingRecorded {
            try await DeviceKeyTests.redeem(web, code: code, jwt: nil, client: "other")
        }
        #expect(answer.error == "invalid_grant")
        #expect(try await owner.isOpen())
    }

    @Test("a code dies with the browser session of the owner") func browser() async throws {
        let web = try await WebSide()
        let owner = try await Holder(web, web.side.code(browser: web.side.browser))
        let code = try await owner.code(for: "other")
        try await web.side.run(BrowserSession.self, web.side.browser.stream) { .end(.logout) }
        let redeemed = try await DeviceKeyTests.redeem(web, code: code, jwt: nil, client: "other")
        #expect(redeemed.error == "invalid_grant")
    }

    @Test("a DELETE whose second half fails is answered; repeated, it finishes that")
    func ended() async throws {
        let web = try await Self.cascading()
        let owner = try await Holder(web, web.side.code())
        let target = try await owner.letIn("other")
        let mine = try await SessionAPITests.session(web)
        let path = try "\(SessionAPITests.path)/\(owner.session().description)"
        web.side.store.fail(.taken, .unavailable)
        #expect(try await SessionAPITests.send(web, .delete, mine, path).status == 200)
        #expect(try await target.isOpen())
        #expect(try await SessionAPITests.send(web, .delete, mine, path).status == 404)
        try await Self.expectCascaded(target.session(), web)
    }

    @Test("so does a biometric key's") func removedKey() async throws {
        let web = try await Self.cascading()
        let user = try await BiometricTests.User(web)
        let jwt = try user.jwt("authenticate_app2app") { $0.setting("client_id", "other") }
        let approved = try await user.authenticate(jwt, user.link)
        let code = try #require(approved["code"]?.string, "\(approved.body)")
        let target = try await Holder(web, code, client: "other")
        let headers: KeyValuePairs = ["authorization": "Bearer \(user.accessToken)"]
        let path = "/api/v1/biometric_keys/\(user.kid)"
        web.side.store.fail(.taken, .unavailable)
        #expect(try await web.send(.delete, path, headers: headers).status == 200)
        #expect(try await web.send(.delete, path, headers: headers).status == 404)
        try await Self.expectCascaded(target.session(), web)
    }

    @Test("ending all others ends nothing that the caller rests on") func callersOwner()
        async throws
    {
        let web = try await Self.cascading()
        var settings = try #require(web.side.projects.project(id: web.side.project.settings.id))
            .settings
        settings.clients[1].allowedScopes = settings.clients[1].allowedScopes
            .union(Sample.scope(UserAccess.scope))
        try await web.side.apply(settings)
        let code = try await web.side.code(
            scope: AppSessionTokenTests.scope,
            browser: web.side.browser
        )
        let owner = try await Holder(web, code)
        let target = try await owner.letIn("other")
        let stranger = try await Holder(web, web.side.code())
        let path = "\(SessionAPITests.path)/revoke_others"
        let answer = try await SessionAPITests.send(web, .post, target.answer, path)
        #expect(answer["result"]?["revoked"]?.integer == 1)
        #expect(try await SessionAPITests.send(web, .get, target.answer).status == 200)
        #expect(try await owner.isOpen())
        #expect(try await !stranger.isOpen())
    }
}
