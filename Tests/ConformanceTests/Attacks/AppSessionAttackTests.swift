import TestSupport
import Testing

/// Attacks on the tokens by which an app opens our own pages in a browser (Security 4.8;
/// WireContract 4.4, steps a and d, and 9.6).
///
/// One test at a time: each counts what the log of its project gains.
@Suite("Attacks on app-session tokens", .serialized, .timeLimit(.minutes(3)))
struct AppSessionAttackTests {
    private static func project() async throws -> TestProject {
        try await TestProject.named("pages")
    }

    /// An app's token for its user's browser.
    private static func token(_ session: WireAnswer, _ site: Site) async throws -> String {
        let answer = try await site.send(.appSession(session.member("refresh_token")))
        return try #require(answer.result("app_session_token"), "\(answer.text)")
    }

    /// The cookies of a browser without any, once it has opened that.
    private static func cookies(of opening: WireRequest, _ site: Site) async throws -> String {
        var browser = site.browser()
        _ = try await browser.send("GET", opening.target)
        return try #require(browser.jar.header)
    }

    private static func opening(_ token: String, _ site: Site, _ cookies: String? = nil)
        -> WireRequest
    {
        var request = WireRequest.open(settingsOf: site, token)
        request.headers = cookies.map { [(name: "Cookie", value: $0)] } ?? []
        return request
    }

    @Test(
        "attack: a victim's browser, which is signed in or let in, is led to the attacker's pages"
    )
    func victim() async throws {
        let project = try await Self.project()
        let site = project.site
        var victim = Person(at: site)
        let own = try await victim.session(scope: Person.everything)
        let url = try await site.token(
            GrantForm.exchange(
                own.member("id_token"),
                own.member("device_secret"),
                for: "offers",
                at: site,
                type: GrantForm.urlType
            )
        )
        let web = WireRequest.open(url: url.member("access_token"), hint: url.member("id_token"))
        let pages = Self.opening(try await Self.token(own, site), site)
        let browsers = [
            ("signed in", try #require(victim.browser.jar.header)),
            ("let in by a token of the victim's", try await Self.cookies(of: pages, site)),
            ("let in by a URL of the victim's", try await Self.cookies(of: web, site)),
        ]
        var thief = Person(at: site)
        let session = try await thief.session(scope: Person.everything)
        let token = try await Self.token(session, site)
        let victims = try #require(own.claim("sid", of: "access_token"))
        let thiefs = try #require(session.claim("sid", of: "access_token"))
        try await project.refuse(
            openings: browsers.map { ($0.0, Self.opening(token, site, $0.1)) },
            as: "/settings?error=interaction_required&"
        )
        for (sentence, cookies) in browsers.prefix(2) {
            let page = try await site.send(WireRequest("GET", "/settings", [("Cookie", cookies)]))
            #expect(page.status == 200, "\(sentence): \(page.text)")
            // Addresses are masked there; sessions are named by their buttons.
            #expect(page.text.contains("value=\"\(victims)\""), "\(sentence): \(page.text)")
            #expect(!page.text.contains(thiefs), "\(sentence)")
        }
        // Its own user's browser is let in, and one that is nobody's.
        let mine = try #require(thief.browser.jar.header)
        let second = try await Self.token(session, site)
        for good in [Self.opening(token, site), Self.opening(second, site, mine)] {
            let opened = try await site.send(good)
            #expect(opened["set-cookie"]?.contains("chancery_settings=") == true, "\(opened.text)")
        }
    }

    @Test("attack: a token by another client, altered, of another kind, or opened twice")
    func wrong() async throws {
        let project = try await Self.project()
        let site = project.site
        var person = Person(at: site)
        let session = try await person.session(scope: Person.everything)
        let guest = try await site.token(
            GrantForm.exchange(
                session.member("id_token"),
                session.member("device_secret"),
                for: "invest",
                at: site
            )
        )
        #expect(guest.status == 200, "\(guest.text)")
        let token = try await Self.token(session, site)
        let good = Self.opening(token, site)
        func by(_ client: String) -> WireRequest {
            var request = good
            request.target = good.target.replacing("client_id=app", with: "client_id=\(client)")
            return request
        }
        func altered(_ place: Int) -> WireRequest {
            var letters = Array(token)
            letters[place] = letters[place] == "A" ? "B" : "A"
            return Self.opening(String(letters), site)
        }
        let refused: [(sentence: String, request: WireRequest)] = [
            ("by another client", by("loose")), ("by a guest of the session", by("invest")),
            ("of another session", altered(3)), ("that is good for longer", altered(27)),
            ("with another MAC", altered(token.count - 8)),
            ("that is cut", Self.opening(String(token.dropLast()), site)),
            ("a refresh token", Self.opening(session.member("refresh_token") ?? "", site)),
            ("a device secret", Self.opening(session.member("device_secret") ?? "", site)),
        ]
        try await project.refuse(openings: refused, as: "/settings?error=login_required&")
        let opened = try await site.send(good)
        #expect(opened["set-cookie"]?.contains("chancery_settings=") == true, "\(opened.text)")
        try await project.refuse(
            openings: [("again", good)],
            as: "/settings?error=login_required&"
        )
    }

    @Test("attack: a browser, or a scanner of mails, loads the app's way into our pages ahead")
    func ahead() async throws {
        let project = try await Self.project()
        let site = project.site
        var person = Person(at: site)
        let session = try await person.session(scope: Person.everything)
        let good = Self.opening(try await Self.token(session, site), site)
        var head = good
        head.method = "HEAD"
        var requests: [(sentence: String, request: WireRequest)] = [("HEAD", head)]
        for (name, value) in [
            ("Sec-Purpose", "prefetch"), ("Sec-Purpose", "prefetch;prerender"),
            ("Purpose", "prefetch"), ("X-Moz", "prefetch"),
        ] {
            var request = good
            request.headers = [(name, value)]
            requests.append(("\(name): \(value)", request))
        }
        try await project.refuse(openings: requests, as: "204")
        let opened = try await site.send(good)
        #expect(opened["set-cookie"]?.contains("chancery_settings=") == true, "\(opened.text)")
    }

    @Test("attack: a token whose session has ended before it is opened") func ended() async throws {
        let project = try await Self.project()
        let site = project.site
        var person = Person(at: site)
        let session = try await person.session(scope: Person.everything)
        let opening = Self.opening(try await Self.token(session, site), site)
        let revoked = try await site.send(.revoke(session.member("refresh_token")), at: 0)
        #expect(revoked.status == 200)
        try await project.refuse(
            openings: [("of a session that has ended", opening)],
            as: "/settings?error=login_required&"
        )
        let asking = WireRequest.appSession(session.member("refresh_token"))
        try await project.refuse(requests: [("one more", asking)], as: "403 InvalidGrant")
    }
}
