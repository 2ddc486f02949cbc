import Foundation
import TestSupport
import Testing

/// What is good for a moment comes when that is over (Security 4.1, 4.3, 4.8 and 4.9).
///
/// One test at a time: each counts what the log of its project gains.
@Suite("Attacks that come late", .serialized, .timeLimit(.minutes(4))) struct LateTests {
    @Test("attack: what was good for a minute comes later: a challenge, code, secret, URL or token")
    func minute() async throws {
        let project = try await TestProject.named("late")
        let site = project.site
        try await project.change(
            "  dpop_nonce: false",
            to: """
                  dpop_nonce: false
                  authorization_code_lifetime_seconds: 30
                  challenge_lifetime_seconds: 60
                  pre_authenticated_url_token_lifetime_seconds: 30
                  request_uri_lifetime_seconds: 30
                """
        )
        let phone = try PhoneKey("ES256")
        var person = Person(at: site)
        let owner = try await person.session(on: phone).member("refresh_token")
        let user = try await BiometricUser.enrolled(at: site)
        let session = user.session
        func exchange(_ client: String, type: String = "") -> GrantForm.Fields {
            GrantForm.exchange(
                session.member("id_token"),
                session.member("device_secret"),
                for: client,
                at: site,
                type: type
            )
        }
        // The device gets a new secret with it.
        let url = try await site.token(exchange("offers", type: GrantForm.urlType))
        let opening = WireRequest.open(
            url: url.member("access_token"),
            hint: url.member("id_token")
        )
        let approval = GrantForm.app2app(owner, try await site.signed(by: phone, .app2app))
        let login = try await user.login()
        let setup = try await user.setup(try PhoneKey("ES256"), UUID().uuidString)
        let pages = try await site.send(.appSession(session.member("refresh_token")))
        let settings = WireRequest.open(settingsOf: site, pages.result("app_session_token"))
        let code = GrantForm.code(try await person.code())
        let pushed = try await Self.pushed(site)
        try await Task.sleep(for: .seconds(62))
        try await project.refuse(
            requests: [("an approval", .token(approval)), ("a login", login), ("a setup", setup)],
            as: "400 invalid_request"
        )
        try await project.refuse(
            [("a device secret", exchange("invest")), ("a code", code)],
            as: "400 invalid_grant"
        )
        try await project.refuse(openings: [("a URL", opening)], as: "error=invalid_request&")
        try await project.refuse(openings: [("our pages", settings)], as: "error=login_required&")
        try await project.refuse(requests: [("a pushed request", pushed)], as: "400")
        // Only the time was wrong.
        let fresh = GrantForm.app2app(owner, try await site.signed(by: phone, .app2app))
        #expect(try await site.token(fresh).status == 200)
        #expect(try await site.send(try await user.login()).status == 200)
        let again = try await site.send(.appSession(session.member("refresh_token")))
        let open = WireRequest.open(settingsOf: site, again.result("app_session_token"))
        #expect(try await site.send(open)["set-cookie"] != nil)
    }

    @Test("attack: a pushed request by a reference that was guessed in part") func guessed()
        async throws
    {
        let project = try await TestProject.named("late")
        let site = project.site
        let good = try await Self.pushed(site)
        var bad = good
        let letter = good.target.hasSuffix("A") ? "B" : "A"
        bad.target = good.target.dropLast() + letter
        try await project.refuse(requests: [("guessed", bad)], as: "400")
        #expect(try await site.send(good).status == 303)
    }

    /// What a browser is sent with.
    private static func pushed(_ site: Site) async throws -> WireRequest {
        let fields = [
            ("client_id", "app"), ("response_type", "code"), ("scope", "openid"),
            ("redirect_uri", SignIn.redirectURIs["app"] ?? ""),
            ("code_challenge", SignIn.challenge), ("code_challenge_method", "S256"),
        ]
        let answer = try await site.send(
            WireRequest("POST", "/oauth2/par", [], SignIn.form(fields))
        )
        let query = SignIn.form([
            ("client_id", "app"), ("request_uri", answer.member("request_uri") ?? ""),
        ])
        return WireRequest("GET", "/oauth2/authorize?\(query)")
    }
}
