import Domain
import Foundation
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// The settings of a user (WireContract 2, 9.5 and 9.6).
@Suite("Settings") struct SettingsTests {
    @Test("show who and where one is signed in, and change nothing") func shows() async throws {
        let web = try await WebSide()
        let phone = try await SessionAPITests.session(web)
        let side = SettingsSide(web)
        let commits = web.commits
        for path in ["/settings", "/settings/sessions", "/settings?iss=x&state=y&error=z"] {
            let page = try await side.get(path)
            #expect(page.status == 200)
            #expect(page.body.contains("<strong>a•••@example.com</strong>"))
            #expect(page.body.components(separatedBy: "You are here").count == 2)
            #expect(page.body.contains("No phone signs in as you"))
            #expect(!page.body.contains("<script"))
            let policy = page.field("content-security-policy").first ?? ""
            #expect(policy.hasPrefix("default-src 'none';") && !policy.contains("script-src"))
            #expect(page.field("cache-control") == ["no-store"])
            let forms = SettingsSide.forms(page)
            let browser = web.side.browser.description
            #expect(Set(forms.keys) == [try side.sid(phone), browser, ""])
        }
        #expect(web.commits == commits)
    }

    @Test("sign an app out, for good; the same form again does nothing more") func signsOut()
        async throws
    {
        let web = try await WebSide()
        let (phone, other) = (
            try await SessionAPITests.session(web), try await SessionAPITests.session(web)
        )
        let side = SettingsSide(web)
        let form = try #require(try await side.forms()[side.sid(phone)])
        let done = try await side.post(form)
        #expect(done.status == 303 && done.location == "/settings")
        #expect(try await NativeSSOTests.isActive(web, phone) == false)
        #expect(try await NativeSSOTests.isActive(web, other))
        #expect(try await side.forms()[side.sid(phone)] == nil)
        let commits = web.commits
        #expect(try await side.post(form).status == 303)
        #expect(web.commits == commits)
    }

    @Test("sign out everywhere else; the browser stays") func signsOthersOut() async throws {
        let web = try await WebSide()
        let phone = try await SessionAPITests.session(web)
        let code = try await web.side.code(
            scope: AppSessionTokenTests.scope,
            browser: web.side.browser
        )
        let joined = try await DeviceKeyTests.redeem(web, code: code, jwt: nil, client: "app")
        let side = SettingsSide(web)
        let form = try #require(try await side.forms()[""])
        let done = try await side.post(form)
        #expect(done.status == 303)
        for session in [phone, joined] {
            #expect(try await NativeSSOTests.isActive(web, session) == false)
        }
        #expect(Set(try await side.forms().keys) == [web.side.browser.description])
    }

    @Test("sign this browser out: a page says so, and the cookies go") func signsSelfOut()
        async throws
    {
        let web = try await WebSide()
        let side = SettingsSide(web)
        let form = try #require(try await side.forms()[web.side.browser.description])
        let done = try await side.post(form)
        #expect(done.status == 303 && done.location == "/logout")
        #expect(done.field("set-cookie").allSatisfy { $0.contains("Max-Age=0") })
        // Neither a URL's view nor a web client's token was there.
        #expect(done.field("set-cookie").count == 3)
        #expect(try await side.get().status == 403)
        let again = try await web.expectNothingRecorded { try await side.post(form) }
        #expect(again.status == 303 && again.location == "/logout")
        #expect(again.field("set-cookie").count == 3)
        let other = form.replacing(
            web.side.browser.description,
            with: Sample.session(9).description
        )
        #expect(try await side.post(other).status == 403)
    }

    @Test("an older tab's button, after a login in another: nothing changes, and the page leads on")
    func otherTab() async throws {
        var side = try await PageSide()
        try await side.signIn()
        let old = SettingsSide.forms(await side.get("/settings"))
        // An address gets one mail a minute.
        side.side.clock.advance(seconds: 61)
        try await side.signIn(["prompt": "login"])
        let commits = side.side.store.commits.count
        for form in old.values {
            let refused = await side.post("/settings", "\(form)&x_color_scheme=dark")
            #expect(refused.status == 403 && refused.pageError == "access_denied")
            #expect(refused.body.contains("This page is out of date"))
            #expect(refused.attribute("<a href") == "/settings?x_color_scheme=dark")
        }
        #expect(side.side.store.commits.count == commits)
        let fresh = SettingsSide.forms(await side.get("/settings"))
        #expect(!old.isEmpty && Set(fresh.keys) == Set(old.keys))
        let done = await side.post("/settings", try #require(fresh.values.first))
        #expect(done.status == 303)
    }

    @Test("remove a biometric key, with the session that it opened") func removesKey()
        async throws
    {
        let web = try await WebSide()
        let user = try await BiometricTests.User(web)
        let login = try await user.authenticate(user.jwt("authenticate"))
        let side = SettingsSide(web)
        let form = try #require(try await side.forms()[user.kid])
        #expect(try await side.post(form).status == 303)
        #expect(try await NativeSSOTests.isActive(web, login) == false)
        let again = try await user.authenticate(user.jwt("authenticate"))
        #expect(again["error_description"]?.string == "InvalidCredentials")
        #expect(try await side.forms()[user.kid] == nil)
    }

    @Test("opened by an app with its token: for twenty minutes, and no longer than its session")
    func byApp() async throws {
        let web = try await WebSide()
        let other = try await SessionAPITests.session(web)
        let (side, refresh) = try await SettingsSide.openedByApp(web)
        let form = try #require(try await side.forms()[""])
        #expect(try await side.post(form).status == 303)
        #expect(try await NativeSSOTests.isActive(web, other) == false)
        #expect(try await DPoPTests.refresh(web, refresh).status == 200)
        web.side.clock.advance(seconds: 1199)
        #expect(try await side.get().status == 200)
        web.side.clock.advance(seconds: 1)
        #expect(try await side.get().status == 403)
    }

    @Test("an app's own session is signed out from the page that it opened") func byAppItself()
        async throws
    {
        let web = try await WebSide()
        let (side, refresh) = try await SettingsSide.openedByApp(web)
        let page = try await side.get()
        let current = try #require(
            page.body.components(separatedBy: "<li>").first { $0.contains("You are here") }
        )
        let sid = try #require(
            current.components(separatedBy: "name=\"sid\" value=\"").dropFirst().first
        ).prefix { $0 != "\"" }
        let form = try #require(SettingsSide.forms(page)[String(sid)])
        #expect(try await side.post(form).location == "/logout")
        #expect(try await DPoPTests.refresh(web, refresh).error == "invalid_grant")
        #expect(try await side.get().status == 403)
    }

    @Test("fifty sessions a page, and a way to the older ones") func pages() async throws {
        let web = try await WebSide()
        for _ in 0..<51 { _ = try await web.side.redeem(try await web.side.code()) }
        let side = SettingsSide(web)
        let page = try await side.get()
        let link = try #require(
            page.body.components(separatedBy: "<a href=\"").dropFirst().first
        ).prefix { $0 != "\"" }
        #expect(SettingsSide.forms(page).count == 51)
        let rest = try await side.get(String(link))
        #expect(rest.status == 200 && SettingsSide.forms(rest).count == 3)
        #expect(try await side.get("/settings?cursor=x").pageError == "invalid_request")
    }

    @Test("every other page of the settings is this one, in the same colours") func elsewhere()
        async throws
    {
        let side = SettingsSide(try await WebSide())
        let plain = try await side.get("/settings/profile")
        #expect(plain.status == 303 && plain.location == "/settings")
        let dark = try await side.get("/settings/mfa?x_color_scheme=dark&next=https://evil.example")
        #expect(dark.location == "/settings?x_color_scheme=dark")
        let posted = try await side.web.send(.post, "/settings/profile")
        #expect(posted.status == 405)
    }
}
