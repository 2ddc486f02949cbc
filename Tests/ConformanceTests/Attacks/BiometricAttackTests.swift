import TestSupport
import Testing

/// With whose token a biometric key is set up (security.md 4.4; wire contract, 5.5).
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
