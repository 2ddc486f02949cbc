import Foundation
import TestSupport
import Testing

/// What a pre-authenticated URL leaves in a browser that knows us by https, and for how long
/// (Security 4.8; WireContract 4.4 and 8.1).
@Suite("Cookies of opened URLs", .timeLimit(.minutes(3))) struct PermanentCookieTests {
    private static let hour = 3600
    private static let life = 600

    /// A session of an hour, a web client whose tokens live for less, and one whose would for
    /// more.
    private static func project() async throws -> TestProject {
        let project = try await TestProject.named("secure", scheme: "https")
        let lines = [
            ("      name: App\n", "      refresh_token_lifetime_seconds: \(hour)\n"),
            (
                "      name: Web pages that the app opens\n",
                "      access_token_lifetime_seconds: \(life)\n"
            ),
            (
                "      name: Other web pages that the app opens\n",
                "      access_token_lifetime_seconds: \(hour)\n"
            ),
        ]
        for (line, more) in lines { try await project.change(line, to: line + more) }
        return project
    }

    private static func ask(_ pair: WireAnswer, for client: String, _ site: Site)
        async throws -> WireAnswer
    {
        let answer = try await site.token(
            GrantForm.exchange(
                pair.member("id_token"),
                pair.member("device_secret"),
                for: client,
                at: site,
                type: GrantForm.urlType
            )
        )
        #expect(answer.status == 200, "\(answer.text)")
        return answer
    }

    private static func claims(_ token: some StringProtocol) throws -> [String: Any] {
        try #require(WireAnswer(decoding: String(token))?.object("claims"))
    }

    /// The token of the web server's cookie, once both cookies are as they must be.
    private static func opened(_ request: WireRequest, _ site: Site) async throws -> String {
        let answer = try await site.send(request)
        #expect(answer.status == 303, "\(answer.text)")
        let cookies = answer.headers.filter { $0.name == "set-cookie" }.map { header in
            header.value.components(separatedBy: "; ")
        }
        // Neither stays when the browser is closed; the second one is of this host alone.
        let common = ["Secure", "HttpOnly", "SameSite=Lax"]
        try #require(cookies.count == 2, "\(cookies)")
        #expect(Array(cookies[0].dropFirst()) == ["Path=/", "Domain=\(site.host)"] + common)
        #expect(Array(cookies[1].dropFirst()) == ["Path=/"] + common)
        #expect(cookies[1][0].hasPrefix("__Host-chancery_app_session="))
        let name = "\(TestProject.cookiePrefix)app_access_token="
        try #require(cookies[0][0].hasPrefix(name), "\(cookies[0])")
        return String(cookies[0][0].dropFirst(name.count))
    }

    @Test("attack: permanent cookie: its token lives as its client's do, and not past the session")
    func permanent() async throws {
        let project = try await Self.project()
        let site = project.site
        var person = Person(at: site)
        let session = try await person.session(scope: Person.everything)
        let access = try Self.claims(session.member("access_token") ?? "")
        let end = try #require(access["iat"] as? Int) + Self.hour
        try await Task.sleep(for: .seconds(3))
        let url = try await Self.ask(session, for: "offers", site)
        let opening = WireRequest.open(
            url: url.member("access_token"),
            hint: url.member("id_token")
        )
        let short = try Self.claims(try await Self.opened(opening, site))
        let begun = try #require(short["iat"] as? Int)
        #expect(short["exp"] as? Int == begun + Self.life, "\(short)")
        #expect(short["aud"] as? [String] == ["offers"])
        let next = try await Self.ask(url, for: "shop", site)
        var atShop = WireRequest.open(
            url: next.member("access_token"),
            hint: next.member("id_token")
        )
        atShop.target = atShop.target.replacing("client_id=offers", with: "client_id=shop")
            .replacing(
                SignIn.escaped("https://offers.demo.example/deals"),
                with: SignIn.escaped(SignIn.redirectURIs["shop"] ?? "")
            )
        let long = try Self.claims(try await Self.opened(atShop, site))
        // The session is a moment older than its first access token.
        #expect(end - 1...end ~= long["exp"] as? Int ?? .max, "\(long), not \(end)")
        #expect(end < (long["iat"] as? Int ?? 0) + Self.hour)
        #expect(long["aud"] as? [String] == ["shop"])
    }

    @Test("attack: another project sends our web clients a token of its own by our cookie's name")
    func shared() async throws {
        let project = try await TestProject.named("cookies")
        // That of the demo, whose domain is above this one.
        let part = "cookie_prefix: \(TestProject.cookiePrefix)"
        let answer = try await project.changing(part, to: #"cookie_prefix: """#)
        #expect(answer.status == 409, "\(answer.text)")
        #expect(answer.text.contains("app_access_token at localhost is project "))
        #expect(answer.text.contains("set another prefix"))
    }
}
