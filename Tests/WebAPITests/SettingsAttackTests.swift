import Domain
import Foundation
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// What nobody gets at the settings (Security 4.5 and 4.8).
@Suite("Attacks on the settings") struct SettingsAttackTests {
    @Test(
        "attack: no cookie, a made-up one, one of an ended session or of a disabled user",
        arguments: ["none", "secret", "text", "twice", "ended", "disabled"]
    )
    func stranger(_ how: String) async throws {
        let web = try await WebSide()
        var side = SettingsSide(web)
        let form = try #require(try await side.forms()[web.side.browser.description])
        switch how {
        case "none": side.cookie = ""
        case "secret": side.cookie = String(side.cookie.dropLast()) + "A"
        case "text": side.cookie = "__Host-chancery_session=x"
        case "twice": side.cookie += "; \(side.cookie)"
        case "ended":
            try await web.side.run(BrowserSession.self, web.side.browser.stream) { .end(.logout) }
        default:
            try await web.side.run(Subject.self, web.side.subject.stream) { .disable(.operator) }
        }
        let commits = web.commits
        // Its own sign-out, pressed again, is done; nothing else opens.
        let others = form.replacing("action=sign_out", with: "action=sign_out_others")
        var answers = [try await side.get(), try await side.post(others)]
        if how != "ended" { answers.append(try await side.post(form)) }
        for answer in answers {
            #expect(answer.status == 403 && answer.pageError == "login_required")
            #expect(!answer.body.contains("example.com"))
        }
        #expect(web.commits == commits)
    }

    @Test("attack: a browser that a pre-authenticated URL let in is not let in here")
    func preAuthenticatedURL() async throws {
        let opened = try await ContinuationTests.Side()
        let answer = try await opened.send(.get, "/settings")
        #expect(answer.status == 403 && answer.pageError == "login_required")
    }

    @Test(
        "attack: an app's browser outlives its session, its client's full access, or its client",
        arguments: ["session", "scope", "client", "altered", "late"]
    )
    func outlived(_ how: String) async throws {
        let web = try await WebSide()
        var (side, refresh) = try await SettingsSide.openedByApp(web)
        #expect(try await side.get().status == 200)
        let id = web.side.project.settings.id
        var settings = try #require(web.side.projects.project(id: id)).settings
        switch how {
        case "session": _ = try await web.post("/oauth2/revoke", "token=\(refresh)")
        case "scope":
            settings.clients[0].allowedScopes = Sample.scope("openid offline_access")
            try await web.side.apply(settings)
        case "client":
            settings.clients[0].enabled = false
            try await web.side.apply(settings)
        case "altered":
            side.cookie = String(side.cookie.dropLast()) + (side.cookie.last == "A" ? "B" : "A")
        default: web.side.clock.advance(seconds: 1200)
        }
        #expect(try await side.get().status == 403)
    }

    @Test(
        "attack: a form posted by another site, a sibling, or nobody knows whom",
        arguments: [
            [("sec-fetch-site", "cross-site")], [("sec-fetch-site", "same-site")],
            [("origin", "https://evil.example")], [("origin", "null")], [],
            [("sec-fetch-site", "cross-site"), ("origin", PageSide.origin)],
        ] as [[(String, String)]]
    )
    func crossSite(_ headers: [(String, String)]) async throws {
        let web = try await WebSide()
        _ = try await SessionAPITests.session(web)
        let side = SettingsSide(web)
        let forms = try await side.forms()
        let commits = web.commits
        for form in forms.values {
            let answer = try await side.post(form, headers)
            #expect(answer.status == 403 && answer.pageError == "access_denied")
            #expect(!answer.body.contains("<a "))
        }
        #expect(web.commits == commits)
    }

    @Test("attack: somebody else's session, and one that never was: one answer, nothing changes")
    func foreign() async throws {
        let web = try await WebSide()
        let side = SettingsSide(web)
        let theirs = try await SettingsSide.stranger(web)
        let mine = try await SessionAPITests.session(web)
        let own = try #require(try await side.forms()[side.sid(mine)])
        let commits = web.commits
        var answers: Set<String> = []
        for id in [try side.sid(theirs), Sample.stream(9).description] {
            let form = own.replacing(try side.sid(mine), with: id)
            let answer = try await side.post(form)
            #expect(answer.status == 403)
            let request = try #require(answer.field("X-Request-Id").first)
            answers.insert(answer.body.replacing(request, with: "ID"))
        }
        #expect(answers.count == 1)
        let kid = own.replacing("sid=\(try side.sid(mine))", with: "kid=kid-0001")
            .replacing("action=sign_out", with: "action=remove_key")
        #expect(try await side.post(kid).status == 403)
        #expect(web.commits == commits)
        #expect(try await NativeSSOTests.isActive(web, theirs))
        #expect(try await side.get().body.contains(try side.sid(theirs)) == false)
    }

    @Test("attack: the form of one thing used for another, without proof, or in another browser")
    func moved() async throws {
        let web = try await WebSide()
        let user = try await BiometricTests.User(web)
        let side = SettingsSide(web)
        let (app, _) = try await SettingsSide.openedByApp(web)
        let forms = try await side.forms()
        let key = try #require(forms[user.kid])
        let others = try #require(forms[""])
        let browser = web.side.browser.description
        let commits = web.commits
        let proof = { (form: String) in
            form.split(separator: "&").first { $0.hasPrefix("form_token=") }.map(String.init) ?? ""
        }
        let moved = [
            "sid=\(browser)&\(proof(key))&action=sign_out",
            "sid=\(browser)&\(proof(others))&action=sign_out",
            "\(proof(try #require(forms[browser])))&action=sign_out_others",
            "kid=\(user.kid)&\(proof(others))&action=remove_key",
            "sid=\(browser)&action=sign_out", "action=sign_out_others",
        ]
        for form in moved { #expect(try await side.post(form).status == 403, "\(form)") }
        for form in [key, others] { #expect(try await app.post(form).status == 403) }
        #expect(web.commits == commits)
    }

    @Test("a form older than half an hour, and one that says nothing") func stale() async throws {
        let web = try await WebSide()
        let side = SettingsSide(web)
        let form = try #require(try await side.forms()[web.side.browser.description])
        let commits = web.commits
        for bad in ["", "action=erase", "action=sign_out", "sid=x&action=sign_out"] {
            #expect(try await side.post(bad).pageError == "invalid_request")
        }
        #expect(try await side.post("\(form)&\(form)").pageError == "invalid_request")
        web.side.clock.advance(seconds: FormTokens.lifetimeSeconds)
        let late = try await side.post(form)
        #expect(late.status == 400 && late.pageError == "invalid_request")
        #expect(late.attribute("<a href") == "/settings")
        #expect(web.commits == commits)
    }

    @Test("of fifty that press the same button at once each is answered, and it happens once")
    func race() async throws {
        let web = try await WebSide()
        let phone = try await SessionAPITests.session(web)
        let side = SettingsSide(web)
        let form = try #require(try await side.forms()[side.sid(phone)])
        let commits = web.commits
        let statuses = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<50 { group.addTask { (try? await side.post(form).status) ?? 0 } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.allSatisfy { $0 == 303 })
        #expect(web.commits == commits + 1)
        #expect(try await NativeSSOTests.isActive(web, phone) == false)
    }
}
