import Foundation
import TestSupport
import Testing

/// Attacks on pre-authenticated URLs with parts of several of them (Security 4.8; WireContract 4.4
/// and 5.7).
///
/// One test at a time: each counts what the log of its project gains.
@Suite("Attacks on URLs", .serialized, .timeLimit(.minutes(3))) struct OpenedURLTests {
    private static func project() async throws -> TestProject {
        try await TestProject.named("urls")
    }

    private static func ask(
        _ session: WireAnswer,
        for client: String = "offers",
        _ site: Site,
        _ more: GrantForm.Fields = []
    ) async throws -> WireAnswer {
        try await site.token(form(session, for: client, site) + more)
    }

    private static func form(
        _ session: WireAnswer,
        for client: String = "offers",
        _ site: Site
    ) -> GrantForm.Fields {
        GrantForm.exchange(
            session.member("id_token"),
            session.member("device_secret"),
            for: client,
            at: site,
            type: GrantForm.urlType
        )
    }

    private static func opening(_ url: WireAnswer, hint: WireAnswer? = nil) -> WireRequest {
        .open(url: url.member("access_token"), hint: (hint ?? url).member("id_token"))
    }

    private static func refuse(
        _ requests: [(sentence: String, request: WireRequest)],
        _ project: TestProject,
        as expected: String = "error=invalid_request&"
    ) async throws {
        try await project.refuse(openings: requests, as: expected)
    }

    @Test("attack: a URL of another client, with another session's hint, or with a guessed secret")
    func mixed() async throws {
        let project = try await Self.project()
        let site = project.site
        var person = Person(at: site)
        let first = try await person.session(scope: Person.everything)
        let second = try await person.session(scope: Person.everything)
        // Both web clients are known in the first session before the second one's URL is made.
        let shop = try await Self.ask(first, for: "shop", site)
        #expect(shop.status == 200, "\(shop.text)")
        let hint = try await Self.ask(second, for: "shop", site)
        let known = try await Self.ask(shop, site)
        #expect(hint.status == 200 && known.status == 200)
        let url = try await Self.ask(hint, site)
        #expect(url.status == 200, "\(url.text)")
        let good = Self.opening(url)
        var atShop = good
        atShop.target = good.target.replacing("client_id=offers", with: "client_id=shop")
            .replacing(
                SignIn.escaped("https://offers.demo.example/deals"),
                with: SignIn.escaped(SignIn.redirectURIs["shop"] ?? "")
            )
        let token = try #require(url.member("access_token"))
        let letter = token.dropLast(11).hasSuffix("A") ? "B" : "A"
        let guessed = WireRequest.open(
            url: "\(token.dropLast(12))\(letter)\(token.suffix(11))",
            hint: url.member("id_token")
        )
        try await Self.refuse(
            [
                ("another client", atShop), ("another session", Self.opening(url, hint: known)),
                ("a guessed secret", guessed),
            ],
            project
        )
        #expect(try await site.send(good)["set-cookie"] != nil)
    }

    @Test("attack: a URL from before its web client left the session, which has come back since")
    func former() async throws {
        let project = try await Self.project()
        let site = project.site
        var person = Person(at: site)
        let session = try await person.session(scope: Person.everything)
        let url = try await Self.ask(session, site)
        let revoked = try await site.send(.revoke(url.member("device_secret")), at: 0)
        #expect(revoked.status == 200)
        let root = try await site.token(GrantForm.refresh(session.member("refresh_token")))
        let next = try await Self.ask(root, site)
        #expect(next.status == 200, "\(next.text)")
        try await Self.refuse([("the former URL", Self.opening(url))], project)
        #expect(try await site.send(Self.opening(next))["set-cookie"] != nil)
    }

    @Test("attack: a URL, or who asks for one, wants more than its session or its clients may have")
    func scope() async throws {
        let project = try await Self.project()
        let site = project.site
        var person = Person(at: site)
        let session = try await person.session(scope: Person.everything)
        let wide = Self.form(session, for: "shop", site) + [("scope", "openid offline_access")]
        try await project.refuse([("than its client may", wide)], as: "400 invalid_scope")
        let url = try await Self.ask(session, site, [("scope", "openid")])
        var request = Self.opening(url)
        request.target += "&scope=openid%20offline_access"
        try await Self.refuse(
            [("more than it was for", request)],
            project,
            as: "error=invalid_scope&"
        )
        let plain = try await person.session(scope: "openid offline_access device_sso")
        let narrow = Self.form(plain, site)
        try await project.refuse([("than its session", narrow)], as: "400 insufficient_scope")
        let phone = try PhoneKey("ES256")
        let bound = try await person.session(
            "bound",
            scope: "openid offline_access device_sso",
            proof: try site.proof(by: phone)
        )
        try await project.refuse(
            [("an app without URLs", Self.form(bound, site))],
            as: "400 unauthorized_client",
            proof: try site.proof(by: phone)
        )
    }

    @Test("attack: a URL that asks for a page, a login, or its token in the address")
    func parameters() async throws {
        let project = try await Self.project()
        let site = project.site
        var person = Person(at: site)
        let session = try await person.session(scope: Person.everything)
        let good = Self.opening(try await Self.ask(session, site))
        func changed(_ part: String, _ other: String) -> WireRequest {
            var request = good
            request.target = good.target.replacing(part, with: other)
            return request
        }
        try await Self.refuse(
            [
                ("a login", changed("prompt=none", "prompt=login")),
                ("no prompt", changed("prompt=none", "prompt=")),
                ("a fresh login", changed("prompt=none", "prompt=none&max_age=0")),
                ("a query", changed("response_mode=cookie", "response_mode=query")),
                ("a fragment", changed("response_mode=cookie", "response_mode=fragment")),
            ],
            project
        )
        #expect(try await site.send(good)["set-cookie"] != nil)
    }

    @Test("attack: a browser that one user's app has opened is led into another's account")
    func opened() async throws {
        let project = try await Self.project()
        let site = project.site
        var victim = Person(at: site)
        let own = try await Self.ask(
            try await victim.session(scope: Person.everything),
            site
        )
        var browser = site.browser()
        _ = try await browser.send("GET", Self.opening(own).target)
        var thief = Person(at: site)
        let url = try await Self.ask(try await thief.session(scope: Person.everything), site)
        var request = Self.opening(url)
        request.headers = [("Cookie", try #require(browser.jar.header))]
        try await Self.refuse(
            [("the victim's", request)],
            project,
            as: "error=interaction_required&"
        )
        #expect(try await site.send(Self.opening(url))["set-cookie"] != nil)
    }

    @Test("attack: a URL of an app that was disabled since") func disabled() async throws {
        let project = try await TestProject.named("closing")
        let site = project.site
        var person = Person(at: site)
        let session = try await person.session(scope: Person.everything)
        let good = Self.opening(try await Self.ask(session, site))
        let name = "- client_id: app\n"
        try await project.change(name, to: "\(name)      enabled: false\n")
        try await Self.refuse([("of a disabled app", good)], project)
        try await project.change("      enabled: false\n", to: "")
        #expect(try await site.send(good)["set-cookie"] != nil)
    }

    @Test("attack: the token of the web server's cookie at our own routes") func cookie()
        async throws
    {
        let project = try await Self.project()
        let site = project.site
        var person = Person(at: site)
        let session = try await person.session(scope: Person.everything)
        let token = try await Self.cookie(of: Self.ask(session, site), site)
        let claims = try #require(WireAnswer(decoding: token)?.object("claims"))
        #expect(claims["aud"] as? [String] == ["offers"])
        #expect(claims["client_id"] as? String == "offers")
        let form = SignIn.form([
            ("grant_type", "urn:authgear:params:oauth:grant-type:id-token"),
            ("client_id", "offers"),
        ])
        try await project.refuse(
            requests: [
                ("who the user is", .bearing(token)),
                ("an id token", .bearing(token, "POST", "/oauth2/token", form)),
            ],
            as: "401 invalid_token"
        )
        try await project.refuse(
            requests: ["/api/v1/sessions", "/api/v1/biometric_keys"].map { path in
                (path, .bearing(token, "GET", path))
            },
            as: "401 Unauthenticated"
        )
    }

    @Test("the id token beside a URL says nothing of the user, whatever the session may ask for")
    func silent() async throws {
        let site = try await Self.project().site
        var person = Person(at: site)
        let session = try await person.session(scope: "\(Person.everything) email profile")
        let url = try await Self.ask(session, site)
        let said = WireAnswer(decoding: url.member("id_token") ?? "")
        let claims = try #require(said?.object("claims"))
        #expect(claims["aud"] as? String == "offers")
        let same = ["is_anonymous", "is_verified", "can_reauthenticate", "roles"].map {
            "https://authgear.com/claims/user/\($0)"
        }
        let known = [
            "iss", "sub", "aud", "iat", "exp", "auth_time", "acr", "amr", "sid", "ds_hash",
        ]
        #expect(Set(claims.keys) == Set(known + same))
    }

    @Test("the token of the web server's cookie ends with the app's session, at all nodes")
    func ended() async throws {
        let project = try await Self.project()
        let site = project.site
        var person = Person(at: site)
        let session = try await person.session(scope: Person.everything)
        let token = try await Self.cookie(of: Self.ask(session, site), site)
        #expect(try await Self.isActive(token, project) == [true, true])
        let revoked = try await site.send(.revoke(session.member("refresh_token")), at: 0)
        #expect(revoked.status == 200)
        #expect(try await Self.isActive(token, project) == [false, false])
    }

    /// The access token that opening a URL leaves for the web server.
    private static func cookie(of url: WireAnswer, _ site: Site) async throws -> String {
        let opened = try await site.send(opening(url))
        let name = "app_access_token="
        let cookie = opened.headers.first { $0.name == "set-cookie" && $0.value.contains(name) }
        let value = try #require(cookie?.value.components(separatedBy: name).last)
        return String(value.prefix { $0 != ";" })
    }

    /// What the nodes tell the service that asks for the web server's cookies.
    private static func isActive(_ token: String, _ project: TestProject) async throws -> [Bool] {
        var answers: [Bool] = []
        for node in project.site.nodes.indices {
            let asked = try project.assertionForm("service") + [("token", token)]
            let answer = try await project.site.send(
                WireRequest("POST", "/oauth2/introspect", [], SignIn.form(asked)),
                at: node
            )
            #expect(answer.status == 200, "\(answer.text)")
            answers.append(answer.text.contains(#""active":true"#))
        }
        return answers
    }
}
