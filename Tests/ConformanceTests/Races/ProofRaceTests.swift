import EventFormat
import Foundation
import TestSupport
import Testing

extension Races {
    /// WireContract 4.6, 6.3, 6.4, 7.3 and 9.6; Security 4.1 and 4.10.
    @Suite("Proofs, assertions and links") struct ProofRaceTests {
        @Test("attack: one proof comes with fifty refreshes: one") func token() async throws {
            let project = try await Races.project()
            let site = project.site
            let phone = try PhoneKey("ES256")
            var person = Person(at: site)
            let session = try await person.session(proof: try site.proof(by: phone))
            let form = GrantForm.refresh(session.member("refresh_token"))
            let request = WireRequest.token(form, proof: try site.proof(by: phone))
            let race = try Race(at: project)
            let answers = try await race.run(request)
            #expect(answers.outcomes == ["200": 1, "400 invalid_dpop_proof": 49])
            #expect(try race.events() == [.offlineGrantRefreshed: 1, .spentSpent: 1])
        }

        /// What a client pushes ahead of its user's browser.
        private static func pushed(_ client: String) -> [(String, String)] {
            [
                ("response_type", "code"), ("scope", "openid"),
                ("redirect_uri", SignIn.redirectURIs[client] ?? ""),
                ("code_challenge", SignIn.challenge), ("code_challenge_method", "S256"),
            ]
        }

        @Test("attack: one proof comes with fifty pushed requests: one") func push() async throws {
            let project = try await Races.project()
            let proof = try project.site.proof(by: try PhoneKey("ES256"), of: "/oauth2/par")
            let race = try Race(at: project)
            let answers = try await race.run(
                WireRequest(
                    "POST",
                    "/oauth2/par",
                    [("DPoP", proof)],
                    SignIn.form([("client_id", "app")] + Self.pushed("app"))
                )
            )
            #expect(answers.outcomes == ["201": 1, "400 invalid_dpop_proof": 49])
            #expect(try race.events() == [.authorizationPushed: 1, .spentSpent: 1])
        }

        @Test("attack: one proof approves two logins of its device: one") func link() async throws {
            let project = try await Races.project()
            let site = project.site
            let phone = try PhoneKey("ES256")
            let links = [
                try await Self.link(site, phone), try await Self.link(site, phone),
            ]
            let path = String((links.first ?? "").prefix { $0 != "?" })
            let proof = try site.proof(by: phone, of: path)
            let requests = links.map { WireRequest("POST", $0, [("DPoP", proof)]) }
            let race = try Race(at: project)
            let answers = try await race.run(
                (0..<Race.callers).map { requests[$0 / 2 % 2] }
            )
            #expect(try race.events() == [.loginLinkApproved: 1, .spentSpent: 1])
            // Of one of the two, however often that was approved.
            let approved = answers.indices.filter { answers[$0].status == 200 }
            #expect(Set(approved.map { $0 / 2 % 2 }).count == 1)
            // Who is too late hears of the proof, and nothing of the link.
            #expect(Set(answers.map(\.outcome)) == ["200", "400 BadRequest"])
        }

        /// The target of the link in the mail of a login that the app on `phone` began.
        private static func link(_ site: Site, _ phone: PhoneKey) async throws -> String {
            let email = "link-\(UUID().uuidString.prefix(12).lowercased())@example.com"
            _ = try await LoginPage(
                at: site.origin,
                host: site.authority,
                email: email,
                client: "denying",
                [("dpop_jkt", phone.thumbprint)]
            )
            let link = try await MailBox(page: site.mailPage).newestLink(to: email)
            return String(link.dropFirst(site.origin.count))
        }

        @Test("attack: fifty browsers open the settings with one app-session token: one")
        func appSession() async throws {
            let project = try await Races.project()
            let site = project.site
            var person = Person(at: site)
            let session = try await person.session(scope: Person.everything)
            let issued = try await site.send(.appSession(session.member("refresh_token")))
            let token = try #require(issued.result("app_session_token"))
            let race = try Race(at: project)
            let answers = try await race.run(.open(settingsOf: site, token))
            #expect(answers.filter { $0["set-cookie"] != nil }.count == 1)
            let refused = answers.filter { $0["set-cookie"] == nil }
            #expect(
                refused.allSatisfy { $0["location"]?.contains("error=login_required&") == true }
            )
            #expect(try race.events() == [.spentSpent: 1])
        }

        @Test("attack: one client assertion gets fifty tokens: one") func assertion() async throws {
            let project = try await Races.project()
            let proof = try project.assertionForm("service")
            let race = try Race(at: project)
            let answers = try await race.run(
                .token([("grant_type", "client_credentials")] + proof)
            )
            #expect(answers.outcomes == ["200": 1, "401 invalid_client": 49])
            #expect(try race.events() == [.spentSpent: 1])
        }

        @Test("attack: one client assertion at four endpoints: one takes it") func endpoints()
            async throws
        {
            let project = try await Races.project()
            let proof = try project.assertionForm("desk")
            let requests = [
                ("/oauth2/par", Self.pushed("desk")), ("/oauth2/introspect", [("token", "no")]),
                ("/oauth2/revoke", [("token", "no")]), ("/oauth2/revoke", [("token", "")]),
            ].map { WireRequest("POST", $0.0, [], SignIn.form($0.1 + proof)) }
            let race = try Race(at: project)
            let answers = try await race.run((0..<Race.callers).map { requests[$0 / 2 % 4] })
            #expect(answers.outcomes["401 invalid_client"] == 49)
            var events = try race.events()
            if answers.contains(where: { $0.status == 201 }) {
                #expect(events.removeValue(forKey: .authorizationPushed) == 1)
            }
            #expect(events == [.spentSpent: 1])
        }
    }
}
