import Domain
import InMemory
import Issuing
import TestSupport
import Testing

@Suite("Signing in with a browser", .serialized, .timeLimit(.minutes(4))) struct SignInPageTests {
    @Test("the waiting page goes on by itself, and nothing is complained about")
    func withScript() async throws {
        try await Stage.with { stage in
            let browser = try await stage.browser()
            try await browser.open(stage.server.authorizeURL())
            let before = stage.server.side.store.commits.count
            try await browser.signIn(SignInSide.address, stage.server)
            try await browser.wait(for: "main[data-client]")
            let url = try await browser.url
            #expect(url.contains("/callback?code=ac_"))
            #expect(url.contains("state=a%20state%20with%20spaces%20%26%20signs"))
            #expect(stage.server.side.store.commits.count > before)
            #expect(try await browser.complaints().isEmpty)
        }
    }

    @Test("without script the page shows the button when it refreshes") func withoutScript()
        async throws
    {
        try await Stage.with { stage in
            let browser = try await stage.browser(runsScripts: false)
            try await browser.open(stage.server.authorizeURL())
            try await browser.type(SignInSide.address, into: "#email")
            try await browser.click("main form button")
            try await browser.wait(for: "main[data-status-url]")
            let other = try await stage.browser(.phone)
            try await other.open(stage.server.link())
            try await other.click("button[value=approve]")
            try await other.wait(for: "main[data-result=approved]")
            try await browser.wait(for: "#complete:not([hidden]) button")
            #expect(try await browser.text("h1") == "Approved")
            try await browser.click("#complete button")
            try await browser.wait(for: "main[data-client]")
            #expect(try await browser.url.contains("code=ac_"))
        }
    }

    @Test("with script the page does not refresh itself") func noRefresh() async throws {
        try await Stage.with { stage in
            let browser = try await stage.browser()
            try await browser.open(stage.server.authorizeURL())
            try await browser.enter(SignInSide.address)
            let loaded = try await browser.number("Math.round(performance.timeOrigin)")
            try await Task.sleep(for: .milliseconds(6_500))
            #expect(try await browser.number("Math.round(performance.timeOrigin)") == loaded)
        }
    }

    @Test("a keyboard is enough") func keyboard() async throws {
        try await Stage.with { stage in
            let browser = try await stage.browser()
            try await browser.open(stage.server.authorizeURL("third"))
            try await browser.wait(forFocusOn: "email")
            try await browser.press("\(SignInSide.address)\(Keys.enter)")
            try await browser.wait(for: "main[data-status-url]")
            let waiting = try await browser.window()
            try await browser.openTab()
            try await browser.open(stage.server.link())
            try await browser.press(Keys.tab)
            try await browser.wait(forFocusOn: "action")
            try await browser.press(Keys.enter)
            try await browser.wait(for: "main[data-result=approved]")
            try await browser.closeTab(backTo: waiting)
            try await browser.wait(for: "button[value=allow]")
            try await browser.press("\(Keys.tab)\(Keys.enter)")
            try await browser.wait(for: "main[data-client]")
            #expect(try await browser.url.contains("code=ac_"))
        }
    }

    @Test("the number of the waiting page is picked on the other device") func number()
        async throws
    {
        try await Stage.with { stage in
            let browser = try await stage.browser()
            try await browser.open(stage.server.authorizeURL("confirming"))
            try await browser.enter(SignInSide.address)
            let number = try await browser.text(".number strong")
            let phone = try await stage.browser(.phone)
            try await phone.open(stage.server.link())
            #expect(try await phone.text("dl").contains("Example Invest"))
            #expect(try await phone.count("input[name=number]") == 3)
            try await phone.keepPicture("12-numbers-phone")
            try await phone.choose("input[name=number][value='\(number)']")
            try await phone.click("button[value=approve]")
            try await phone.wait(for: "main[data-result=approved]")
            try await browser.wait(for: "main[data-client]")
            #expect(try await browser.complaints().isEmpty)
        }
    }

    @Test("form_post is posted by script, or by the button", arguments: [true, false])
    func formPost(_ runsScripts: Bool) async throws {
        try await Stage.with { stage in
            let browser = try await stage.browser(runsScripts: runsScripts)
            let url = stage.server.authorizeURL(
                "web",
                ["prompt": "none", "response_mode": "form_post"]
            )
            try await browser.open(url)
            if !runsScripts { try await browser.click("main form button") }
            try await browser.wait(for: "main[data-client]")
            #expect(try await browser.text("#posted").contains("error=login_required"))
            #expect(try await browser.complaints().isEmpty)
        }
    }

    @Test("cancel goes back to the client, which hears access_denied") func cancel() async throws {
        try await Stage.with { stage in
            let browser = try await stage.browser(.phone)
            try await browser.open(stage.server.authorizeURL())
            try await browser.click(".quiet button")
            try await browser.wait(for: "main[data-client]")
            #expect(try await browser.url.contains("error=access_denied"))
        }
    }

    @Test("names are text, whatever is in them") func markup() async throws {
        try await Stage.with { stage in
            let name = "<b onclick=\"x()\">O'Neil & Söhne</b>"
            stage.server.side.reconfigure { settings in
                settings.name = name
                for index in settings.clients.indices { settings.clients[index].name = name }
            }
            let browser = try await stage.browser()
            try await browser.open(stage.server.authorizeURL())
            #expect(try await browser.text("main .lead").contains(name))
            #expect(try await browser.text("header").contains(name))
            #expect(try await browser.title == "Sign in · \(name)")
            #expect(try await browser.count("b") == 0)
        }
    }

    @Test("logging out takes a button, and then the session is gone") func logout() async throws {
        try await Stage.with { stage in
            let browser = try await stage.browser()
            try await browser.open(stage.server.authorizeURL())
            try await browser.signIn(SignInSide.address, stage.server)
            try await browser.wait(for: "main[data-client]")
            let bye = "\(stage.server.site)/bye"
            try await browser.open(
                "\(stage.server.issuer)/oauth2/end_session?client_id=web"
                    + "&post_logout_redirect_uri=\(bye)&state=s"
            )
            try await browser.click("main form button")
            try await browser.wait(for: "main[data-client]")
            #expect(try await browser.url == "\(bye)?state=s")
            try await browser.open(stage.server.authorizeURL("web", ["prompt": "none"]))
            #expect(try await browser.url.contains("error=login_required"))
            #expect(try await browser.complaints().isEmpty)
        }
    }
}

/// Keys without a character (WebDriver section 17.4.2).
enum Keys {
    static let tab = "\u{E004}"
    static let enter = "\u{E007}"
}
