import EventFormat
import Foundation
import TestSupport
import Testing

extension Races {
    /// WireContract 4.4, 4.6 and 5.6 to 5.8; Security 4.8 and 4.9.
    @Suite("Shared sessions") struct SharingRaceTests {
        private static func session(_ site: Site) async throws -> WireAnswer {
            var person = Person(at: site)
            return try await person.session(scope: Person.everything)
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

        @Test("attack: fifty browsers open one pre-authenticated URL: one gets the cookie")
        func urls() async throws {
            let project = try await Races.project()
            let site = project.site
            let session = try await Self.session(site)
            let url = try await site.send(
                Self.exchange(session, for: "offers", site, type: GrantForm.urlType)
            )
            let race = try Race(at: project)
            let answers = try await race.run(
                .open(url: url.member("access_token"), hint: url.member("id_token"))
            )
            let opened = answers.filter { $0["set-cookie"] != nil }
            #expect(opened.map { $0["location"] } == ["https://offers.demo.example/deals"])
            for answer in answers where answer["set-cookie"] == nil {
                #expect(answer.status == 303)
                #expect(answer["location"]?.contains("error=invalid_request&") == true)
            }
            #expect(
                try race.events() == [
                    .preAuthenticatedURLConsumed: 1, .offlineGrantAccessTokenIssued: 1,
                ]
            )
        }

        @Test("fifty exchanges of one device secret: the same successor for all") func successors()
            async throws
        {
            let project = try await Races.project()
            let session = try await Self.session(project.site)
            let race = try Race(at: project)
            let answers = try await race.run(
                Self.exchange(session, for: "offers", project.site, type: GrantForm.urlType)
            )
            #expect(answers.outcomes == ["200": 50])
            #expect(Set(answers.compactMap { $0.member("device_secret") }).count == 1)
            #expect(Set(answers.compactMap { $0.member("access_token") }).count == 50)
            #expect(
                try race.events() == [
                    .preAuthenticatedURLIssued: 50, .offlineGrantURLIssued: 50,
                    .offlineGrantDeviceSecretIssued: 1,
                ]
            )
        }

        @Test("attack: two apps use one secret at once, one without showing it: one successor")
        func refreshes() async throws {
            let project = try await Races.project()
            let site = project.site
            let phone = try PhoneKey("ES256")
            var person = Person(at: site)
            let session = try await person.session(
                scope: Person.everything,
                proof: try site.proof(by: phone)
            )
            // Bound to the phone's key, the refresh token stays, and so does the secret's key.
            let refresh = GrantForm.refresh(session.member("refresh_token"))
            func exchange(_ id: String?, _ secret: String?) -> GrantForm.Fields {
                GrantForm.exchange(id, secret, for: "offers", at: site, type: GrantForm.urlType)
            }
            let old = exchange(session.member("id_token"), session.member("device_secret"))
            let requests = try (0..<Race.callers).map { number in
                let form = number < Race.callers / 2 ? refresh : old
                return WireRequest.token(form, proof: try site.proof(by: phone))
            }
            let race = try Race(at: project)
            let answers = try await race.run(requests)
            #expect(answers.outcomes == ["200": 50])
            let successors = Set(answers.map { $0.member("device_secret") ?? "none" })
            #expect(successors.count == 1 && !successors.contains("none"))
            #expect(!successors.contains(session.member("device_secret") ?? ""))
            let events = try race.events()
            #expect(events[.offlineGrantDeviceSecretIssued] == 1, "\(events)")
            #expect(events[.preAuthenticatedURLIssued] == Race.callers / 2, "\(events)")
            // The one before is good, at each node, until the successor comes back.
            for node in site.nodes.indices {
                let proof = try site.proof(by: phone)
                let again = try await site.token(old, proof: proof, at: node)
                #expect(again.status == 200, "\(again.text)")
                #expect(again.member("device_secret") == successors.first)
            }
            let used = try await site.token(
                refresh + [("device_secret", successors.first ?? "")],
                proof: try site.proof(by: phone)
            )
            #expect(used.member("device_secret") == successors.first, "\(used.text)")
            try await project.refuse(
                [("the former one", old)],
                as: "400 invalid_grant",
                proof: try site.proof(by: phone)
            )
        }

        @Test("fifty apps join with one device secret: one family of the client is left")
        func joins() async throws {
            let project = try await Races.project()
            let site = project.site
            let session = try await Self.session(site)
            let race = try Race(at: project)
            let answers = try await race.run(Self.exchange(session, for: "invest", site))
            #expect(answers.outcomes == ["200": 50])
            #expect(
                try race.events() == [
                    .offlineGrantClientJoined: 50, .offlineGrantRefreshTokenIssued: 50,
                    .offlineGrantAccessTokenIssued: 50, .offlineGrantClientLeft: 49,
                ]
            )
            var alive = 0
            for answer in answers {
                let form = GrantForm.refresh(answer.member("refresh_token"), of: "invest")
                if try await site.token(form).status == 200 { alive += 1 }
            }
            #expect(alive == 1)
            // A family that was replaced raises no alarm.
            #expect(try race.events()[.offlineGrantReuseDetected] == nil)
        }

        @Test("attack: fifty browsers bring one pushed request: one takes it") func pushed()
            async throws
        {
            let project = try await Races.project()
            let fields = [
                ("client_id", "app"), ("response_type", "code"), ("scope", "openid"),
                ("redirect_uri", SignIn.redirectURIs["app"] ?? ""),
                ("code_challenge", SignIn.challenge), ("code_challenge_method", "S256"),
            ]
            let pushed = try await project.site.send(
                WireRequest("POST", "/oauth2/par", [], SignIn.form(fields))
            )
            let query = SignIn.form([
                ("client_id", "app"), ("request_uri", pushed.member("request_uri") ?? ""),
            ])
            let race = try Race(at: project)
            let answers = try await race.run(
                WireRequest("GET", "/oauth2/authorize?\(query)")
            )
            #expect(answers.filter { $0.status == 303 }.count == 1)
            #expect(answers.filter { $0.status == 400 }.count == 49)
            #expect(try race.events() == [.authorizationStarted: 1])
        }

        @Test("the id-token grant, fifty at once: one session, one secret; none after its end")
        func identities() async throws {
            let project = try await Races.project()
            let site = project.site
            let session = try await Self.session(site)
            let request = WireRequest.bearing(
                session.member("access_token"),
                "POST",
                "/oauth2/token",
                SignIn.form([
                    ("grant_type", "urn:authgear:params:oauth:grant-type:id-token"),
                    ("client_id", "app"),
                    ("device_secret", session.member("device_secret") ?? ""),
                ])
            )
            let race = try Race(at: project)
            let answers = try await race.run(request)
            #expect(answers.outcomes == ["200": 50])
            #expect(try race.events() == [:])
            let secrets = Set(answers.compactMap { $0.member("device_secret") })
            #expect(secrets == [session.member("device_secret") ?? ""])
            let said = try answers.map { answer in
                let claims = try #require(
                    WireAnswer(decoding: answer.member("id_token") ?? "")?.object("claims")
                )
                return ["sid", "ds_hash", "auth_time", "sub"].map { "\(claims[$0] ?? "none")" }
            }
            #expect(Set(said).count == 1)
            #expect(said.first?.contains("none") == false)
            let ended = try await site.send(.revoke(session.member("refresh_token")), at: 0)
            #expect(ended.status == 200)
            #expect(try await site.send(request, at: 1).outcome == "401 invalid_grant")
        }
    }
}
