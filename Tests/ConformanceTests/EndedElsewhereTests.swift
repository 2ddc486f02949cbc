import TestSupport
import Testing

/// What ends at one node is refused by the next request at the other, which has just seen it alive
/// (Security I4; WireContract 9.7).
@Suite("Ended at the other node", .timeLimit(.minutes(3))) struct EndedElsewhereTests {
    private static func site() async throws -> Site {
        try await TestProject.named("attacked").site
    }

    private static func session(_ site: Site) async throws -> WireAnswer {
        var person = Person(at: site)
        return try await person.session(scope: Person.everything)
    }

    /// Ends what a token stands for, at the first node.
    private static func end(_ token: String?, _ site: Site) async throws {
        let answer = try await site.send(.revoke(token), at: 0)
        #expect(answer.status == 200)
    }

    private static func exchange(
        _ session: WireAnswer,
        for client: String,
        _ site: Site,
        type: String = ""
    ) -> WireRequest {
        .token(
            GrantForm.exchange(
                session.member("id_token"),
                session.member("device_secret"),
                for: client,
                at: site,
                type: type
            )
        )
    }

    @Test("a code that an app's device key issued, by the end of its session") func app2AppCode()
        async throws
    {
        let site = try await Self.site()
        let phone = try PhoneKey("ES256")
        var person = Person(at: site)
        let owner = try await person.session(on: phone).member("refresh_token")
        let jwt = try await site.signed(by: phone, .app2app)
        let approved = try await site.token(GrantForm.app2app(owner, jwt), at: 1)
        #expect(approved.status == 200)
        try await Self.end(owner, site)
        let code = GrantForm.code(approved.member("code") ?? "", of: "invest")
        #expect(try await site.token(code, at: 1).outcome == "400 invalid_grant")
    }

    @Test("the session of an app that was let in, by the end of its owner's, where it cascades")
    func cascade() async throws {
        let site = try await Self.site()
        let phone = try PhoneKey("ES256")
        var person = Person(at: site)
        let owner = try await person.session(on: phone, "cascading").member("refresh_token")
        let jwt = try await site.signed(by: phone, .app2app)
        let approved = try await site.token(GrantForm.app2app(owner, jwt), at: 1)
        let target = try await site.token(
            GrantForm.code(approved.member("code") ?? "", of: "invest"),
            at: 1
        )
        #expect(target.status == 200)
        #expect(
            try await site.send(.bearing(target.member("access_token")), at: 1).status == 200
        )
        try await Self.end(owner, site)
        #expect(
            try await site.uses(of: target, "invest")
                == ["401 invalid_grant", "400 invalid_grant"]
        )
    }

    @Test(
        "a pre-authenticated URL, by the end of its session or of its device secret",
        arguments: ["refresh_token", "device_secret"]
    )
    func url(_ ending: String) async throws {
        let site = try await Self.site()
        let session = try await Self.session(site)
        let url = try await site.send(
            Self.exchange(session, for: "offers", site, type: GrantForm.urlType),
            at: 1
        )
        #expect(url.status == 200)
        try await Self.end(url.member(ending) ?? session.member(ending), site)
        let opened = try await site.send(
            .open(url: url.member("access_token"), hint: url.member("id_token")),
            at: 1
        )
        #expect(opened["set-cookie"] == nil)
        #expect(opened["location"]?.contains("error=invalid_request&") == true)
    }

    @Test("a browser that an app let into the settings, by the end of the app's session")
    func appSession() async throws {
        let site = try await Self.site()
        let session = try await Self.session(site)
        let issued = try await site.send(.appSession(session.member("refresh_token")), at: 1)
        var browser = site.browser(at: 1)
        let open = WireRequest.open(settingsOf: site, issued.result("app_session_token"))
        #expect(try await browser.send("GET", open.target).status == 303)
        #expect(try await browser.send("GET", "/settings").status == 200)
        try await Self.end(session.member("refresh_token"), site)
        #expect(try await browser.send("GET", "/settings").status == 403)
    }

    @Test("a device secret, and who came by it; the first app stays") func deviceSecret()
        async throws
    {
        let site = try await Self.site()
        let session = try await Self.session(site)
        let joining = Self.exchange(session, for: "invest", site)
        let guest = try await site.send(joining, at: 1)
        #expect(guest.status == 200)
        try await Self.end(session.member("device_secret"), site)
        #expect(try await site.send(joining, at: 1).outcome == "400 invalid_grant")
        #expect(
            try await site.uses(of: guest, "invest")
                == ["401 invalid_grant", "400 invalid_grant"]
        )
        #expect(try await site.uses(of: session, "app") == ["200", "200"])
    }

    @Test("the newest token of a server that signs, revoked where only an older one was seen")
    func signingServer() async throws {
        let project = try await TestProject.named("attacked")
        let site = project.site
        let proof = { try project.assertionForm("vault") }
        for _ in 0..<5 {
            var person = Person(at: site)
            let session = try await person.session("vault", proof())
            let first = GrantForm.refresh(session.member("refresh_token"), of: "vault")
            let seen = try await site.token(first + proof(), at: 1)
            let second = GrantForm.refresh(seen.member("refresh_token"), of: "vault")
            let newest = try await site.token(second + proof(), at: 0).member("refresh_token")
            let form = SignIn.form(try [("token", newest ?? "")] + proof())
            let end = WireRequest("POST", "/oauth2/revoke", [], form)
            let revoked = try await site.send(end, at: 1)
            #expect(newest != nil && revoked.status == 200)
            let late = GrantForm.refresh(newest, of: "vault")
            #expect(try await site.token(late + proof(), at: 0).outcome == "400 invalid_grant")
        }
    }

    @Test("an id token for an access token, by the end of its session, also with a proof")
    func idToken() async throws {
        let site = try await Self.site()
        let phone = try PhoneKey("ES256")
        for _ in 0..<5 {
            let session = try await Self.session(site)
            func ask() async throws -> WireAnswer {
                var request = WireRequest.token(
                    [
                        ("grant_type", "urn:authgear:params:oauth:grant-type:id-token"),
                        ("client_id", "app"),
                    ],
                    proof: try site.proof(by: phone)
                )
                let token = session.member("access_token") ?? ""
                request.headers.append(("Authorization", "Bearer \(token)"))
                return try await site.send(request, at: 1)
            }
            #expect(try await ask().status == 200)
            try await Self.end(session.member("refresh_token"), site)
            let late = try await ask()
            #expect(late.outcome == "401 invalid_grant", "\(late.text)")
        }
    }

    @Test("an app that joined, by the end of the session") func guest() async throws {
        let site = try await Self.site()
        let session = try await Self.session(site)
        let guest = try await site.send(Self.exchange(session, for: "invest", site), at: 1)
        let root = try await site.send(.bearing(session.member("access_token")), at: 1)
        #expect(guest.status == 200 && root.status == 200)
        try await Self.end(session.member("refresh_token"), site)
        #expect(
            try await site.uses(of: guest, "invest")
                == ["401 invalid_grant", "400 invalid_grant"]
        )
    }

    @Test("an app that joined, by its own leave; the session goes on") func leave() async throws {
        let site = try await Self.site()
        let session = try await Self.session(site)
        let guest = try await site.send(Self.exchange(session, for: "invest", site), at: 1)
        #expect(guest.status == 200)
        try await Self.end(guest.member("refresh_token"), site)
        #expect(
            try await site.uses(of: guest, "invest")
                == ["401 invalid_grant", "400 invalid_grant"]
        )
        #expect(try await site.uses(of: session, "app") == ["200", "200"])
    }

    @Test("a biometric key, and the session it opened, by the key's removal") func key()
        async throws
    {
        let site = try await Self.site()
        let user = try await BiometricUser.enrolled(at: site)
        let login = try await site.send(try await user.login(), at: 1)
        #expect(login.status == 200)
        let next = try await user.login()
        #expect(try await site.send(user.removal(), at: 0).status == 200)
        let refused = try await site.send(next, at: 1)
        #expect(refused.outcome == "400 invalid_grant")
        #expect(refused.member("error_description") == "InvalidCredentials")
        #expect(
            try await site.uses(of: login, "app")
                == ["401 invalid_grant", "400 invalid_grant"]
        )
    }

    @Test("a code by which a web client would come into an app's session, by that one's end")
    func continuing() async throws {
        let site = try await Self.site()
        let session = try await Self.session(site)
        let url = try await site.send(
            Self.exchange(session, for: "offers", site, type: GrantForm.urlType),
            at: 1
        )
        var browser = site.browser(at: 1)
        let open = WireRequest.open(
            url: url.member("access_token"),
            hint: url.member("id_token")
        )
        #expect(try await browser.send("GET", open.target).status == 303)
        let signIn = SignIn(
            mailPage: site.mailPage,
            client: "offers",
            scope: "openid offline_access",
            email: ""
        )
        let code = try await signIn.code(&browser)
        try await Self.end(session.member("refresh_token"), site)
        let redeemed = try await site.token(GrantForm.code(code, of: "offers"), at: 1)
        #expect(redeemed.outcome == "400 invalid_grant")
    }
}
