import InMemory
import TestSupport
import Testing

@Suite("Settings in a browser", .serialized, .timeLimit(.minutes(4))) struct SettingsPageTests {
    @Test("a lost phone is signed out and its finger removed, with a keyboard alone")
    func keyboard() async throws {
        try await Stage.with { stage in
            let browser = try await stage.browser(runsScripts: false)
            try await browser.signInPhone(stage.server)
            try await stage.server.addKey()
            try await browser.open("\(stage.server.issuer)/settings")
            #expect(try await browser.text("h1") == "Your account")
            #expect(try await browser.text(".lead").contains("a•••@example.com"))
            #expect(try await browser.text(".things").contains("Google Pixel 8"))
            #expect(try await browser.count(".here") == 1)
            #expect(try await browser.count(".things li") == 3)
            // The newest session comes first, and the key last.
            try await browser.press("\(Keys.tab)\(Keys.enter)")
            try await browser.wait(untilGone: "Google Pixel 8")
            #expect(try await browser.count(".things li") == 2)
            try await browser.press("\(Keys.tab)\(Keys.tab)\(Keys.enter)")
            try await browser.wait(untilGone: "A phone")
            #expect(try await browser.count(".things li") == 1)
            #expect(try await browser.text().contains("No phone signs in as you"))
            #expect(try await browser.complaints().isEmpty)
        }
    }

    @Test("all others are signed out at once, this browser stays until it is signed out, too")
    func others() async throws {
        try await Stage.with { stage in
            let browser = try await stage.browser(.phone)
            try await browser.signInPhone(stage.server)
            try await browser.open("\(stage.server.issuer)/settings")
            try await browser.click("button[value=sign_out_others]")
            try await browser.wait(untilGone: "Google Pixel 8")
            #expect(try await browser.count("button[value=sign_out_others]") == 0)
            try await browser.click("button[value=sign_out]")
            try await browser.wait(for: "main[data-result=signed_out]")
            try await browser.open("\(stage.server.issuer)/settings")
            #expect(try await browser.count("main[data-error=login_required]") == 1)
        }
    }

    @Test("what an application was allowed is taken back, and it has to ask again")
    func consent() async throws {
        try await Stage.with { stage in
            let browser = try await stage.browser(.phone)
            try await browser.signInPhone(stage.server)
            try await browser.open(stage.server.authorizeURL("third"))
            try await browser.click("button[value=allow]")
            try await browser.wait(for: "main[data-client]")
            try await browser.open("\(stage.server.issuer)/settings")
            #expect(try await browser.text().contains("What you have allowed"))
            #expect(try await browser.text().contains("Know who you are"))
            try await browser.click("button[value=withdraw_consent]")
            try await browser.wait(untilGone: "Budget Planner")
            try await browser.open(stage.server.authorizeURL("third"))
            try await browser.wait(for: "button[value=allow]")
            #expect(try await browser.complaints().isEmpty)
        }
    }

    @Test("a form that another site posts is refused, and the session lives on")
    func otherSite() async throws {
        try await Stage.with { stage in
            let browser = try await stage.browser()
            try await browser.signInPhone(stage.server)
            try await browser.open("\(stage.server.issuer)/settings")
            let form = try await browser.copyOfForm("button[value=sign_out_others]")
            try await browser.open("\(stage.server.site)/evil")
            try await browser.post(form, to: "\(stage.server.issuer)/settings")
            try await browser.wait(for: "main[data-error]")
            try await browser.open("\(stage.server.issuer)/settings")
            #expect(try await browser.text(".things").contains("Google Pixel 8"))
        }
    }
}

extension Chromium {
    /// Signs in to an app, which redeems its code on a phone; the browser is signed in, too.
    func signInPhone(_ server: PageServer) async throws {
        try await open(server.appURL())
        try await signIn(SignInSide.address, server)
        try await wait(for: "main[data-client], #complete:not([hidden]) button")
        if try await count("#complete button") > 0 { try await click("#complete button") }
        try await wait(for: "main[data-client]")
        try await server.redeem(try await url, on: "Pixel 8")
    }

    func wait(untilGone text: String) async throws {
        try await Waiting.until("a page without \(text)") {
            try await !self.text().contains(text)
        }
    }
}
