import Domain
import Foundation
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// What a user is told at the settings is what is, and what they do there leaves a trace
/// (WireContract 2 and 9.5).
@Suite("The settings tell the truth") struct SettingsTruthTests {
    @Test("an app that signs out everywhere else stays, also where its user has signed in")
    func appStays() async throws {
        let web = try await WebSide()
        let other = try await SessionAPITests.session(web)
        let (app, refresh) = try await SettingsSide.openedByApp(web)
        var side = SettingsSide(web)
        side.cookie += "; \(app.cookie)"
        let form = try #require(try await side.forms()[""])
        #expect(try await side.post(form).status == 303)
        #expect(try await !NativeSSOTests.isActive(web, other))
        #expect(try await DPoPTests.refresh(web, refresh).status == 200)
        #expect(try await side.get().status == 200)
    }

    @Test("what is done here leaves where it was asked from", arguments: ["sid", "", "kid"])
    func contexts(_ what: String) async throws {
        let web = try await WebSide()
        let user = try await BiometricTests.User(web)
        let phone = try await SessionAPITests.session(web)
        let side = SettingsSide(web)
        let about = what == "kid" ? user.kid : what == "sid" ? try side.sid(phone) : ""
        let form = try #require(try await side.forms()[about])
        let before = (web.commits, web.contexts.recorded.count)
        let answer = try await side.post(form, SettingsSide.ours + [("user-agent", "Firefox/1")])
        #expect(answer.status == 303)
        let commands = web.side.store.commits[before.0...].map(\.command)
        let noted = web.contexts.recorded[before.1...]
        #expect(!commands.isEmpty)
        #expect(noted.map(\.command) == commands)
        #expect(noted.allSatisfy { $0.userAgent == "Firefox/1" && $0.subject == web.side.subject })
    }

    @Test("a failure half way does not say that nothing was done") func halfWay() async throws {
        let web = try await WebSide()
        for _ in 0..<2 { _ = try await SessionAPITests.session(web) }
        let side = SettingsSide(web)
        let form = try #require(try await side.forms()[""])
        web.side.store.fail(.taken, .unavailable)
        let failed = try await side.post(form)
        #expect(failed.status == 503 && failed.pageError == "temporarily_unavailable")
        #expect(!failed.body.contains("Nothing was changed"))
        #expect(failed.body.contains("Load the page again"))
    }

    @Test("an app stands there by its registered name, whatever it calls itself") func names()
        async throws
    {
        let web = try await WebSide()
        let label = #"{"android":{"Build":{"MODEL":"Pixel 8"},"ApplicationInfoLabel":"My Bank"}}"#
        _ = try await DeviceNameTests.session(web, label)
        let page = try await SettingsSide(web).get().body
        #expect(page.contains("<strong>Pixel 8</strong><small>App</small>"))
        #expect(page.contains("<small>Calls itself “My Bank”</small>"))
        #expect(!page.contains("<strong>My Bank"))
    }

    @Test("one that calls itself what it is registered as is named once") func sameName()
        async throws
    {
        let web = try await WebSide()
        _ = try await DeviceNameTests.session(web, #"{"android":{"ApplicationInfoLabel":"App"}}"#)
        let page = try await SettingsSide(web).get().body
        #expect(page.contains("<strong>App</strong>\n"))
        #expect(!page.contains("Calls itself"))
    }

    @Test("sessions on one phone are one group, and say so") func deviceGroup() async throws {
        let web = try await WebSide()
        try await BiometricTests.User.allowFullAccess(web)
        let scope = "\(NativeSSOTests.scope) \(UserAccess.scope)"
        var secret: String?
        var answer: Answer?
        for _ in 0..<3 {
            let code = try await web.side.code(scope: scope)
            let form = [
                ("grant_type", "authorization_code"), ("client_id", "app"), ("code", code),
                ("redirect_uri", TokenSide.redirectURI), ("code_verifier", TokenSide.verifier),
            ]
            answer = try await NativeSSOTests.send(
                web,
                form + (secret.map { [("device_secret", $0)] } ?? [])
            )
            secret = answer?["device_secret"]?.string
        }
        let alone = try await SessionAPITests.session(web)
        let list = try await SessionAPITests.list(SessionAPITests.send(web, .get, alone))
        let groups = list.compactMap { $0["device_group"]?.string }
        let sids = list.compactMap { $0["sid"]?.string }
        // Newest first: the lone one, three of one phone, the browser's.
        #expect(groups == [sids[0], sids[3], sids[3], sids[3], sids[4]])
        let page = try await SettingsSide(web).get().body
        #expect(page.components(separatedBy: "On the same phone as App, App<").count == 4)
    }

    @Test("every address below the settings leads to them", arguments: ["identities/email", ""])
    func below(_ path: String) async throws {
        let web = try await WebSide()
        let (_, token) = try await AppSessionTokenTests.tokens(web)
        let issuer = web.side.project.issuer
        let opened = try await AppSessionTokenTests.open(
            web,
            token,
            ["redirect_uri": "\(issuer)/settings/\(path)"]
        )
        #expect(opened.status == 303)
        let cookie = String(try #require(opened.field("Set-Cookie").first).prefix { $0 != ";" })
        let there = try await web.send(.get, "/settings/\(path)", fields: [("cookie", cookie)])
        #expect(there.status == 303 && there.location == "/settings")
    }
}
