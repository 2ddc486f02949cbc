import TestSupport
import Testing

/// What an approval needs, and what it never gives (Security 4.3; WireContract 5.4 and 6.2).
///
/// One test at a time: some count what the log of their project gains.
@Suite("Attacks on approvals", .serialized, .timeLimit(.minutes(3))) struct App2AppAttackTests {
    private static func project() async throws -> TestProject {
        try await TestProject.named("approvals")
    }

    /// Sends each JWT to each node: refused, and nothing is in the log.
    private static func refuse(
        _ project: TestProject,
        _ owner: String?,
        _ rows: [(sentence: String, options: [String: String])],
        by phone: PhoneKey,
        challenge: String
    ) async throws {
        let race = try Race(at: project)
        for (sentence, options) in rows {
            let jwt = try phone.jwt(.app2app, challenge: challenge, options)
            for node in project.site.nodes.indices {
                let form = GrantForm.app2app(owner, jwt)
                let answer = try await project.site.token(form, at: node)
                #expect(answer.outcome == "400 invalid_request", "\(sentence): \(answer.text)")
            }
        }
        #expect(try race.events() == [:])
    }

    @Test("attack: a JWT that does not say all that it is for, where the owner is strict")
    func strict() async throws {
        let project = try await Self.project()
        let site = project.site
        let phone = try PhoneKey("ES256")
        var person = Person(at: site)
        let owner = try await person.session(on: phone, "strict").member("refresh_token")
        let all = [
            "claim.aud": site.origin, "claim.client_id": "invest",
            "claim.redirect_uri": SignIn.redirectURIs["invest"] ?? "",
            "claim.code_challenge": SignIn.challenge,
        ]
        let challenge = try await site.challenge(.app2app)
        var rows: [(sentence: String, options: [String: String])] = [("nothing", [:])]
        for name in all.keys.sorted() {
            rows.append(("without \(name)", all.merging([name: "absent"]) { $1 }))
            rows.append(("another \(name)", all.merging([name: "com.example.other"]) { $1 }))
        }
        try await Self.refuse(project, owner, rows, by: phone, challenge: challenge)
        // Members that nobody here knows do no harm.
        let good = all.merging(["claim.x_platform": "ios", "claim.more": "1"]) { $1 }
        let jwt = try phone.jwt(.app2app, challenge: challenge, good)
        #expect(try await site.token(GrantForm.app2app(owner, jwt)).status == 200)
    }

    @Test("attack: a guest of a session lets an app in, and binds its own key for everybody")
    func guest() async throws {
        let project = try await Self.project()
        let site = project.site
        var person = Person(at: site)
        let session = try await person.session(scope: Person.everything)
        let guest = try await site.token(
            GrantForm.exchange(
                session.member("id_token"),
                session.member("device_secret"),
                for: "open-guest",
                at: site
            )
        )
        #expect(guest.status == 200, "\(guest.text)")
        let key = try PhoneKey("ES256")
        let jwt = try await site.signed(by: key, .app2app)
        let form = GrantForm.app2app(guest.member("refresh_token"), jwt)
        try await project.refuse([("a guest", form)], as: "400 unauthorized_client")
        // As the first app of its own session it may.
        let own = try await person.session("open-guest").member("refresh_token")
        #expect(try await site.token(GrantForm.app2app(own, jwt)).status == 200)
    }

    @Test("attack: a JWT for another target, address, challenge or server, where none is required")
    func meant() async throws {
        let project = try await Self.project()
        let site = project.site
        let phone = try PhoneKey("ES256")
        var person = Person(at: site)
        let owner = try await person.session(on: phone).member("refresh_token")
        let challenge = try await site.challenge(.app2app)
        let others = [
            "claim.client_id": "loose", "claim.aud": "https://auth.example.org",
            "claim.redirect_uri": SignIn.redirectURIs["loose"] ?? "",
            "claim.code_challenge": PhoneKey.digest("another"),
        ]
        let rows = others.sorted { $0.key < $1.key }.map { name, other in
            (sentence: "another \(name)", options: [name: other])
        }
        try await Self.refuse(project, owner, rows, by: phone, challenge: challenge)
        let jwt = try phone.jwt(.app2app, challenge: challenge)
        #expect(try await site.token(GrantForm.app2app(owner, jwt)).status == 200)
    }

    @Test("attack: a JWT of another kind, or made, or good, at another time") func windows()
        async throws
    {
        let project = try await Self.project()
        let site = project.site
        let phone = try PhoneKey("ES256")
        var person = Person(at: site)
        let owner = try await person.session(on: phone).member("refresh_token")
        let challenge = try await site.challenge(.app2app)
        let rows: [(sentence: String, options: [String: String])] = [
            ("no typ", ["typ": ""]), ("the typ of any JWT", ["typ": "JWT"]),
            ("the typ in capitals", ["typ": "VND.AUTHGEAR.APP2APP-REQUEST"]),
            ("the typ of a login", ["typ": "vnd.authgear.biometric-request"]),
            ("the typ of a proof", ["typ": "dpop+jwt"]),
            ("no iat", ["claim.iat": "absent"]), ("no exp", ["claim.exp": "absent"]),
            ("iat as text", ["claim.iat": "text:now"]),
            ("made long ago", ["claim.iat": "now-320", "claim.exp": "now+60"]),
            ("made in the future", ["claim.iat": "now+320", "claim.exp": "now+380"]),
            ("expired", ["claim.iat": "now-290", "claim.exp": "now-320"]),
            ("good for too long", ["claim.iat": "now", "claim.exp": "now+620"]),
            ("for another issuer", ["claim.aud": "https://auth.example.org"]),
            ("no challenge", ["challenge": ""]),
        ]
        try await Self.refuse(project, owner, rows, by: phone, challenge: challenge)
        // A phone's clock may be five minutes off.
        let slow = ["claim.iat": "now-280", "claim.exp": "now-220"]
        let jwt = try phone.jwt(.app2app, challenge: challenge, slow)
        #expect(try await site.token(GrantForm.app2app(owner, jwt)).status == 200)
    }

    @Test(
        "attack: a thief binds a key of its own, once the day until which that was allowed is over"
    )
    func lapsed() async throws {
        let project = try await Self.project()
        let site = project.site
        for (client, outcome) in [("lapsed", "400 invalid_grant"), ("loose", "200")] {
            var person = Person(at: site)
            let owner = try await person.session(client).member("refresh_token")
            let key = try PhoneKey("ES256")
            let jwt = try await site.signed(by: key, .app2app)
            let race = try Race(at: project)
            // What is no point of the curve is bound in no case.
            let broken = try await site.signed(
                by: try PhoneKey("ES256"),
                .app2app,
                ["jwk.x": String(repeating: "A", count: 43)]
            )
            let foreign = try await site.token(GrantForm.app2app(owner, broken))
            #expect(foreign.outcome == "400 invalid_request", "\(client): \(foreign.text)")
            #expect(try race.events() == [:])
            let answer = try await site.token(GrantForm.app2app(owner, jwt))
            #expect(answer.outcome == outcome, "\(client): \(answer.text)")
            if answer.status != 200 { #expect(try race.events() == [:]) }
        }
    }

    @Test("attack: a plain approval where only a biometric key may approve") func guarded()
        async throws
    {
        let project = try await Self.project()
        let site = project.site
        let phone = try PhoneKey("ES256")
        var person = Person(at: site)
        let owner = try await person.session(on: phone, "guarded").member("refresh_token")
        let race = try Race(at: project)
        for key in [phone, try PhoneKey("ES256")] {
            let jwt = try await site.signed(by: key, .app2app)
            for node in site.nodes.indices {
                let answer = try await site.token(GrantForm.app2app(owner, jwt), at: node)
                #expect(answer.outcome == "400 unauthorized_client")
            }
        }
        #expect(try race.events() == [:])
        // By a finger it is let in.
        let user = try await BiometricUser.enrolled(at: site, "guarded")
        let approved = try await site.send(try await user.approval())
        #expect(approved.status == 200, "\(approved.text)")
        let code = GrantForm.code(approved.member("code") ?? "", of: "invest")
        #expect(try await site.token(code).status == 200)
    }

    @Test("attack: an app that is not on the owner's list is let in") func list() async throws {
        let project = try await Self.project()
        let site = project.site
        let phone = try PhoneKey("ES256")
        var person = Person(at: site)
        let owner = try await person.session(on: phone, "choosy").member("refresh_token")
        func form(for target: String) async throws -> GrantForm.Fields {
            let all = [
                "claim.aud": site.origin, "claim.client_id": target,
                "claim.redirect_uri": SignIn.redirectURIs[target] ?? "",
                "claim.code_challenge": SignIn.challenge,
            ]
            let jwt = try await site.signed(by: phone, .app2app, all)
            return GrantForm.app2app(owner, jwt, for: target)
        }
        let uninvited = [("loose", try await form(for: "loose"))]
        try await project.refuse(uninvited, as: "400 unauthorized_client")
        #expect(try await site.token(try await form(for: "invest")).status == 200)
    }

    @Test("attack: an owner that lets nobody in lets an app in, whatever key signs") func nobody()
        async throws
    {
        let project = try await Self.project()
        let site = project.site
        let phone = try PhoneKey("ES256")
        var person = Person(at: site)
        let owner = try await person.session("alone").member("refresh_token")
        let jwt = try await site.signed(by: phone, .app2app)
        let race = try Race(at: project)
        for node in site.nodes.indices {
            let answer = try await site.token(GrantForm.app2app(owner, jwt), at: node)
            #expect(answer.outcome == "400 unauthorized_client")
        }
        #expect(try race.events() == [:])
    }

    @Test("attack: a target asks for more than its owner has") func scope() async throws {
        let project = try await Self.project()
        let site = project.site
        let phone = try PhoneKey("ES256")
        var person = Person(at: site)
        let owner = try await person.session(on: phone).member("refresh_token")
        let signed = try await site.signed(by: phone, .app2app)
        func form(_ scope: String) -> GrantForm.Fields {
            GrantForm.app2app(owner, signed) + [("scope", scope)]
        }
        let full = "https://authgear.com/scopes/full-access"
        try await project.refuse([("nothing of the owner's", form(full))], as: "400 invalid_scope")
        let code = try await site.token(form("openid \(full)")).member("code")
        let target = try await site.token(GrantForm.code(code ?? "", of: "invest"))
        #expect(target.member("scope") == "openid")
        // Nor does it get what the owner has and it may not.
        let all = try await person.session(
            scope: Person.everything,
            [("x_app2app_device_key_jwt", try await site.signed(by: phone, .app2app))]
        )
        let jwt = try await site.signed(by: phone, .app2app)
        let approval = GrantForm.app2app(all.member("refresh_token"), jwt)
        let wide = try await site.token(approval).member("code")
        let guest = try await site.token(GrantForm.code(wide ?? "", of: "invest"))
        #expect(guest.status == 200)
        #expect(guest.member("scope")?.contains("pre-authenticated-url") == false)
    }
}
