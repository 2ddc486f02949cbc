import EventFormat
import TestSupport
import Testing

extension Races {
    /// WireContract 5.1 to 5.4 and 9.6; Security 4.1 and 4.2.
    @Suite("What misuse is worth in the log") struct MisuseTests {
        /// The tokens of a family by generation: the first, and so many after it.
        private static func generations(
            _ count: Int,
            of tokens: WireAnswer,
            _ site: Site,
            client: String = "app"
        ) async throws -> [String] {
            var all = [try #require(tokens.member("refresh_token"))]
            for _ in 0..<count {
                let next = try await site.token(GrantForm.refresh(all.last, of: client))
                all.append(try #require(next.member("refresh_token")))
            }
            return all
        }

        /// Sends a misuse to each node, the second first; it is told once and refused both times.
        private static func misuse(
            _ project: TestProject,
            _ request: WireRequest,
            _ outcome: String,
            _ expected: [StoredType: Int]
        ) async throws {
            let race = try Race(at: project)
            for node in [1, 0] {
                #expect(try await project.site.send(request, at: node).outcome == outcome)
            }
            #expect(try race.events() == expected)
        }

        @Test("attack: an old generation refreshes: noted, and its session ends") func refresh()
            async throws
        {
            let project = try await Races.project()
            let site = project.site
            var person = Person(at: site)
            let tokens = try await Self.generations(2, of: try await person.session(), site)
            try await Self.misuse(
                project,
                .token(GrantForm.refresh(tokens.first)),
                "400 invalid_grant",
                [.offlineGrantReuseDetected: 1, .offlineGrantRevoked: 1]
            )
            let newest = try await site.token(GrantForm.refresh(tokens.last))
            #expect(newest.outcome == "400 invalid_grant")
        }

        @Test("attack: an old generation lets another app in: noted, and its session ends")
        func app2App() async throws {
            let project = try await Races.project()
            let site = project.site
            let phone = try PhoneKey("ES256")
            var person = Person(at: site)
            let owner = try await person.session(on: phone)
            let tokens = try await Self.generations(2, of: owner, site)
            let jwt = try await site.signed(by: phone, .app2app)
            try await Self.misuse(
                project,
                .token(GrantForm.app2app(tokens.first, jwt)),
                "400 invalid_grant",
                [.offlineGrantReuseDetected: 1, .offlineGrantRevoked: 1]
            )
        }

        @Test("attack: an old generation asks for an app-session token: noted, its session ends")
        func appSession() async throws {
            let project = try await Races.project()
            let site = project.site
            var person = Person(at: site)
            let session = try await person.session(scope: Person.everything)
            let tokens = try await Self.generations(2, of: session, site)
            try await Self.misuse(
                project,
                .appSession(tokens.first),
                "403 InvalidGrant",
                [.offlineGrantReuseDetected: 1, .offlineGrantRevoked: 1]
            )
        }

        @Test("attack: an old generation of a server, shown by who is not that server: nothing")
        func server() async throws {
            let project = try await Races.project()
            let site = project.site
            var person = Person(at: site)
            let proof = { try project.assertionForm("vault") }
            let session = try await person.session("vault", proof())
            var tokens = [try #require(session.member("refresh_token"))]
            for _ in 0..<2 {
                let form = GrantForm.refresh(tokens.last, of: "vault")
                let next = try await site.token(form + proof())
                tokens.append(try #require(next.member("refresh_token"), "\(next.text)"))
            }
            #expect(Set(tokens).count == 3)
            let phone = try PhoneKey("ES256")
            let jwt = try await site.signed(by: phone, .app2app)
            for request in [
                (WireRequest.token(GrantForm.app2app(tokens.first, jwt)), "400 invalid_grant"),
                (.appSession(tokens.first), "403 InvalidGrant"),
            ] {
                try await Self.misuse(project, request.0, request.1, [:])
            }
            let form = GrantForm.refresh(tokens.last, of: "vault")
            #expect(try await site.token(form + proof()).status == 200)
        }

        @Test("attack: an old generation of an app that joined: it leaves, and its secret dies")
        func guest()
            async throws
        {
            let project = try await Races.project()
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
            let tokens = try await Self.generations(2, of: guest, site, client: "invest")
            try await Self.misuse(
                project,
                .token(GrantForm.refresh(tokens.first, of: "invest")),
                "400 invalid_grant",
                [
                    .offlineGrantReuseDetected: 1, .offlineGrantClientLeft: 1,
                    .offlineGrantDeviceSecretRevoked: 1,
                ]
            )
            let root = try await site.token(GrantForm.refresh(session.member("refresh_token")))
            #expect(root.status == 200)
        }

        @Test("attack: a code comes again once its tokens are used: noted, and its session ends")
        func replay() async throws {
            let project = try await Races.project()
            let site = project.site
            var person = Person(at: site)
            let code = try await person.code()
            let redemption = WireRequest.token(GrantForm.code(code))
            let session = try await site.send(redemption)
            _ = try await Self.generations(1, of: session, site)
            try await Self.misuse(
                project,
                redemption,
                "400 invalid_grant",
                [.authorizationCodeReplayed: 1, .offlineGrantRevoked: 1]
            )
        }

        @Test("attack: a code comes again when no app repeats it any more: noted, its session ends")
        func lateReplay() async throws {
            let project = try await Races.project()
            let site = project.site
            var person = Person(at: site)
            let redemption = WireRequest.token(GrantForm.code(try await person.code()))
            let session = try await site.send(redemption)
            // No token of it was used: for ten seconds that would be an answer that was lost.
            try await project.refuse(requests: [("at once", redemption)], as: "400 invalid_grant")
            try await Task.sleep(for: .seconds(11))
            try await Self.misuse(
                project,
                redemption,
                "400 invalid_grant",
                [.authorizationCodeReplayed: 1, .offlineGrantRevoked: 1]
            )
            let uses = try await site.uses(of: session)
            #expect(uses == ["401 invalid_grant", "400 invalid_grant"])
        }

        @Test("attack: a code or token without all that belongs to it: nothing, and nobody is out")
        func strangers() async throws {
            let project = try await Races.project()
            let site = project.site
            var person = Person(at: site)
            let code = try await person.code()
            let session = try await site.token(GrantForm.code(code))
            let tokens = try await Self.generations(2, of: session, site)
            var guessed = GrantForm.code(code)
            guessed.removeAll { $0.0 == "code_verifier" }
            guessed.append(("code_verifier", String(repeating: "a", count: 43)))
            // The right stream, another secret: the last twelve letters are of the secret alone.
            let letter = code.dropLast(11).hasSuffix("A") ? "B" : "A"
            let other = "\(code.dropLast(12))\(letter)\(code.suffix(11))"
            let refused = [
                WireRequest.token(guessed), .token(GrantForm.code(code, of: "loose")),
                .token(GrantForm.code(other)),
                .token(GrantForm.refresh(tokens.first, of: "invest")),
                .token(GrantForm.refresh(MadeUpToken.text("rt", of: Self.sid(of: session)))),
            ]
            for request in refused {
                try await Self.misuse(project, request, "400 invalid_grant", [:])
            }
            #expect(try await site.token(GrantForm.refresh(tokens.last)).status == 200)
        }

        private static func sid(of session: WireAnswer) -> String {
            session.claim("sid", of: "access_token") ?? ""
        }
    }
}
