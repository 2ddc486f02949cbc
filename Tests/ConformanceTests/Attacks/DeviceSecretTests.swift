import EventFormat
import Foundation
import TestSupport
import Testing

/// Attacks with what a device, or an app on it, had before (Security 4.9; WireContract 5.6 to
/// 5.8).
///
/// One test at a time: each counts what the log of its project gains.
@Suite("Attacks on device secrets", .serialized, .timeLimit(.minutes(3)))
struct DeviceSecretTests {
    private static func project() async throws -> TestProject {
        try await TestProject.named("secrets")
    }

    private static func form(
        _ subject: WireAnswer,
        _ actor: WireAnswer? = nil,
        for client: String,
        _ site: Site
    ) -> GrantForm.Fields {
        GrantForm.exchange(
            subject.member("id_token"),
            (actor ?? subject).member("device_secret"),
            for: client,
            at: site,
            type: client == "offers" ? GrantForm.urlType : ""
        )
    }

    private static func refuse(
        _ forms: [GrantForm.Fields],
        _ outcome: String,
        _ project: TestProject
    ) async throws {
        try await project.refuse(forms.map { ("\($0)", $0) }, as: outcome)
    }

    @Test("attack: an id token with the secret of before, or of after, its own") func generations()
        async throws
    {
        let project = try await Self.project()
        let site = project.site
        var person = Person(at: site)
        let first = try await person.session(scope: Person.everything)
        let second = try await site.token(Self.form(first, for: "offers", site))
        #expect(second.status == 200, "\(second.text)")
        try await Self.refuse(
            ["invest", "offers"].flatMap { client in
                [
                    Self.form(first, second, for: client, site),
                    Self.form(second, first, for: client, site),
                ]
            },
            "400 invalid_grant",
            project
        )
        // The answer with the second may have been lost: until that one comes, the first is good.
        #expect(try await site.token(Self.form(first, for: "invest", site)).status == 200)
        let refresh = GrantForm.refresh(first.member("refresh_token"))
        let used = ("device_secret", second.member("device_secret") ?? "")
        #expect(try await site.token(refresh + [used]).status == 200)
        try await Self.refuse(
            ["invest", "offers"].map { Self.form(first, for: $0, site) },
            "400 invalid_grant",
            project
        )
        #expect(try await site.token(Self.form(second, for: "invest", site)).status == 200)
    }

    @Test("attack: the id token of one session with the secret of another, the user's or not")
    func otherSession() async throws {
        let project = try await Self.project()
        let site = project.site
        var person = Person(at: site)
        var thief = Person(at: site)
        let own = try await person.session(scope: Person.everything)
        let second = try await person.session(scope: Person.everything)
        let stolen = try await thief.session(scope: Person.everything)
        let forms = ["invest", "offers"].flatMap { client in
            [(own, second), (second, own), (own, stolen), (stolen, own)].map {
                Self.form($0.0, $0.1, for: client, site)
            }
        }
        try await Self.refuse(forms, "400 invalid_grant", project)
        for session in [own, second, stolen] {
            let joined = try await site.token(Self.form(session, for: "invest", site))
            #expect(joined.status == 200, "\(joined.text)")
        }
    }

    @Test("attack: an id token whose claims are another's, under its own signature")
    func altered() async throws {
        let project = try await Self.project()
        let site = project.site
        var person = Person(at: site)
        var thief = Person(at: site)
        let victim = try await person.session(scope: Person.everything)
        let own = try await thief.session(scope: Person.everything)
        func parts(_ session: WireAnswer) -> [String] {
            (session.member("id_token") ?? "").components(separatedBy: ".")
        }
        let (signed, wanted) = (parts(own), parts(victim))
        try #require(signed.count == 3 && wanted.count == 3)
        let forged = [signed[0], wanted[1], signed[2]].joined(separator: ".")
        let forms = ["invest", "offers"].map { client in
            Self.form(victim, for: client, site)
                .map { $0.0 == "subject_token" ? ($0.0, forged) : $0 }
        }
        try await Self.refuse(forms, "400 invalid_request", project)
    }

    @Test("attack: an app joins with more than it may have, or joins the session that is its own")
    func growth() async throws {
        let project = try await Self.project()
        let site = project.site
        var person = Person(at: site)
        let session = try await person.session(scope: Person.everything)
        let wide = [("scope", "openid https://authgear.com/scopes/pre-authenticated-url")]
        let join = Self.form(session, for: "invest", site)
        try await Self.refuse([join + wide], "400 invalid_scope", project)
        // Whom its user has not allowed it, and who is here already.
        let asking = Self.form(session, for: "asking", site)
        try await Self.refuse([asking], "400 invalid_scope", project)
        let again = Self.form(session, for: "app", site)
        try await Self.refuse([again], "400 unauthorized_client", project)
    }

    @Test("attack: an app asks for id tokens by the access token of one it shares a session with")
    func borrowed() async throws {
        let project = try await Self.project()
        let site = project.site
        var person = Person(at: site)
        let session = try await person.session(scope: Person.everything)
        let guest = try await site.token(Self.form(session, for: "invest", site))
        #expect(guest.status == 200)
        let race = try Race(at: project)
        for (tokens, client) in [(session, "invest"), (guest, "app")] {
            let fields = [
                ("grant_type", "urn:authgear:params:oauth:grant-type:id-token"),
                ("client_id", client),
            ]
            let answer = try await site.send(
                .bearing(
                    tokens.member("access_token"),
                    "POST",
                    "/oauth2/token",
                    SignIn.form(fields)
                )
            )
            #expect(answer.outcome == "401 invalid_token", "\(client): \(answer.text)")
        }
        #expect(try race.events() == [:])
    }

    @Test("attack: an app that has left the session lets another in by its id token") func left()
        async throws
    {
        let project = try await Self.project()
        let site = project.site
        var person = Person(at: site)
        let session = try await person.session(scope: Person.everything)
        let guest = try await site.token(Self.form(session, for: "invest", site))
        let revoked = try await site.send(.revoke(guest.member("refresh_token")), at: 0)
        #expect(guest.status == 200 && revoked.status == 200)
        let next = TestProject.guests[0]
        let late = Self.form(guest, session, for: next, site)
        try await Self.refuse([late], "400 unauthorized_client", project)
        #expect(try await site.token(Self.form(session, for: next, site)).status == 200)
    }

    @Test("attack: a chain of apps, each let in by the one before, goes on for ever") func chain()
        async throws
    {
        let project = try await Self.project()
        let site = project.site
        var person = Person(at: site)
        let session = try await person.session(scope: Person.everything)
        var links = [session]
        for guest in TestProject.guests.prefix(4) {
            let form = Self.form(try #require(links.last), session, for: guest, site)
            links.append(try await site.token(form))
            #expect(links.last?.status == 200)
        }
        let fifth = TestProject.guests[4]
        let last = try #require(links.last)
        let tooFar = Self.form(last, session, for: fifth, site)
        try await Self.refuse([tooFar], "400 invalid_grant", project)
        let nearer = Self.form(links[3], session, for: fifth, site)
        #expect(try await site.token(nearer).status == 200)
    }

    @Test("attack: one device secret lets in more apps than a session takes") func crowd()
        async throws
    {
        let project = try await Self.project()
        let site = project.site
        var person = Person(at: site)
        let session = try await person.session(scope: Person.everything)
        for guest in TestProject.guests.dropLast() {
            let joined = try await site.token(Self.form(session, for: guest, site))
            #expect(joined.status == 200, "\(guest): \(joined.text)")
        }
        let last = Self.form(session, for: TestProject.guests.last ?? "", site)
        try await Self.refuse([last], "400 invalid_grant", project)
        // One that is in it may come again.
        let first = Self.form(session, for: TestProject.guests.first ?? "", site)
        #expect(try await site.token(first).status == 200)
    }

    /// Another secret of the same session, in the same form.
    private static func other(than secret: String) -> String {
        var text = secret
        // Bits of the last character may mean nothing.
        let last = text.popLast()
        let other = text.popLast() == "A" ? "B" : "A"
        return text + other + (last.map { "\($0)" } ?? "")
    }

    @Test("attack: a login says by a dead secret, or another's, that it is on a device") func link()
        async throws
    {
        let project = try await Self.project()
        let site = project.site
        var person = Person(at: site)
        var stranger = Person(at: site)
        let others = try await stranger.session(scope: Person.everything)
        let first = try await person.session(scope: Person.everything)
        let ended = try await person.session(scope: Person.everything)
        #expect(try await site.send(.revoke(ended.member("refresh_token"))).status == 200)
        let revoked = try await person.session(scope: Person.everything)
        #expect(try await site.send(.revoke(revoked.member("device_secret"))).status == 200)
        for (said, secret, links) in [
            ("another user's", others.member("device_secret"), 0),
            ("of a session that has ended", ended.member("device_secret"), 0),
            ("revoked", revoked.member("device_secret"), 0),
            ("made up", first.member("device_secret").map { Self.other(than: $0) }, 0),
            ("its own", first.member("device_secret"), 1),
        ] {
            let code = try await person.code(scope: Person.everything)
            let race = try Race(at: project)
            let form = GrantForm.code(code, [("device_secret", try #require(secret))])
            let answer = try await site.token(form)
            // It is a login all the same.
            #expect(answer.status == 200, "\(said): \(answer.text)")
            let linked = try race.events()[.offlineGrantDeviceLinked] ?? 0
            #expect(linked == links, "\(said)")
        }
    }
}
