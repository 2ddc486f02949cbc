import Foundation
import TestSupport
import Testing

/// A user, or an operator for them, takes back what they allowed somebody else's application: at
/// one node; the application calls at the other (WireContract 9.7).
@Suite("What I allowed I take back", .timeLimit(.minutes(3))) struct ConsentTests {
    private static let client = "outsider"
    private static let ended = ["401 invalid_grant", "400 invalid_grant"]

    /// Somebody who has allowed `outsider` to use their account.
    private struct Somebody {
        let project: TestProject
        var person: Person
        var site: Site { project.site }

        init(of project: TestProject) {
            self.project = project
            person = Person(at: project.site)
        }

        /// What a request of the application that must not ask hears.
        func asksSilently() async throws -> String {
            var browser = person.browser
            let fields = [
                ("client_id", ConsentTests.client), ("response_type", "code"),
                ("redirect_uri", SignIn.redirectURIs[ConsentTests.client] ?? ""),
                ("scope", "openid offline_access"), ("state", "s"), ("prompt", "none"),
                ("code_challenge", SignIn.challenge), ("code_challenge_method", "S256"),
            ]
            let answer = try await browser.send("GET", "/oauth2/authorize?\(SignIn.form(fields))")
            return answer["location"] ?? answer.text
        }

        /// The form at the settings that takes the consent back, ready to be posted.
        func form() async throws -> WireRequest {
            var browser = person.browser
            let page = try await browser.send("GET", "/settings")
            let named = "name=\"client_id\" value=\"\(ConsentTests.client)\""
            let form = try #require(
                page.text.components(separatedBy: "<form ").first { $0.contains(named) },
                "\(page.text)"
            )
            let token = form.components(separatedBy: "name=\"form_token\" value=\"").last
            let fields = [
                ("client_id", ConsentTests.client), ("action", "withdraw_consent"),
                ("form_token", String(try #require(token).prefix { $0 != "\"" })),
            ]
            return WireRequest(
                "POST",
                "/settings",
                [
                    ("Content-Type", "application/x-www-form-urlencoded"),
                    ("Origin", site.origin), ("Cookie", browser.jar.header ?? ""),
                ],
                SignIn.form(fields)
            )
        }
    }

    @Test("at the settings: its tokens are dead at once, and it has to ask again") func atSettings()
        async throws
    {
        var somebody = Somebody(of: try await TestProject.named("attacked"))
        let theirs = try await somebody.person.session(Self.client)
        let own = try await somebody.person.session()
        #expect(try await somebody.asksSilently().contains("code="))
        let form = try await somebody.form()
        let done = try await somebody.site.send(form, at: 0)
        #expect(done.status == 303 && done["location"] == "/settings")
        #expect(try await somebody.site.uses(of: theirs, Self.client) == Self.ended)
        #expect(try await somebody.site.uses(of: own) == ["200", "200"])
        #expect(try await somebody.asksSilently().contains("error=consent_required&"))
        // Agreed to again, it begins anew.
        let again = try await somebody.person.session(Self.client)
        #expect(try await somebody.site.uses(of: again, Self.client) == ["200", "200"])
    }

    @Test("at the support desk: listed, taken back, and said that it had been") func atDesk()
        async throws
    {
        let project = try await TestProject.named("support")
        var somebody = Somebody(of: project)
        let theirs = try await somebody.person.session(Self.client)
        let subject = try #require(theirs.claim("sub", of: "id_token"))
        try project.expectDone(
            ["consents", "list", "--email", somebody.person.email],
            Self.client,
            subject,
            "offline_access openid"
        )
        let reason = ["--reason", "asked to"]
        let whose = ["--subject", subject] + reason
        let order = ["consents", "withdraw", "--client", Self.client] + whose
        try project.expectDone(order, "Withdrew the consent to \(Self.client)")
        #expect(try await somebody.site.uses(of: theirs, Self.client) == Self.ended)
        try project.expectDone(order, "had been withdrawn before")
        let withdraw = ["consents", "withdraw"]
        let rows: [(words: [String], said: String, code: Int32)] = [
            (withdraw + ["--client", "app"] + whose, "no consent to this client", 1),
            (withdraw + ["--client", "app", "--subject", subject], "--reason is missing", 64),
            (withdraw + ["--client", "app"] + reason, "--subject is missing", 64),
            (withdraw + whose, "--client is missing", 64),
            (withdraw + ["--email", somebody.person.email] + whose, "goes with list", 64),
            (["consents", "list"] + whose, "goes with withdraw", 64),
            (["consents", "give"], "does not know give: say list or withdraw", 64),
        ]
        for row in rows {
            let (said, code) = try project.chancery(row.words)
            #expect(code == row.code && said.contains(row.said), "\(row.words): \(said)")
        }
    }

    @Test("attack: codes are redeemed at both nodes while the consent is taken back") func race()
        async throws
    {
        let project = try await TestProject.named("withdrawing")
        var somebody = Somebody(of: project)
        let early = try await somebody.person.session(Self.client)
        var requests: [WireRequest] = []
        for _ in 1..<Race.callers {
            let code = try await somebody.person.code(Self.client)
            requests.append(.token(GrantForm.code(code, of: Self.client)))
        }
        requests.insert(try await somebody.form(), at: Race.callers / 2)
        let answers = try await Race(at: project).run(requests)
        #expect(answers.outcomes["303"] == 1, "\(answers.outcomes)")
        #expect(
            answers.outcomes.keys.allSatisfy { ["200", "303", "400 invalid_grant"].contains($0) }
        )
        // Whoever came in before it is out, and whoever came later never was in.
        for tokens in [early] + answers.filter({ $0.status == 200 }) {
            #expect(try await somebody.site.uses(of: tokens, Self.client) == Self.ended)
        }
    }
}
