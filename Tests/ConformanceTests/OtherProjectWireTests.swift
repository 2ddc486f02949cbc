import TestSupport
import Testing

/// What one project gave is nothing to its neighbour, which has the same clients behind the same
/// nodes; and showing it there burns nothing (security.md section 2).
@Suite("A neighbour project", .timeLimit(.minutes(3))) struct OtherProjectWireTests {
    private static func sites() async throws -> (home: Site, neighbour: Site) {
        (
            try await TestProject.named("attacked").site,
            try await TestProject.named("neighbour").site
        )
    }

    private static func session(_ site: Site) async throws -> WireAnswer {
        var person = Person(at: site)
        return try await person.session(scope: Person.everything)
    }

    @Test("attack: a challenge of one project in an approval at the other") func app2app()
        async throws
    {
        let (home, neighbour) = try await Self.sites()
        let phone = try PhoneKey("ES256")
        let jwt = try await home.signed(by: phone, .app2app)
        for (site, outcome) in [(neighbour, "400 invalid_request"), (home, "200")] {
            var person = Person(at: site)
            let owner = try await person.session(on: phone).member("refresh_token")
            #expect(try await site.token(GrantForm.app2app(owner, jwt)).outcome == outcome)
        }
    }

    @Test("attack: a challenge of one project in a login at the other") func biometric()
        async throws
    {
        let (home, neighbour) = try await Self.sites()
        let challenge = try await home.challenge(.biometric)
        for (site, outcome) in [(neighbour, "400 invalid_request"), (home, "200")] {
            let user = try await BiometricUser.enrolled(at: site)
            let login = try await site.send(try await user.login(challenge: challenge))
            #expect(login.outcome == outcome)
        }
    }

    @Test("attack: a key of one project logs in at the other; there its name is free") func kid()
        async throws
    {
        let (home, neighbour) = try await Self.sites()
        let user = try await BiometricUser.enrolled(at: home)
        let login = try await neighbour.send(try await user.login(at: neighbour))
        #expect(login.outcome == "400 invalid_grant")
        #expect(login.member("error_description") == "InvalidCredentials")
        let other = try await BiometricUser(at: neighbour)
        let setup = try await neighbour.send(try await other.setup(user.finger, user.kid))
        #expect(setup.status == 200)
        #expect(try await home.send(try await user.login()).status == 200)
    }

    @Test("attack: a device secret, or an id token, of one project at the other") func secret()
        async throws
    {
        let (home, neighbour) = try await Self.sites()
        let own = try await Self.session(neighbour)
        let foreign = try await Self.session(home)
        func exchange(_ subject: WireAnswer, _ actor: WireAnswer, at site: Site) async throws
            -> String
        {
            let form = GrantForm.exchange(
                subject.member("id_token"),
                actor.member("device_secret"),
                for: "invest",
                at: site
            )
            return try await site.token(form).outcome
        }
        #expect(try await exchange(own, foreign, at: neighbour) == "400 invalid_grant")
        #expect(try await exchange(foreign, own, at: neighbour) == "400 invalid_request")
        #expect(try await exchange(foreign, foreign, at: neighbour) == "400 invalid_request")
        #expect(try await exchange(own, own, at: neighbour) == "200")
        #expect(try await exchange(foreign, foreign, at: home) == "200")
    }

    @Test("attack: a pre-authenticated URL of one project at the other") func url() async throws {
        let (home, neighbour) = try await Self.sites()
        var urls: [WireAnswer] = []
        for site in [home, neighbour] {
            let session = try await Self.session(site)
            let form = GrantForm.exchange(
                session.member("id_token"),
                session.member("device_secret"),
                for: "offers",
                at: site,
                type: GrantForm.urlType
            )
            urls.append(try await site.token(form))
        }
        let token = urls[0].member("access_token")
        for hint in urls.map({ $0.member("id_token") }) {
            let answer = try await neighbour.send(.open(url: token, hint: hint))
            #expect(answer["set-cookie"] == nil)
            #expect(answer["location"]?.contains("error=invalid_request&") == true)
        }
        let opened = try await home.send(.open(url: token, hint: urls[0].member("id_token")))
        #expect(opened["set-cookie"] != nil)
    }

    @Test("attack: an app-session token, or its cookie, of one project at the other")
    func appSession() async throws {
        let (home, neighbour) = try await Self.sites()
        let session = try await Self.session(home)
        let issued = try await home.send(.appSession(session.member("refresh_token")))
        let token = issued.result("app_session_token")
        let foreign = try await neighbour.send(.open(settingsOf: neighbour, token))
        #expect(foreign["set-cookie"] == nil)
        #expect(foreign["location"]?.contains("error=login_required&") == true)
        var browser = home.browser()
        _ = try await browser.send("GET", WireRequest.open(settingsOf: home, token).target)
        let cookies = try #require(browser.jar.header)
        let settings = WireRequest("GET", "/settings", [("Cookie", cookies)])
        #expect(try await neighbour.send(settings).status == 403)
        #expect(try await home.send(settings).status == 200)
    }

    @Test("attack: the cookies of a browser that is signed in at one project, at the other")
    func browser() async throws {
        let (home, neighbour) = try await Self.sites()
        var person = Person(at: home)
        _ = try await person.code()
        let cookies = try #require(person.browser.jar.header)
        let settings = WireRequest("GET", "/settings", [("Cookie", cookies)])
        #expect(try await neighbour.send(settings).status == 403)
        #expect(try await home.send(settings).status == 200)
    }

    @Test("attack: a pushed request of one project at the other") func pushed() async throws {
        let (home, neighbour) = try await Self.sites()
        let fields = [
            ("client_id", "app"), ("response_type", "code"), ("scope", "openid"),
            ("redirect_uri", SignIn.redirectURIs["app"] ?? ""),
            ("code_challenge", SignIn.challenge), ("code_challenge_method", "S256"),
        ]
        let pushed = try await home.send(
            WireRequest("POST", "/oauth2/par", [], SignIn.form(fields))
        )
        let query = SignIn.form([
            ("client_id", "app"), ("request_uri", pushed.member("request_uri") ?? ""),
        ])
        let request = WireRequest("GET", "/oauth2/authorize?\(query)")
        #expect(try await neighbour.send(request).status == 400)
        #expect(try await home.send(request).status == 303)
    }

    @Test("attack: a proof for one project, or over its nonce, at the other") func proofs()
        async throws
    {
        let home = try await TestProject.named("strict-home", nonces: true).site
        let neighbour = try await TestProject.named("strict-neighbour", nonces: true).site
        let phone = try PhoneKey("ES256")
        func push(_ proof: String, to site: Site) async throws -> WireAnswer {
            let fields = [
                ("client_id", "app"), ("response_type", "code"), ("scope", "openid"),
                ("redirect_uri", SignIn.redirectURIs["app"] ?? ""),
                ("code_challenge", SignIn.challenge), ("code_challenge_method", "S256"),
            ]
            return try await site.send(
                WireRequest("POST", "/oauth2/par", [("DPoP", proof)], SignIn.form(fields))
            )
        }
        var nonces: [String] = []
        for site in [home, neighbour] {
            let asked = try await push(try site.proof(by: phone, of: "/oauth2/par"), to: site)
            #expect(asked.outcome == "400 use_dpop_nonce")
            nonces.append(try #require(asked["dpop-nonce"]))
        }
        func proof(_ site: Site, _ nonce: String) throws -> String {
            try site.proof(by: phone, of: "/oauth2/par", nonce: nonce)
        }
        let stale = try await push(try proof(neighbour, nonces[0]), to: neighbour)
        #expect(stale.outcome == "400 use_dpop_nonce")
        let elsewhere = try await push(try proof(home, nonces[1]), to: neighbour)
        #expect(elsewhere.outcome == "400 invalid_dpop_proof")
        #expect(try await push(try proof(neighbour, nonces[1]), to: neighbour).status == 201)
        #expect(try await push(try proof(home, nonces[0]), to: home).status == 201)
    }

    @Test("attack: an assertion for one project at the other, by a key that is good there")
    func assertion() async throws {
        let home = try await TestProject.named("attacked")
        let neighbour = try await TestProject.named("neighbour")
        let grant = [("grant_type", "client_credentials")]
        let foreign = try neighbour.assertionForm("service", ["claim.aud": home.site.origin])
        #expect(try await neighbour.site.token(grant + foreign).outcome == "401 invalid_client")
        let own = try neighbour.assertionForm("service")
        #expect(try await home.site.token(grant + own).outcome == "401 invalid_client")
        #expect(try await neighbour.site.token(grant + own).status == 200)
    }
}
