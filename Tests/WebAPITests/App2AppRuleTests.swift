import Crypto
import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// What settings and the end of a session mean for app2app (WireContract 5.4 and 9.7).
@Suite("app2app rules over HTTP") struct App2AppRuleTests {
    @Test("settings that say no", arguments: [0, 1, 2]) func settings(_ which: Int) async throws {
        let web = try await WebSide()
        let owner = try await App2AppTests.Owner(web)
        let rules: [ClientSettings.App2App?] = [
            nil, .init(biometricRequired: true), .init(targets: [Sample.client("web")]),
        ]
        try await App2AppTests.configure(web, rules[which])
        let jwt = try owner.jwt()
        let answer = try await web.expectNothingRecorded { try await owner.approve(jwt) }
        #expect(answer.error == "unauthorized_client")
        #expect(answer.refusal?.id == "AP-00\(which + 1)")
    }

    @Test("attack: an app lets itself in, by either key, named in its list or not")
    func itself() async throws {
        let own = Sample.client("app")
        for targets in [nil, [own]] {
            let web = try await WebSide()
            let owner = try await App2AppTests.Owner(web)
            try await App2AppTests.configure(web, .init(targets: targets))
            let answer = try await web.expectNothingRecorded {
                try await owner.approve(owner.jwt(), ["client_id": own.text])
            }
            #expect(answer.error == "unauthorized_client" && answer.refusal?.id == "AP-003")
            let user = try await BiometricTests.User(web)
            let jwt = try user.jwt("authenticate_app2app") {
                $0.setting("client_id", .string(own.text))
            }
            let login = try await web.expectNothingRecorded {
                try await user.authenticate(jwt, user.link)
            }
            #expect(login.error == "unauthorized_client" && login.refusal?.id == "AP-003")
        }
    }

    @Test("a confidential client is no target") func confidential() async throws {
        let owner = try await App2AppTests.Owner(WebSide())
        let answer = try await owner.web.expectNothingRecorded {
            try await owner.web.post(
                "/oauth2/token",
                "grant_type=\(App2AppTests.grant)&refresh_token=\(owner.refreshToken)"
                    + "&jwt=\(owner.jwt())&redirect_uri=\(TokenSide.redirectURI)"
                    + "&code_challenge=\(owner.challenge)",
                ["authorization": "Basic d2ViOmEtc2VjcmV0"]
            )
        }
        #expect(answer.error == "unauthorized_client")
    }

    @Test("a strict owner's JWT must say all that it is for") func strict() async throws {
        let web = try await WebSide()
        let owner = try await App2AppTests.Owner(web)
        try await App2AppTests.configure(web, .init(isStrict: true))
        let all = DeviceKeyTests.payload(web)
            .setting("aud", "https://auth.example.com").setting("client_id", "other")
            .setting("redirect_uri", .string(TokenSide.redirectURI))
            .setting("code_challenge", .string(owner.challenge))
        for name in ["aud", "client_id", "redirect_uri", "code_challenge"] {
            let jwt = try owner.phone.jwt(owner.phone.header(), all.setting(name, nil))
            let answer = try await web.expectNothingRecorded(name) {
                try await owner.approve(jwt)
            }
            #expect(answer.error == "invalid_request", "\(name)")
        }
        let jwt = try owner.phone.jwt(owner.phone.header(), all)
        #expect(try await owner.approve(jwt).status == 200)
    }

    @Test("scopes are cut to owner, target and wish") func scopes() async throws {
        let owner = try await App2AppTests.Owner(WebSide(), scope: "openid offline_access email")
        let answer = try await owner.approve(
            owner.jwt(),
            ["scope": "openid+email+payments.read"]
        )
        let code = try #require(answer["code"]?.string)
        #expect(try await owner.redeem(code)["scope"] == "email openid")
    }

    @Test("a code dies with the owner's session; a session it opened does not") func ownerEnds()
        async throws
    {
        let owner = try await App2AppTests.Owner(WebSide())
        let first = try #require(try await owner.approve(owner.jwt())["code"]?.string)
        let second = try #require(try await owner.approve(owner.jwt())["code"]?.string)
        let opened = try await owner.redeem(first)
        let token = try #require(opened["refresh_token"]?.string)
        _ = try await owner.web.post("/oauth2/revoke", "token=\(owner.refreshToken)")
        #expect(try await owner.redeem(second).error == "invalid_grant")
        #expect(try await owner.approve(owner.jwt()).error == "invalid_grant")
        #expect(try await refresh(token, owner.web).status == 200)
    }

    @Test("with cascade it does, at once and in the log") func cascade() async throws {
        let web = try await WebSide()
        try await App2AppTests.configure(web, .init(cascades: true))
        let owner = try await App2AppTests.Owner(web)
        let code = try #require(try await owner.approve(owner.jwt())["code"]?.string)
        let opened = try await owner.redeem(code)
        let token = try #require(opened["refresh_token"]?.string)
        #expect(try await refresh(token, web).status == 200)
        _ = try await web.post("/oauth2/revoke", "token=\(owner.refreshToken)")
        #expect(try await refresh(token, web).error == "invalid_grant")
        let session = try #require(
            RefreshToken(reading: Array(token.utf8), digester: web.side.digester)
        ).session
        let state = try await web.side.store.load(
            OfflineGrant.self,
            session.stream,
            by: Fixture.noDeadline
        ).state
        guard case .revoked(_, .cascade) = state else {
            Issue.record("not ended by cascade: \(state)")
            return
        }
    }

    @Test("an old refresh token that comes for an approval is reuse, too") func reuse()
        async throws
    {
        let owner = try await App2AppTests.Owner(WebSide())
        let next = try await DPoPTests.refresh(owner.web, owner.refreshToken)
        let token = try #require(next["refresh_token"]?.string)
        #expect(try await owner.approve(owner.jwt()).status == 200)
        owner.web.side.clock.advance(seconds: 31)
        let late = try owner.jwt { $0.setting("iat", .integer(App2AppTests.now + 31)) }
        let before = owner.web.commits
        #expect(try await owner.approve(late).error == "invalid_grant")
        #expect(
            owner.web.newestEvents(after: before) == [
                .offlineGrant(
                    .reuseDetected(
                        family: 1,
                        client: Sample.client("app"),
                        presentedGeneration: 1
                    )
                ),
                .offlineGrant(.revoked(.reuse)),
            ]
        )
        try await owner.web.expectNothingRecorded {
            let answers = [
                try await owner.approve(late), try await DPoPTests.refresh(owner.web, token),
            ]
            #expect(answers.map(\.error) == ["invalid_grant", "invalid_grant"])
        }
    }

    @Test("an owner that is disabled lets nobody in, and loses nothing") func disabled()
        async throws
    {
        let owner = try await App2AppTests.Owner(WebSide())
        let next = try await DPoPTests.refresh(owner.web, owner.refreshToken)
        #expect(next.status == 200)
        var settings = owner.web.side.project.settings
        let app = try #require(settings.clients.firstIndex { $0.id.text == "app" })
        settings.clients[app].enabled = false
        try await owner.web.side.apply(settings)
        // The answer to that refresh may have been lost: its app must not take this for the end.
        let inside = try owner.jwt()
        let answer = try await owner.web.expectNothingRecorded { try await owner.approve(inside) }
        #expect(answer.error == "unauthorized_client")
        owner.web.side.clock.advance(seconds: 31)
        let late = try owner.jwt { $0.setting("iat", .integer(App2AppTests.now + 31)) }
        let spent = try await owner.web.expectNothingRecorded { try await owner.approve(late) }
        #expect(spent.error == "invalid_grant")
        settings.clients[app].enabled = true
        try await owner.web.side.apply(settings)
        let token = try #require(next["refresh_token"]?.string)
        #expect(try await DPoPTests.refresh(owner.web, token).status == 200)
    }

    enum End: CaseIterable { case loggedOut, userDisabled, aged }

    @Test(
        "that its session ended an owner hears by whatever key: apps erase it on that alone",
        arguments: End.allCases
    )
    func endedBeforeKey(_ end: End) async throws {
        let web = try await WebSide()
        var settings = web.side.project.settings
        settings.clients[0].refreshTokenLifetimeSeconds = 100
        try await web.side.apply(settings)
        let phone = try Phone()
        let device = try phone.jwt(phone.header(), DeviceKeyTests.payload(web))
        let opened = try await DPoPTests.redeem(
            web,
            proof: DPoPTests.proof(phone, "1"),
            deviceKey: device
        )
        let token = try #require(opened["refresh_token"]?.string, "\(opened.body)")
        let owner = App2AppTests.Owner(web, phone, refreshToken: token)
        func words() async throws -> [String] {
            let proofs = [nil, try DPoPTests.proof(Phone(), "2")]
            return try await web.expectNothingRecorded {
                var words: [String] = []
                for proof in proofs {
                    words.append(try await owner.approve(owner.jwt(), proof: proof).word)
                }
                return words
            }
        }
        #expect(try await words() == ["400 invalid_dpop_proof", "400 invalid_dpop_proof"])
        switch end {
        case .loggedOut: _ = try await web.post("/oauth2/revoke", "token=\(token)")
        case .userDisabled:
            try await web.side.run(Subject.self, web.side.subject.stream) { .disable(.operator) }
        case .aged: web.side.clock.advance(seconds: 100)
        }
        #expect(try await words() == ["400 invalid_grant", "400 invalid_grant"])
    }

    @Test("an owner bound to a DPoP key needs it here, too") func dpop() async throws {
        let web = try await WebSide()
        let owner = try Phone()
        let jwt = try owner.jwt(owner.header(), DeviceKeyTests.payload(web))
        let opened = try await web.post(
            "/oauth2/token",
            "grant_type=authorization_code&client_id=app&code=\(web.side.code())"
                + "&redirect_uri=\(TokenSide.redirectURI)&code_verifier=\(TokenSide.verifier)"
                + "&x_app2app_device_key_jwt=\(jwt)",
            ["dpop": try DPoPTests.proof(owner, "1")]
        )
        let token = try #require(opened["refresh_token"]?.string)
        func approve(_ headers: KeyValuePairs<String, String>) async throws -> Answer {
            let jwt = try owner.jwt(owner.header(), DeviceKeyTests.payload(web))
            let digest = web.side.digester.sha256(Array(TokenSide.verifier.utf8))
            return try await web.post(
                "/oauth2/token",
                "grant_type=\(App2AppTests.grant)&client_id=other&refresh_token=\(token)&jwt=\(jwt)"
                    + "&redirect_uri=\(TokenSide.redirectURI)"
                    + "&code_challenge=\(Base64URL.text(digest.bytes))",
                headers
            )
        }
        let thief = try DPoPTests.proof(Phone(), "2")
        for headers in [[:], ["dpop": thief]] as [KeyValuePairs<String, String>] {
            let answer = try await web.expectNothingRecorded { try await approve(headers) }
            #expect(answer.error == "invalid_dpop_proof")
        }
        let own = try DPoPTests.proof(owner, "3")
        #expect(try await approve(["dpop": own]).status == 200)
        // A target that does without DPoP does not keep the owner from hearing what is missing.
        var settings = web.side.project.settings
        settings.requiresDPoPNonce = true
        let target = try #require(settings.clients.firstIndex { $0.id.text == "other" })
        settings.clients[target].dpop = .disabled
        try await web.side.apply(settings)
        let bare = try DPoPTests.proof(owner, "4")
        let answer = try await web.expectNothingRecorded { try await approve(["dpop": bare]) }
        #expect(answer.error == "use_dpop_nonce", "\(answer.body)")
    }

    private func refresh(_ token: String, _ web: WebSide) async throws -> Answer {
        try await web.post(
            "/oauth2/token",
            "grant_type=refresh_token&client_id=other&refresh_token=\(token)"
        )
    }
}
