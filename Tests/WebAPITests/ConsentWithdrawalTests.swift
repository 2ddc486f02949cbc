import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import Runtime
import TestSupport
import Testing
import WebAPI

/// A user takes back what they allowed an application (WireContract 9.7, decision 0175).
@Suite("A consent that is taken back") struct ConsentWithdrawalTests {
    private static let scope = "openid offline_access"
    private let web: WebSide
    private let settings: SettingsSide
    private var side: TokenSide { web.side }
    private var commits: Int { web.commits }

    /// `invest` is somebody else's application, and has a consent.
    init() async throws {
        web = try await WebSide()
        settings = SettingsSide(web)
        try await requireConsent(of: "invest")
        try await give("invest", Self.scope)
    }

    private func requireConsent(of client: String, _ isRequired: Bool = true) async throws {
        var changed = try #require(side.projects.project(id: side.project.settings.id)).settings
        let index = try #require(changed.clients.firstIndex { $0.id.text == client })
        changed.clients[index].consentRequired = isRequired
        try await side.apply(changed)
    }

    private func name(_ client: String) -> StreamID {
        StreamNames(side.digester)
            .consent(side.subject, Sample.client(client), in: side.project.number)
    }

    private func give(_ client: String, _ scope: String) async throws {
        try await side.run(Consent.self, name(client), for: side.subject) {
            .give(Sample.client(client), Sample.scope(scope))
        }
    }

    private func session(of client: String, _ scope: String = scope) async throws -> Answer {
        let answer = try await NativeSSOTests.session(web, client: client, scope: scope)
        try #require(answer.status == 200, "\(answer.body)")
        return answer
    }

    private func isAlive(_ session: Answer, of client: String) async throws -> Bool {
        guard try await NativeSSOTests.isActive(web, session) else {
            let refused = try await refresh(session, of: client)
            #expect(refused.word == "400 invalid_grant")
            return false
        }
        return try await refresh(session, of: client).status == 200
    }

    private func refresh(_ session: Answer, of client: String) async throws -> Answer {
        let token = session["refresh_token"]?.string
        return try await NativeSSOTests.refresh(web, token, client: client)
    }

    private func withdraw(_ client: String) async throws {
        let form = try #require(try await settings.forms()[client])
        #expect(try await settings.post(form).location == "/settings")
    }

    private func last(_ session: Answer) throws -> DomainEvent? {
        side.store.events(of: try SessionAPITests.sid(of: session, web).stream).last
    }

    @Test("at the settings: its sessions end at once, others go on, and it has to ask again")
    func atSettings() async throws {
        let theirs = [try await session(of: "invest"), try await session(of: "invest")]
        let own = try await session(of: "app")
        let page = try await settings.get()
        for part in ["What you have allowed", "Know who you are", "Stay signed in when"] {
            #expect(page.body.contains(part))
        }
        let form = try #require(SettingsSide.forms(page)["invest"])
        let before = commits
        #expect(try await settings.post(form).location == "/settings")
        // All of it or nothing: whoever dies in between leaves no session behind.
        #expect(commits == before + 1)
        #expect(side.store.events(of: name("invest")).last == Self.withdrawn(by: .user))
        for session in theirs {
            #expect(try last(session) == .offlineGrant(.revoked(.consentWithdrawn)))
            #expect(try await !isAlive(session, of: "invest"))
        }
        #expect(try await isAlive(own, of: "app"))
        #expect(try await settings.get().body.contains("What you have allowed") == false)
        let again = try await web.expectNothingRecorded { try await settings.post(form) }
        #expect(again.location == "/settings")
        try await give("invest", Self.scope)
        #expect(try await isAlive(session(of: "invest"), of: "invest"))
    }

    private static func withdrawn(by who: Consent.Withdrawer) -> DomainEvent {
        .consent(.withdrawn(Sample.client("invest"), by: who))
    }

    @Test("who joined an app's session leaves it, and the app goes on") func joined() async throws {
        let own = try await NativeSSOTests.session(web)
        try await give("invest", NativeSSOTests.scope)
        var form = try NativeSSOTests.form(own)
        form.append(("scope", Self.scope))
        let joined = try await NativeSSOTests.send(web, form)
        try #require(joined.status == 200, "\(joined.body)")
        try await withdraw("invest")
        let left = OfflineGrant.Event.clientLeft(Sample.client("invest"), .consentWithdrawn)
        #expect(side.store.allEvents.map(\.body).contains(.offlineGrant(left)))
        #expect(try await !isAlive(joined, of: "invest"))
        #expect(try await isAlive(own, of: "app"))
    }

    @Test("whose session it was leaves it, and those that it let in go on") func host() async throws
    {
        try await requireConsent(of: "app")
        try await give("app", NativeSSOTests.scope)
        let own = try await NativeSSOTests.session(web)
        var form = try NativeSSOTests.form(own)
        form.append(("scope", Self.scope))
        let joined = try await NativeSSOTests.send(web, form)
        try #require(joined.status == 200, "\(joined.body)")
        try await withdraw("app")
        #expect(try await !isAlive(own, of: "app"))
        #expect(try await isAlive(joined, of: "invest"))
    }

    @Test(
        "attack: a code of before is redeemed after, and while it is taken back",
        arguments: ["after", "meanwhile"]
    )
    func lateCode(_ when: String) async throws {
        let code = try await side.code(for: "invest", scope: Self.scope)
        if when == "after" {
            try await withdraw("invest")
        } else {
            side.store.beforeNextAppend {
                do { try await withdraw("invest") } catch { Issue.record(error) }
            }
        }
        let late = try await DeviceKeyTests.redeem(web, code: code, jwt: nil, client: "invest")
        #expect(late.word == "400 invalid_grant")
        #expect(late.body.contains("consent") == false)
        #expect(side.store.events(of: name("invest")).last == Self.withdrawn(by: .user))
    }

    @Test("who came in just before it is taken back goes, too") func cameInBefore() async throws {
        let early = try await session(of: "invest")
        let code = try await side.code(for: "invest", scope: Self.scope)
        let late = CaughtTokens()
        side.store.beforeNextAppend { await late.redeem(code, web) }
        try await withdraw("invest")
        let session = try #require(late.answer.current)
        #expect(session.status == 200)
        for session in [early, session] { #expect(try await !isAlive(session, of: "invest")) }
    }

    @Test("however many sessions it has") func many() async throws {
        var sessions: [Answer] = []
        for _ in 0..<(Consents.sessionsAtOnceMax + 8) {
            sessions.append(try await session(of: "invest"))
        }
        let before = commits
        try await withdraw("invest")
        #expect(commits == before + 9)
        for session in sessions {
            #expect(try last(session) == .offlineGrant(.revoked(.consentWithdrawn)))
        }
    }

    @Test("attack: a session that nobody ended goes on once it is taken back, by any door")
    func left() async throws {
        try await requireConsent(of: "app")
        try await give("app", AppSessionTokenTests.scope)
        try await give("app", NativeSSOTests.scope)
        let (opened, refresh) = try await SettingsSide.openedByApp(web)
        let sharing = try await NativeSSOTests.session(web)
        try await side.run(Consent.self, name("app")) { .withdraw(by: .user) }
        try await web.expectNothingRecorded {
            #expect(try await DPoPTests.refresh(web, refresh).word == "400 invalid_grant")
            #expect(try await AppSessionTokenTests.ask(web, refresh).reason == "InvalidGrant")
            let form = try NativeSSOTests.form(sharing)
            #expect(try await NativeSSOTests.send(web, form).word == "400 invalid_grant")
            try await expectDead(sharing)
        }
        #expect(try await opened.get().status == 403)
        let page = try await opened.get("/oauth2/authorize?\(Self.silent)")
        #expect(page.location?.contains("error=login_required&") == true, "\(page)")
        // Who repeats it ends what was left.
        let outcome = try await Consents(commands: side.commands)
            .withdraw(
                from: Sample.client("app"),
                of: side.subject,
                by: .operator,
                request: CommandRequest(
                    project: side.project,
                    attributes: EventAttributes(actor: .system),
                    deadline: Fixture.noDeadline
                )
            )
        #expect(outcome == .withdrawnBefore)
        #expect(try last(sharing) == .offlineGrant(.revoked(.consentWithdrawn)))
    }

    /// No service, no client and not the app itself is told that its tokens count.
    private func expectDead(_ session: Answer) async throws {
        #expect(try await !NativeSSOTests.isActive(web, session))
        let refresh = try #require(session["refresh_token"]?.string)
        #expect(try await !side.isActive(Array(refresh.utf8), asked: "app"))
        let user = try await SessionAPITests.send(web, .get, session, "/oauth2/userinfo")
        #expect(user.status == 401)
        #expect(try await SessionAPITests.send(web, .get, session).reason == "InvalidGrant")
    }

    private static let silent =
        "client_id=app&response_type=code&scope=openid&state=s&prompt=none"
        + "&redirect_uri=\(TokenSide.redirectURI)&code_challenge=\(DeviceKeyTests.challenge)"
        + "&code_challenge_method=S256"

    @Test("from the page that the application itself opened; pressed twice, it says the same")
    func byItself() async throws {
        try await requireConsent(of: "app")
        try await give("app", AppSessionTokenTests.scope)
        let (opened, refresh) = try await SettingsSide.openedByApp(web)
        let form = try #require(try await opened.forms()["app"])
        #expect(try await opened.post(form).location == "/logout")
        #expect(try await DPoPTests.refresh(web, refresh).error == "invalid_grant")
        let again = try await web.expectNothingRecorded { try await opened.post(form) }
        #expect(again.status == 303 && again.location == "/logout")
        let other = form.replacing("client_id=app", with: "client_id=invest")
        #expect(try await opened.post(other).status == 403)
    }

    @Test("given again meanwhile, it keeps what it has by then") func givenAgain() async throws {
        let early = try await session(of: "invest")
        let code = try await side.code(for: "invest", scope: Self.scope)
        let late = CaughtTokens()
        side.store.beforeNextAppend {
            await late.redeem(code, web)
            side.store.beforeNextAppend {
                do { try await give("invest", Self.scope) } catch { Issue.record(error) }
            }
        }
        try await withdraw("invest")
        #expect(try await !isAlive(early, of: "invest"))
        #expect(try await isAlive(try #require(late.answer.current), of: "invest"))
    }

    @Test("who needs no consent, or needs one only since, is refused nothing") func unneeded()
        async throws
    {
        let own = try await session(of: "app")
        let code = try await side.code(scope: Self.scope)
        try await requireConsent(of: "app")
        #expect(try await isAlive(own, of: "app"))
        let late = try await DeviceKeyTests.redeem(web, code: code, jwt: nil, client: "app")
        #expect(late.status == 200, "\(late.body)")
        let theirs = try await session(of: "invest")
        try await requireConsent(of: "invest", false)
        // Nor is it shown: it would come back without asking.
        #expect(try await settings.forms()["invest"] == nil)
        try await side.run(Consent.self, name("invest")) { .withdraw(by: .user) }
        #expect(try await refresh(theirs, of: "invest").status == 200)
    }

    @Test("attack: the proof of another form, none, or of another client's consent") func moved()
        async throws
    {
        try await requireConsent(of: "app")
        try await give("app", Self.scope)
        _ = try await session(of: "app")
        let forms = try await settings.forms()
        let (own, other) = (try #require(forms["invest"]), try #require(forms["app"]))
        let proof = other.split(separator: "&").first { $0.hasPrefix("form_token=") } ?? ""
        let action = "action=withdraw_consent"
        let endOthers = try #require(forms[""]).replacing(
            "action=sign_out_others",
            with: "client_id=invest&\(action)"
        )
        let before = commits
        for form in [
            "client_id=invest&\(proof)&\(action)", "client_id=invest&\(action)", endOthers,
            own.replacing("client_id=invest", with: "client_id=offers"),
        ] { #expect(try await settings.post(form).status == 403, "\(form)") }
        for id in ["", "a%00b", "invest&client_id=offers", "invest&client_id=invest"] {
            let form = own.replacing("client_id=invest", with: "client_id=\(id)")
            #expect(try await settings.post(form).status == 400, "\(id)")
        }
        // What comes twice is refused, whichever button was pressed.
        let others = try #require(forms[""])
        let twice = "\(others)&client_id=invest&client_id=offers"
        #expect(try await settings.post(twice).status == 400)
        #expect(commits == before)
        #expect(try await settings.post(others).status == 303)
    }
}
