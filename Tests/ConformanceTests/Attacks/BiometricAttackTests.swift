import EventFormat
import TestSupport
import Testing

/// With whose token a biometric key is set up (Security 4.4; WireContract 5.5).
///
/// One test at a time: each counts what the log of its project gains.
@Suite("Attacks on setups", .serialized, .timeLimit(.minutes(3))) struct BiometricAttackTests {
    private static func project() async throws -> TestProject {
        try await TestProject.named("setups")
    }

    private static func expect(
        _ request: WireRequest,
        _ outcome: String,
        in project: TestProject
    ) async throws {
        let race = try Race(at: project)
        for node in project.site.nodes.indices {
            #expect(try await project.site.send(request, at: node).outcome == outcome)
        }
        #expect(try race.events() == [:])
    }

    @Test("attack: the token of a session that has ended, however many keys its user has")
    func ended() async throws {
        let project = try await Self.project()
        let site = project.site
        let user = try await BiometricUser(at: site)
        for number in 0..<10 {
            let setup = try await user.setup(try PhoneKey("ES256"), "\(user.kid)-\(number)")
            #expect(try await site.send(setup).status == 200)
        }
        let eleventh = try await user.setup(user.finger, user.kid)
        try await Self.expect(eleventh, "429 x_rate_limited", in: project)
        let revoked = try await site.send(.revoke(user.session.member("refresh_token")), at: 0)
        #expect(revoked.status == 200)
        try await Self.expect(eleventh, "401 invalid_grant", in: project)
    }

    @Test("attack: a stolen phone whose user logged in some time ago") func stale() async throws {
        let project = try await Self.project()
        let site = project.site
        var person = Person(at: site)
        let scope = "openid offline_access https://authgear.com/scopes/full-access"
        let session = try await person.session("hasty", scope: scope)
        try await Task.sleep(for: .seconds(2))
        let key = try PhoneKey("ES256")
        let jwt = try await site.signed(
            by: key,
            .biometric,
            ["claim.action": "setup", "header.kid": "stale-key-1"]
        )
        let form = GrantForm.biometric(jwt).map { $0.0 == "client_id" ? ($0.0, "hasty") : $0 }
        let setup = WireRequest.bearing(
            session.member("access_token"),
            "POST",
            "/oauth2/token",
            SignIn.form(form)
        )
        // Not final: the session is alive.
        try await Self.expect(setup, "400 invalid_request", in: project)
        let refresh = GrantForm.refresh(session.member("refresh_token"), of: "hasty")
        #expect(try await site.token(refresh).status == 200)
    }

    @Test("attack: a token that was revoked, while its session lives") func revoked() async throws {
        let project = try await Self.project()
        let site = project.site
        let user = try await BiometricUser(at: site)
        let setup = try await user.setup(user.finger, user.kid)
        let revoked = try await site.send(.revoke(user.session.member("access_token")), at: 0)
        #expect(revoked.status == 200)
        try await Self.expect(setup, "401 invalid_token", in: project)
    }

    @Test("attack: a token that is meant for another resource") func otherResource() async throws {
        let project = try await Self.project()
        let site = project.site
        let user = try await BiometricUser(at: site)
        let setup = try await user.setup(user.finger, user.kid)
        var person = user.person
        let scope = "offline_access https://authgear.com/scopes/full-access"
        let code = try await person.code(scope: scope, [("resource", TestProject.resource)])
        let elsewhere = try await site.token(GrantForm.code(code))
        let here = try await person.session(scope: scope)
        let token = WireAnswer(decoding: elsewhere.member("access_token") ?? "")
        #expect(token?.object("claims")?["aud"] as? [String] == [TestProject.resource])
        let request = WireRequest.bearing(
            elsewhere.member("access_token"),
            "POST",
            "/oauth2/token",
            setup.body
        )
        try await Self.expect(request, "401 invalid_token", in: project)
        // The same scope without that resource is enough.
        let meant = WireRequest.bearing(
            here.member("access_token"),
            "POST",
            "/oauth2/token",
            setup.body
        )
        #expect(try await site.send(meant).status == 200)
    }

    @Test("attack: the key of one user is set up by another") func twoUsers() async throws {
        let project = try await Self.project()
        let site = project.site
        let owner = try await BiometricUser.enrolled(at: site)
        let thief = try await BiometricUser(at: site)
        for key in [owner.finger, thief.finger] {
            let setup = try await thief.setup(key, owner.kid)
            try await Self.expect(setup, "400 invalid_request", in: project)
        }
        let login = try await site.send(try await owner.login())
        let token = WireAnswer(decoding: login.member("access_token") ?? "")
        let own = WireAnswer(decoding: owner.session.member("access_token") ?? "")
        #expect(token?.object("claims")?["sub"] as? String != nil, "\(login.text)")
        #expect(
            token?.object("claims")?["sub"] as? String == own?.object("claims")?["sub"] as? String
        )
    }

    @Test("attack: a key that was signed for another app") func otherApp() async throws {
        let project = try await Self.project()
        let user = try await BiometricUser(at: project.site)
        let setup = try await user.setup(user.finger, user.kid, ["claim.client_id": "hasty"])
        try await Self.expect(setup, "400 invalid_request", in: project)
    }

    @Test("attack: one app's key logs in at another, or with other scopes than its app may have")
    func uses() async throws {
        let project = try await Self.project()
        let user = try await BiometricUser.enrolled(at: project.site)
        let elsewhere = try await user.login(of: "alone")
        try await Self.expect(elsewhere, "400 invalid_grant", in: project)
        let said = try await project.site.send(elsewhere)
        #expect(said.member("error_description") == "InvalidCredentials")
        for scope in ["openid", "openid offline_access payments.write"] {
            let login = try await user.login([("scope", scope)])
            try await Self.expect(login, "400 invalid_scope", in: project)
        }
        #expect(try await project.site.send(try await user.login()).status == 200)
    }

    @Test("attack: a key lets an app in that its owner did not mean, or for something else")
    func approvals() async throws {
        let project = try await Self.project()
        let site = project.site
        let user = try await BiometricUser.enrolled(at: site)
        for claim in [
            ["claim.redirect_uri": "com.example.other:/callback"],
            ["claim.code_challenge": PhoneKey.digest("another")],
            ["claim.aud": "https://auth.example.org"],
        ] {
            let approval = try await user.approval(claim)
            try await Self.expect(approval, "400 invalid_request", in: project)
        }
        var plain = try await user.approval()
        plain.body += "&code_challenge_method=plain"
        try await Self.expect(plain, "400 invalid_request", in: project)
        let choosy = try await BiometricUser.enrolled(at: site, "choosy")
        let unlisted = try await choosy.approval(of: "loose")
        try await Self.expect(unlisted, "400 unauthorized_client", in: project)
        // This one is strict, too.
        try await Self.expect(try await choosy.approval(), "400 invalid_request", in: project)
        let alone = try await BiometricUser.enrolled(at: site, "alone")
        try await Self.expect(try await alone.approval(), "400 unauthorized_client", in: project)
    }

    @Test("attack: a login is taken for an approval, or the reverse: refused, and nothing is burnt")
    func mixedUp() async throws {
        let project = try await Self.project()
        let user = try await BiometricUser.enrolled(at: project.site)
        let challenge = try await project.site.challenge(.biometric)
        // The key is good: not the words on which apps delete it.
        let login = try await user.login(challenge: challenge, GrantForm.link())
        let other = try await user.login(
            challenge: challenge,
            saying: ["claim.client_id": "invest"]
        )
        for request in [login, other] {
            try await Self.expect(request, "400 invalid_grant", in: project)
            let said = try await project.site.send(request).member("error_description")
            #expect(said == "the login is not valid")
        }
        let approval = try await user.approval(challenge: challenge)
        var bare = approval
        bare.body = approval.body.replacing("&\(SignIn.form(GrantForm.link()))", with: "")
        let nobody = try await user.approval(challenge: challenge, ["claim.client_id": "absent"])
        for request in [bare, nobody] {
            try await Self.expect(request, "400 invalid_request", in: project)
        }
        // Nothing was burnt.
        let good = try await user.login(challenge: challenge)
        #expect(try await project.site.send(good).status == 200)
    }

    @Test("somebody else's app is let in by a key: that is recorded as its user's consent")
    func consent() async throws {
        let project = try await Self.project()
        let user = try await BiometricUser.enrolled(at: project.site, "choosy")
        let approval = try await user.approval(
            of: "outsider",
            [
                "claim.aud": project.site.origin, "claim.code_challenge": SignIn.challenge,
                "claim.redirect_uri": SignIn.redirectURIs["outsider"] ?? "",
            ]
        )
        let race = try Race(at: project)
        #expect(try await project.site.send(approval).status == 200)
        #expect(try race.events()[.consentGiven] == 1)
    }

    @Test("attack: the key of an app that was removed, and has come back") func returned()
        async throws
    {
        let project = try await TestProject.named("returning")
        let user = try await BiometricUser.enrolled(at: project.site, "alone")
        let login = try await user.login()
        try await project.change("client_id: alone", to: "client_id: other")
        try await project.change("client_id: other", to: "client_id: alone")
        for node in project.site.nodes.indices {
            let probe = GrantForm.refresh("rt_none", of: "alone")
            try await Waiting.until("node \(node) knows the app again") {
                try await project.site.token(probe, at: node).outcome == "400 invalid_grant"
            }
        }
        try await Self.expect(login, "400 invalid_grant", in: project)
    }

    @Test("attack: guesses over no challenge of ours keep a key's owner out") func garbage()
        async throws
    {
        let project = try await Self.project()
        let site = project.site
        let user = try await BiometricUser.enrolled(at: site)
        let thief = try PhoneKey("ES256")
        let guess = try await user.login(challenge: "ch_nothing", by: thief)
        for _ in 0..<6 { try await Self.expect(guess, "400 invalid_grant", in: project) }
        #expect(try await site.send(try await user.login()).status == 200)
    }

    @Test("attack: the key, or a code, of a user who was disabled") func disabled() async throws {
        let project = try await Self.project()
        let user = try await BiometricUser.enrolled(at: project.site)
        let login = try await user.login()
        var person = user.person
        let code = WireRequest.token(GrantForm.code(try await person.code()))
        let token = WireAnswer(decoding: user.session.member("access_token") ?? "")
        try await project.disable(subject: token?.object("claims")?["sub"] as? String ?? "")
        for request in [login, code] {
            try await Self.expect(request, "400 invalid_grant", in: project)
        }
    }

    @Test("attack: the token of another app, of another user's key, or none that is one")
    func foreign() async throws {
        let project = try await Self.project()
        let site = project.site
        let user = try await BiometricUser(at: site)
        let setup = try await user.setup(user.finger, user.kid)
        var person = Person(at: site)
        let other = try await person.session("invest")
        for (token, outcome) in [
            (other.member("access_token"), "400 unauthorized_client"),
            (user.session.member("id_token"), "401 invalid_token"),
            (user.session.member("refresh_token"), "401 invalid_token"),
        ] {
            let request = WireRequest.bearing(token, "POST", "/oauth2/token", setup.body)
            try await Self.expect(request, outcome, in: project)
        }
        var bare = setup
        bare.headers = []
        try await Self.expect(bare, "401 invalid_grant", in: project)
        #expect(try await site.send(setup).status == 200)
    }
}
