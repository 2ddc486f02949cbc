import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

extension NativeSSOTests {
    @Test("what ends what: a guest's refresh token its part, the first one's the session")
    func endings() async throws {
        let web = try await WebSide()
        let session = try await Self.session(web)
        let guest = try await Self.send(web, try Self.form(session))
        let token = try #require(guest["refresh_token"]?.string)
        #expect(try await web.post("/oauth2/revoke", "token=\(token)").status == 200)
        #expect(try await Self.isActive(web, guest) == false)
        #expect(try await Self.isActive(web, session))
        #expect(try await Self.refresh(web, token, client: "invest").error == "invalid_grant")
        web.side.clock.advance(seconds: 1)
        let again = try await Self.send(web, try Self.form(session))
        #expect(try await Self.isActive(web, again))
        #expect(try await Self.isActive(web, guest) == false)
        let first = try #require(session["refresh_token"]?.string)
        #expect(try await web.post("/oauth2/revoke", "token=\(first)").status == 200)
        #expect(try await Self.isActive(web, again) == false)
        #expect(try await Self.send(web, try Self.form(session)).error == "invalid_grant")
    }

    @Test("what ends what: the device secret all who came by it, the first app stays")
    func revokedSecret() async throws {
        let web = try await WebSide()
        let session = try await Self.session(web)
        let guest = try await Self.send(web, try Self.form(session))
        let secret = try #require(session["device_secret"]?.string)
        #expect(try await web.post("/oauth2/revoke", "token=\(secret)").status == 200)
        #expect(try await Self.isActive(web, guest) == false)
        #expect(try await Self.isActive(web, session))
        #expect(try await Self.send(web, try Self.form(session)).error == "invalid_grant")
        let newer = try await Self.refresh(web, session["refresh_token"]?.string, client: "app")
        #expect(newer.status == 200)
        #expect(try await Self.send(web, try Self.form(newer)).status == 200)
    }

    @Test("a fresh id token is of the secret that was shown, and echoes it while it is current")
    func replacedSecret() async throws {
        let web = try await WebSide()
        let session = try await Self.session(web)
        let newer = try await Self.refresh(web, session["refresh_token"]?.string, client: "app")
        let access = try #require(newer["access_token"]?.string)
        var forms: [[(String, String)]] = []
        for (holder, echo) in [(session, nil), (newer, newer["device_secret"])]
            as [(Answer, JSON?)]
        {
            let secret = try #require(holder["device_secret"]?.string)
            let answer = try await web.post(
                "/oauth2/token",
                "grant_type=urn:authgear:params:oauth:grant-type:id-token&client_id=app"
                    + "&device_secret=\(secret)",
                ["authorization": "Bearer \(access)"]
            )
            #expect(answer.status == 200 && answer["id_token"] != nil)
            #expect(answer["device_secret"] == echo)
            var form = try Self.form(holder)
            form[3].1 = try #require(answer["id_token"]?.string)
            forms.append(form)
        }
        // First with the secret before: the answer with the next one was lost.
        for form in forms {
            let joined = try await Self.send(web, form)
            #expect(joined.status == 200, "\(joined.body)")
        }
    }

    @Test("a client that joins again replaces its earlier part: no alarm") func replaced()
        async throws
    {
        let web = try await WebSide()
        let session = try await Self.session(web)
        let first = try await Self.send(web, try Self.form(session))
        web.side.clock.advance(seconds: 1)
        let second = try await Self.send(web, try Self.form(session))
        let old = first["refresh_token"]?.string
        #expect(try await Self.refresh(web, old, client: "invest").error == "invalid_grant")
        #expect(try await Self.isActive(web, first) == false)
        #expect(try await Self.isActive(web, second))
        #expect(try await Self.isActive(web, session))
    }

    @Test("a guest's reused refresh token ends the guest, not the session") func reuse()
        async throws
    {
        let web = try await WebSide()
        let session = try await Self.session(web)
        let guest = try await Self.send(web, try Self.form(session))
        let old = guest["refresh_token"]?.string
        let newer = try await Self.refresh(web, old, client: "invest")
        web.side.clock.advance(seconds: 31)
        #expect(try await Self.refresh(web, old, client: "invest").error == "invalid_grant")
        let current = newer["refresh_token"]?.string
        #expect(try await Self.refresh(web, current, client: "invest").error == "invalid_grant")
        #expect(try await Self.isActive(web, session))
    }

    @Test("attack: whom a stolen refresh token let in stays no longer than its thief") func stolen()
        async throws
    {
        let web = try await WebSide()
        let session = try await Self.session(web)
        web.side.clock.advance(seconds: 60)
        let token = session["refresh_token"]?.string
        let thief = try await Self.refresh(web, token, client: "app")
        let guest = try await Self.send(web, try Self.form(thief))
        #expect(guest.status == 200, "\(guest.body)")
        web.side.clock.advance(seconds: 31)
        #expect(try await Self.refresh(web, token, client: "app").error == "invalid_grant")
        for (answer, client) in [(thief, "app"), (guest, "invest")] {
            let next = answer["refresh_token"]?.string
            #expect(try await Self.refresh(web, next, client: client).error == "invalid_grant")
            #expect(try await !Self.isActive(web, answer))
        }
        #expect(try await Self.send(web, try Self.form(thief)).error == "invalid_grant")
    }

    @Test("no scope grows on the way") func bounded() async throws {
        let web = try await WebSide()
        let session = try await Self.session(web)
        var form = try Self.form(session)
        form.append(("scope", "openid email"))
        let guest = try await Self.send(web, form)
        #expect(guest["scope"]?.string == "email openid")
        #expect(guest["refresh_token"] == nil)
    }

    @Test("what a guest gets does not outlive the session that it joined") func life() async throws
    {
        let web = try await WebSide()
        var settings = web.side.project.settings
        settings.clients[0].refreshTokenLifetimeSeconds = 3600
        try await web.side.apply(settings)
        let session = try await Self.session(web)
        let early = try await Self.send(web, try Self.form(session))
        #expect(early["expires_in"]?.integer == 900)
        web.side.clock.advance(seconds: 3590)
        let late = try await Self.send(web, try Self.form(session))
        #expect(late["expires_in"]?.integer == 10)
        let token = late["refresh_token"]?.string
        let refreshed = try await Self.refresh(web, token, client: "invest")
        #expect(refreshed["expires_in"]?.integer == 10)
        web.side.clock.advance(seconds: 10)
        let next = refreshed["refresh_token"]?.string
        try await web.expectNothingRecorded {
            let answers = [
                try await Self.refresh(web, next, client: "invest"),
                try await Self.send(web, try Self.form(session)),
            ]
            #expect(answers.map(\.error) == ["invalid_grant", "invalid_grant"])
        }
        #expect(try await Self.isActive(web, refreshed) == false)
    }

    @Test(
        "a login that presents a live secret is on the same device, whatever it may do there",
        arguments: [Self.scope, "openid offline_access", "openid"]
    ) func linked(scope: String) async throws {
        let web = try await WebSide()
        let session = try await Self.session(web)
        let code = try await web.side.code(for: "app", scope: scope)
        let secret = try #require(session["device_secret"]?.string)
        let second = try await Self.send(
            web,
            [
                ("grant_type", "authorization_code"), ("client_id", "app"), ("code", code),
                ("redirect_uri", TokenSide.redirectURI), ("code_verifier", TokenSide.verifier),
                ("device_secret", secret),
            ]
        )
        let next = second["device_secret"]?.string
        #expect((next != nil) == (scope == Self.scope))
        #expect(next != secret)
        let former = try Self.id(of: session, web)
        let stored = try await web.side.store.load(
            OfflineGrant.self,
            Self.id(of: second, web).stream,
            by: Fixture.noDeadline
        )
        #expect(stored.state.session?.linkedDevice == former)
        let guards = try #require(web.side.store.commits.last).guards
        #expect(guards.contains { $0.stream == former.stream }, "of a session that lives")
    }

    private static func id(of session: Answer, _ web: WebSide) throws -> SessionID {
        let token = try #require(session["id_token"]?.string)
        let claims = web.side.signer.verifyIDToken(Array(token.utf8), of: web.side.project)
        return try #require(claims).session
    }
}
