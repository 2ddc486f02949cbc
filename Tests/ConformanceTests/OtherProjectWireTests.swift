import TestSupport
import Testing

/// What one project gave is nothing to its neighbour, which has the same clients behind the same
/// nodes; and showing it there burns nothing (Security 2).
///
/// One test at a time: each counts what the log of the neighbour gains.
@Suite("A neighbour project", .serialized, .timeLimit(.minutes(3))) struct OtherProjectWireTests {
    private static func projects() async throws -> (home: TestProject, neighbour: TestProject) {
        (try await TestProject.named("home"), try await TestProject.named("neighbour"))
    }

    private static func session(_ site: Site) async throws -> WireAnswer {
        var person = Person(at: site)
        return try await person.session(scope: Person.everything)
    }

    @Test("attack: a code or a token of one project at the other") func tokens() async throws {
        let (home, neighbour) = try await Self.projects()
        let phone = try PhoneKey("ES256")
        var person = Person(at: home.site)
        let session = try await person.session(on: phone)
        let (refresh, access) = (session.member("refresh_token"), session.member("access_token"))
        let code = GrantForm.code(try await person.code())
        let jwt = try await neighbour.site.signed(by: phone, .app2app)
        let race = try Race(at: home)
        try await neighbour.refuse(
            [
                ("a code", code), ("a refresh token", GrantForm.refresh(refresh)),
                ("an approval by it", GrantForm.app2app(refresh, jwt)),
            ],
            as: "400 invalid_grant"
        )
        try await neighbour.refuse(
            requests: [("our pages", .appSession(refresh))],
            as: "403 InvalidGrant"
        )
        try await neighbour.refuse(
            requests: [("an access token", .bearing(access))],
            as: "401 invalid_token"
        )
        let revoking = [WireRequest.revoke(refresh), .revoke(access)]
        try await neighbour.refuse(requests: revoking.map { ("an end", $0) }, as: "200")
        #expect(try race.events() == [:])
        #expect(try await home.site.uses(of: session) == ["200", "200"])
        #expect(try await home.site.token(code).status == 200)
    }

    @Test("attack: a challenge of one project in an approval at the other") func app2app()
        async throws
    {
        let (home, neighbour) = try await Self.projects()
        let phone = try PhoneKey("ES256")
        let jwt = try await home.site.signed(by: phone, .app2app)
        func approval(at site: Site) async throws -> GrantForm.Fields {
            var person = Person(at: site)
            let owner = try await person.session(on: phone).member("refresh_token")
            return GrantForm.app2app(owner, jwt)
        }
        let foreign = try await approval(at: neighbour.site)
        try await neighbour.refuse([("a challenge", foreign)], as: "400 invalid_request")
        let own = try await approval(at: home.site)
        #expect(try await home.site.token(own).status == 200)
    }

    @Test("attack: a challenge of one project in a login at the other") func biometric()
        async throws
    {
        let (home, neighbour) = try await Self.projects()
        let challenge = try await home.site.challenge(.biometric)
        let user = try await BiometricUser.enrolled(at: neighbour.site)
        let foreign = try await user.login(challenge: challenge)
        try await neighbour.refuse(
            requests: [("a challenge", foreign)],
            as: "400 invalid_request"
        )
        let own = try await BiometricUser.enrolled(at: home.site).login(challenge: challenge)
        #expect(try await home.site.send(own).status == 200)
    }

    @Test("attack: a key of one project logs in at the other; there its name is free") func kid()
        async throws
    {
        let (home, neighbour) = try await Self.projects()
        let user = try await BiometricUser.enrolled(at: home.site)
        let login = try await user.login(at: neighbour.site)
        try await neighbour.refuse(requests: [("a key", login)], as: "400 invalid_grant")
        let refused = try await neighbour.site.send(login)
        #expect(refused.member("error_description") == "InvalidCredentials")
        let other = try await BiometricUser(at: neighbour.site)
        let setup = try await other.setup(user.finger, user.kid)
        #expect(try await neighbour.site.send(setup).status == 200)
        #expect(try await home.site.send(try await user.login()).status == 200)
    }

    @Test("attack: a device secret, or an id token, of one project at the other") func secret()
        async throws
    {
        let (home, neighbour) = try await Self.projects()
        let own = try await Self.session(neighbour.site)
        let foreign = try await Self.session(home.site)
        func exchange(_ subject: WireAnswer, _ actor: WireAnswer, at site: Site)
            -> GrantForm.Fields
        {
            GrantForm.exchange(
                subject.member("id_token"),
                actor.member("device_secret"),
                for: "invest",
                at: site
            )
        }
        let site = neighbour.site
        try await neighbour.refuse(
            [("its secret", exchange(own, foreign, at: site))],
            as: "400 invalid_grant"
        )
        try await neighbour.refuse(
            [
                ("its id token", exchange(foreign, own, at: site)),
                ("both", exchange(foreign, foreign, at: site)),
            ],
            as: "400 invalid_request"
        )
        #expect(try await site.token(exchange(own, own, at: site)).status == 200)
        let right = exchange(foreign, foreign, at: home.site)
        #expect(try await home.site.token(right).status == 200)
    }

    @Test("attack: a pre-authenticated URL of one project at the other") func url() async throws {
        let (home, neighbour) = try await Self.projects()
        var urls: [WireAnswer] = []
        for site in [home.site, neighbour.site] {
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
        let hints = urls.map { $0.member("id_token") }
        try await neighbour.refuse(
            openings: [
                ("with its hint", .open(url: token, hint: hints[0])),
                ("with a hint of here", .open(url: token, hint: hints[1])),
            ],
            as: "error=invalid_request&"
        )
        let opened = try await home.site.send(.open(url: token, hint: hints[0]))
        #expect(opened["set-cookie"] != nil)
    }

    @Test("attack: an app-session token, or its cookie, of one project at the other")
    func appSession() async throws {
        let (home, neighbour) = try await Self.projects()
        let session = try await Self.session(home.site)
        let issued = try await home.site.send(.appSession(session.member("refresh_token")))
        let token = issued.result("app_session_token")
        try await neighbour.refuse(
            openings: [("a token", .open(settingsOf: neighbour.site, token))],
            as: "error=login_required&"
        )
        var browser = home.site.browser()
        _ = try await browser.send("GET", WireRequest.open(settingsOf: home.site, token).target)
        try await Self.refuse(try #require(browser.jar.header), of: home, at: neighbour)
    }

    @Test("attack: the cookies of a browser that is signed in at one project, at the other")
    func browser() async throws {
        let (home, neighbour) = try await Self.projects()
        var person = Person(at: home.site)
        _ = try await person.code()
        try await Self.refuse(try #require(person.browser.jar.header), of: home, at: neighbour)
    }

    /// Cookies that show the settings at home, and not at the neighbour.
    private static func refuse(
        _ cookies: String,
        of home: TestProject,
        at neighbour: TestProject
    ) async throws {
        let settings = WireRequest("GET", "/settings", [("Cookie", cookies)])
        try await neighbour.refuse(requests: [("cookies", settings)], as: "403")
        #expect(try await home.site.send(settings).status == 200)
    }

    @Test("attack: a pushed request of one project at the other") func pushed() async throws {
        let (home, neighbour) = try await Self.projects()
        let fields = [
            ("client_id", "app"), ("response_type", "code"), ("scope", "openid"),
            ("redirect_uri", SignIn.redirectURIs["app"] ?? ""),
            ("code_challenge", SignIn.challenge), ("code_challenge_method", "S256"),
        ]
        let pushed = try await home.site.send(
            WireRequest("POST", "/oauth2/par", [], SignIn.form(fields))
        )
        let query = SignIn.form([
            ("client_id", "app"), ("request_uri", pushed.member("request_uri") ?? ""),
        ])
        let request = WireRequest("GET", "/oauth2/authorize?\(query)")
        try await neighbour.refuse(requests: [("a pushed request", request)], as: "400")
        #expect(try await home.site.send(request).status == 303)
    }

    @Test("attack: a proof for one project, or over its nonce, at the other") func proofs()
        async throws
    {
        let home = try await TestProject.named("strict-home", nonces: true)
        let neighbour = try await TestProject.named("strict-neighbour", nonces: true)
        let phone = try PhoneKey("ES256")
        func push(by site: Site, _ nonce: String? = nil) throws -> WireRequest {
            let fields = [
                ("client_id", "app"), ("response_type", "code"), ("scope", "openid"),
                ("redirect_uri", SignIn.redirectURIs["app"] ?? ""),
                ("code_challenge", SignIn.challenge), ("code_challenge_method", "S256"),
            ]
            let proof = try site.proof(by: phone, of: "/oauth2/par", nonce: nonce)
            return WireRequest("POST", "/oauth2/par", [("DPoP", proof)], SignIn.form(fields))
        }
        var nonces: [String] = []
        for site in [home.site, neighbour.site] {
            let asked = try await site.send(try push(by: site))
            #expect(asked.outcome == "400 use_dpop_nonce")
            nonces.append(try #require(asked["dpop-nonce"]))
        }
        let stale = try push(by: neighbour.site, nonces[0])
        try await neighbour.refuse(requests: [("its nonce", stale)], as: "400 use_dpop_nonce")
        let elsewhere = try push(by: home.site, nonces[1])
        try await neighbour.refuse(
            requests: [("a proof for it", elsewhere)],
            as: "400 invalid_dpop_proof"
        )
        for (site, nonce) in zip([neighbour.site, home.site], nonces.reversed()) {
            #expect(try await site.send(try push(by: site, nonce)).status == 201)
        }
    }

    @Test("attack: an assertion for one project at the other, by a key that is good there")
    func assertion() async throws {
        let (home, neighbour) = try await Self.projects()
        let grant = [("grant_type", "client_credentials")]
        let foreign = try neighbour.assertionForm("service", ["claim.aud": home.site.origin])
        try await neighbour.refuse([("for home", grant + foreign)], as: "401 invalid_client")
        let own = try neighbour.assertionForm("service")
        try await home.refuse([("for the neighbour", grant + own)], as: "401 invalid_client")
        #expect(try await neighbour.site.token(grant + own).status == 200)
    }
}
