import Foundation
import TestSupport
import Testing

/// Attacks on a client that lets no device approve so easily, by way of one that does
/// (Security 4.6; decision 0240).
///
/// One test at a time: each counts what the log of its project gains.
@Suite("Attacks by way of a lax client", .serialized, .timeLimit(.minutes(3)))
struct LaxClientAttackTests {
    private static func target(_ client: String, _ more: GrantForm.Fields = []) -> String {
        let fields =
            [
                ("client_id", client), ("redirect_uri", SignIn.redirectURIs[client] ?? ""),
                ("response_type", "code"), ("scope", "openid offline_access"),
                ("code_challenge", SignIn.challenge), ("code_challenge_method", "S256"),
            ] + more
        return "/oauth2/authorize?\(SignIn.form(fields))"
    }

    /// Where the browser is led by a request of each client: to a login, or to go on as who it is.
    private static func ways(_ browser: inout Browser) async throws -> [String] {
        var ways: [String] = []
        for client in ["loose", "confirming", "denying"] {
            let answer = try await browser.send("GET", target(client))
            ways.append(answer["location"]?.components(separatedBy: "?").first ?? answer.text)
        }
        return ways
    }

    @Test("attack: a sign-in that a victim approved for a lax client is taken to a strict one")
    func browser() async throws {
        let site = try await TestProject.named("lax").site
        // The thief asks, and the victim taps the link on a device of their own.
        var thief = Person(at: site)
        _ = try await thief.code("app")
        var browser = thief.browser
        #expect(try await Self.ways(&browser) == ["/continue", "/login", "/login"])
        for client in ["confirming", "denying"] {
            let silent = try await browser.send("GET", Self.target(client, [("prompt", "none")]))
            let said = silent["location"] ?? silent.text
            #expect(said.contains("error=login_required"), "\(client): \(said)")
        }
    }

    @Test("a sign-in that was approved in the browser that asked counts at every client")
    func owner() async throws {
        let site = try await TestProject.named("lax").site
        let email = "lax-\(UUID().uuidString.prefix(12).lowercased())@example.com"
        var login = try await LoginPage(at: site.origin, host: site.authority, email: email)
        let mail = try await MailBox(page: site.mailPage).newestLink(to: email)
        let link = String(mail.dropFirst(site.origin.count))
        let way = try await login.browser.send("GET", link)["location"] ?? ""
        let page = try await login.browser.send("GET", way)
        let pressed = try await login.browser.post(
            "/flows/verify_login_link",
            [
                ("token", SignIn.field("token", page)),
                ("form_token", SignIn.field("form_token", page)), ("action", "approve"),
            ]
        )
        #expect(pressed.status == 303, "\(pressed.text)")
        let waiting = try await login.browser.send("GET", "/login/wait?tx=\(login.tx)")
        let done = try await login.browser.post(
            "/login/complete",
            [("tx", login.tx), ("form_token", SignIn.field("form_token", waiting))]
        )
        #expect(done["location"]?.contains("code=ac_") == true, "\(done.text)")
        let ways = try await Self.ways(&login.browser)
        #expect(ways == ["/continue", "/continue", "/continue"])
    }

    @Test("attack: the thief's app hands such a sign-in on to an app, or pages, that want more")
    func handedOn() async throws {
        let project = try await TestProject.named("lax")
        let site = project.site
        let policy = "x_login_link_cross_device_approval: deny"
        for name in ["name: Target, and guest", "name: Web pages that the app opens"] {
            try await project.change(name, to: "\(name)\n      \(policy)")
        }
        let phone = try PhoneKey("ES256")
        var thief = Person(at: site)
        let shared = try await thief.session(scope: Person.everything)
        let owner = try await thief.session(on: phone)
        func exchange(_ client: String, type: String = "") -> GrantForm.Fields {
            GrantForm.exchange(
                shared.member("id_token"),
                shared.member("device_secret"),
                for: client,
                at: site,
                type: type
            )
        }
        let jwt = try await site.signed(by: phone, .app2app)
        try await project.refuse(
            [
                ("Native SSO", exchange("invest")),
                ("a pre-authenticated URL", exchange("offers", type: GrantForm.urlType)),
                ("app2app", GrantForm.app2app(owner.member("refresh_token"), jwt)),
            ],
            as: "400 unauthorized_client"
        )
        // At clients that any device's approval is enough for it is as ever.
        let other = try await site.token(exchange("open-guest"))
        #expect(other.status == 200, "\(other.text)")
    }
}
