import TestSupport
import Testing

/// Attacks on what one app hands to another, or to a browser (Security 4.8 and 4.9).
///
/// One test at a time: each counts what the log of its project gains.
@Suite("Attacks on sharing", .serialized, .timeLimit(.minutes(3))) struct SharingAttackTests {
    private static func project() async throws -> TestProject {
        try await TestProject.named("sharing")
    }

    private static func session(_ site: Site) async throws -> WireAnswer {
        var person = Person(at: site)
        return try await person.session(scope: Person.everything)
    }

    private static func form(
        _ session: WireAnswer,
        for client: String,
        _ site: Site,
        url: Bool = false
    ) -> GrantForm.Fields {
        GrantForm.exchange(
            session.member("id_token"),
            session.member("device_secret"),
            for: client,
            at: site,
            type: url ? GrantForm.urlType : ""
        )
    }

    /// A URL's token and its hint.
    private static func url(_ session: WireAnswer, _ site: Site) async throws -> WireAnswer {
        let answer = try await site.token(form(session, for: "offers", site, url: true))
        try #require(answer.status == 200, "\(answer.text)")
        return answer
    }

    private static func refuse(
        _ requests: [(sentence: String, request: WireRequest)],
        _ expected: String,
        _ project: TestProject
    ) async throws {
        try await project.refuse(openings: requests, as: expected)
    }

    @Test("attack: a URL that leaked, without all that belongs to it; its own browser is let in")
    func leaked() async throws {
        let project = try await Self.project()
        let site = project.site
        let session = try await Self.session(site)
        let url = try await Self.url(session, site)
        let token = url.member("access_token")
        let hint = url.member("id_token")
        let stranger = try await Self.url(try await Self.session(site), site)
        let good = WireRequest.open(url: token, hint: hint)
        func changed(_ part: String, _ other: String) -> WireRequest {
            var request = good
            request.target = good.target.replacing(part, with: other)
            return request
        }
        try await Self.refuse(
            [
                ("another user's hint", .open(url: token, hint: stranger.member("id_token"))),
                ("no hint", .open(url: token, hint: nil)),
                ("made up", .open(url: MadeUpToken.text("pt", of: Self.sid(session)), hint: hint)),
                ("the device secret", .open(url: session.member("device_secret"), hint: hint)),
            ],
            "error=invalid_request&",
            project
        )
        try await Self.refuse(
            [
                ("an origin that is not listed", changed("offers.demo.example", "evil.example")),
                ("a sibling", changed("offers.demo.example", "x.offers.demo.example")),
                ("its name ahead", changed("demo.example%2F", "demo.example.evil.example%2F")),
                (
                    "a user before the host",
                    changed("%2F%2Foffers", "%2F%2Foffers.demo.example%40x")
                ),
                ("plain http", changed("https%3A", "http%3A")),
                ("an upper-case host", changed("offers.demo.example", "Offers.demo.example")),
                ("a port", changed("example%2Fdeals", "example%3A8443%2Fdeals")),
                ("the default port", changed("example%2Fdeals", "example%3A443%2Fdeals")),
                ("a dot behind the host", changed("example%2Fdeals", "example.%2Fdeals")),
                ("a backslash", changed("example%2Fdeals", "example%5Cdeals")),
                ("no client", changed("client_id=offers", "client_id=nobody")),
            ],
            "400",
            project
        )
        let opened = try await site.send(good, at: 1)
        #expect(opened["set-cookie"] != nil, "\(opened.text)")
        try await Self.refuse([("again", good)], "error=invalid_request&", project)
    }

    private static func sid(_ session: WireAnswer) -> String {
        session.claim("sid", of: "id_token") ?? ""
    }

    @Test("attack: a victim's browser is led into the attacker's account") func victim()
        async throws
    {
        let project = try await Self.project()
        let site = project.site
        let url = try await Self.url(try await Self.session(site), site)
        let good = WireRequest.open(
            url: url.member("access_token"),
            hint: url.member("id_token")
        )
        var victim = Person(at: site)
        _ = try await victim.code()
        var signedIn = good
        signedIn.headers = [("Cookie", try #require(victim.browser.jar.header))]
        var requests = [("who is signed in as itself", signedIn)]
        for from in ["cross-site", "same-site", "nonsense", ""] {
            var request = good
            request.headers = [("Sec-Fetch-Site", from)]
            requests.append(("a page that is \(from)", request))
        }
        try await Self.refuse(
            requests.map { (sentence: $0.0, request: $0.1) },
            "error=interaction_required&",
            project
        )
        #expect(try await site.send(good)["set-cookie"] != nil)
    }

    @Test("attack: a browser, or a scanner of mails, loads a URL ahead") func prefetch()
        async throws
    {
        let project = try await Self.project()
        let site = project.site
        let url = try await Self.url(try await Self.session(site), site)
        let good = WireRequest.open(
            url: url.member("access_token"),
            hint: url.member("id_token")
        )
        var requests: [(sentence: String, request: WireRequest)] = []
        for (name, value) in [
            ("Sec-Purpose", "prefetch"), ("Sec-Purpose", "prefetch;prerender"),
            ("Purpose", "prefetch"), ("X-Moz", "prefetch"),
        ] {
            var request = good
            request.headers = [(name, value)]
            requests.append(("\(name): \(value)", request))
        }
        var head = good
        head.method = "HEAD"
        requests.append(("HEAD", head))
        try await Self.refuse(requests, "204", project)
        #expect(try await site.send(good)["set-cookie"] != nil)
    }

    @Test("attack: a URL, or an id token, of a session that has ended") func ended() async throws {
        let project = try await Self.project()
        let site = project.site
        let session = try await Self.session(site)
        let url = try await Self.url(session, site)
        let revoked = try await site.send(.revoke(session.member("refresh_token")), at: 0)
        #expect(revoked.status == 200)
        try await Self.refuse(
            [
                (
                    "the URL",
                    .open(url: url.member("access_token"), hint: url.member("id_token"))
                )
            ],
            "error=invalid_request&",
            project
        )
        let race = try Race(at: project)
        for client in ["invest", "offers"] {
            let form = Self.form(session, for: client, site, url: client == "offers")
            let answer = try await site.token(form, at: 1)
            #expect(answer.outcome == "400 invalid_grant", "\(client): \(answer.text)")
        }
        #expect(try race.events() == [:])
    }

    @Test("attack: a URL is asked for, or opened, by a client that has not opted in")
    func closed() async throws {
        let project = try await Self.project()
        let site = project.site
        let url = try await Self.url(try await Self.session(site), site)
        let good = WireRequest.open(url: url.member("access_token"), hint: url.member("id_token"))
        let address = SignIn.escaped("https://offers.demo.example/deals")
        let openings = ["invest", "desk"].map { client in
            var request = good
            request.target = good.target.replacing("client_id=offers", with: "client_id=\(client)")
                .replacing(address, with: SignIn.escaped(SignIn.redirectURIs[client] ?? ""))
            return (sentence: client, request: request)
        }
        try await Self.refuse(openings, "error=unauthorized_client&", project)
        let asking = Self.form(url, for: "invest", site, url: true)
        try await project.refuse([("invest asks", asking)], as: "400 unauthorized_client")
        #expect(try await site.send(good)["set-cookie"] != nil)
    }

    @Test("attack: a subject token of another kind, a parameter that is missing or wrong")
    func exchanges() async throws {
        let project = try await Self.project()
        let site = project.site
        let session = try await Self.session(site)
        let good = Self.form(session, for: "invest", site)
        func with(_ name: String, _ value: String) -> GrantForm.Fields {
            good.map { $0.0 == name ? (name, value) : $0 }
        }
        let rows = [
            (with("subject_token", session.member("access_token") ?? ""), "invalid_request"),
            (with("subject_token", session.member("device_secret") ?? ""), "invalid_request"),
            (with("subject_token_type", "urn:ietf:params:oauth:token-type:jwt"), "invalid_request"),
            (
                with("requested_token_type", "urn:ietf:params:oauth:token-type:saml2"),
                "invalid_request"
            ),
            (
                with("actor_token_type", "urn:ietf:params:oauth:token-type:access_token"),
                "invalid_request"
            ),
            (with("actor_token", session.member("refresh_token") ?? ""), "invalid_grant"),
            (
                with("actor_token", MadeUpToken.text("ds", of: Self.sid(session)) ?? ""),
                "invalid_grant"
            ),
            (with("audience", "https://auth.example.org"), "invalid_target"),
            (with("client_id", "loose"), "unauthorized_client"),
            (good + [("scope", "payments.write")], "invalid_scope"),
        ]
        let required = [
            "audience", "subject_token", "subject_token_type", "actor_token", "actor_token_type",
        ]
        let race = try Race(at: project)
        for (form, error) in rows + required.map({ (with($0, ""), "invalid_request") }) {
            for node in site.nodes.indices {
                let answer = try await site.token(form, at: node)
                #expect(answer.outcome == "400 \(error)", "\(form): \(answer.text)")
            }
        }
        #expect(try race.events() == [:])
        #expect(try await site.token(good).status == 200)
    }

    @Test("attack: an app of another group joins a session, or lets an app of ours into its own")
    func otherGroup() async throws {
        let project = try await Self.project()
        let site = project.site
        let session = try await Self.session(site)
        var person = Person(at: site)
        let scope = "openid offline_access device_sso"
        let foreign = try await person.session("stranger", scope: scope)
        #expect(foreign.member("device_secret") != nil)
        let guest = try await site.token(Self.form(session, for: "invest", site))
        #expect(guest.status == 200, "\(guest.text)")
        let byGuest = GrantForm.exchange(
            guest.member("id_token"),
            guest.member("device_secret"),
            for: "stranger",
            at: site
        )
        try await project.refuse(
            [
                ("a stranger", Self.form(session, for: "stranger", site)),
                ("a stranger, on a guest's word", byGuest),
                (
                    "a stranger that asks for little",
                    Self.form(session, for: "stranger", site) + [("scope", "openid")]
                ),
                ("the stranger's session", Self.form(foreign, for: "invest", site)),
            ],
            as: "400 unauthorized_client"
        )
        // It refuses no more than that.
        #expect(try await site.token(Self.form(session, for: "invest", site)).status == 200)
        let own = GrantForm.refresh(foreign.member("refresh_token"), of: "stranger")
        #expect(try await site.token(own).status == 200)
    }
}
