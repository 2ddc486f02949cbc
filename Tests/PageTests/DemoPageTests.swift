import Foundation
import TestSupport
import Testing

/// The demo of `deploy/dev`: an app opens the vendor's web page, logged in by a cookie
/// (WireContract 4.4).
@Suite("The demo's web client", .serialized, .timeLimit(.minutes(4))) struct DemoPageTests {
    /// The stand-in for the app, signed in, and the address that it got for its web page.
    private func address(_ browser: Chromium, _ stack: RunningStack) async throws -> String {
        let app = try Fixture.some(stack.facts["DEMO_APP_URL"])
        try await browser.open("\(app)/")
        if try await browser.count("form[action='/sign-in']") > 0 {
            try await browser.click("form[action='/sign-in'] button")
            try await browser.signIn("demo-\(UUID().uuidString)@example.com", mails: stack)
        }
        try await browser.wait(for: "main[data-state=app-signed-in]")
        try await browser.click("form[action='/open'] button")
        try await browser.wait(for: "#url")
        return try await browser.text("#url")
    }

    @Test("the app's address opens it once, without a login, until the app is signed out")
    func opens() async throws {
        let stack = try RunningStack.running()
        let offers = try Fixture.some(stack.facts["OFFERS_URL"])
        try await withBrowser { browser in
            try await browser.open("\(offers)/")
            try await browser.wait(for: "main[data-state=signed-out]")
            let address = try await address(browser, stack)
            try await browser.open(address)
            try await browser.wait(for: "main[data-state=signed-in]")
            #expect(try await browser.url == "\(offers)/")
            #expect(try await browser.text("dl").contains("offers"))
            try await browser.keepPicture("15-demo-offers")
            try await browser.open("\(offers)/")
            try await browser.wait(for: "main[data-state=signed-in]")
            // The user signs the app out at the issuer: the cookie's token is dead at once.
            try await browser.open("\(stack.issuer)/settings")
            try await browser.click("li:not(:has(.here)) button[value=sign_out]")
            try await Waiting.until("one session less") {
                try await browser.count(".things li") == 1
            }
            try await browser.open("\(offers)/")
            try await browser.wait(for: "main[data-state=signed-out]")
            #expect(try await browser.text().contains("has ended"))
        }
    }

    @Test("attack: the address comes from another page's link, or a second time")
    func misused() async throws {
        let stack = try RunningStack.running()
        let offers = try Fixture.some(stack.facts["OFFERS_URL"])
        try await withBrowser { browser in
            let address = try await address(browser, stack)
            try await browser.follow(address)
            try await browser.wait(for: "main[data-state=signed-out]")
            #expect(try await browser.url.contains("error=interaction_required"))
            // Nothing was used up: by itself it opens, once.
            try await browser.open(address)
            try await browser.wait(for: "main[data-state=signed-in]")
            try await browser.open(address)
            #expect(try await browser.url.hasPrefix("\(offers)/?error=invalid_request"))
        }
    }

    private func withBrowser(_ body: (Chromium) async throws -> Void) async throws {
        let driver = try await WebDriver()
        defer { driver.stop() }
        let browser = try await Chromium(driver)
        do { try await body(browser) } catch {
            await browser.close()
            throw error
        }
        await browser.close()
    }
}

extension Chromium {
    /// The whole way from the login page, with the mail of a running stack.
    fileprivate func signIn(_ address: String, mails stack: RunningStack) async throws {
        try await enter(address)
        let link = try await stack.loginLink(to: address)
        let first = try await window()
        try await openTab()
        try await open(link)
        try await click("button[value=approve]")
        try await wait(for: "main[data-result]")
        try await closeTab(backTo: first)
    }

    /// Goes there as a link of the open page leads.
    fileprivate func follow(_ target: String) async throws {
        let link = try String(decoding: JSONEncoder().encode(target), as: UTF8.self)
        _ = try await number("(() => { location.href = \(link); return 1; })()")
    }
}

extension RunningStack {
    /// The login link that was mailed to an address; waits for it.
    fileprivate func loginLink(to address: String) async throws -> String {
        let page = try Fixture.some(facts["MAIL_PAGE"])
        let host = page.replacing("http://", with: "")
        let request =
            "GET /links.json?to=\(address) HTTP/1.1\r\nHost: \(host)\r\n"
            + "Connection: close\r\n\r\n"
        var found: String?
        try await Waiting.until("a mail to \(address)") {
            let answer = try await WireClient.exchange(Data(request.utf8), with: page)
            let all = try JSONSerialization.jsonObject(with: answer.body)
            found = (all as? [[String: Any]])?.first.flatMap { ($0["links"] as? [String])?.first }
            return found != nil
        }
        return try Fixture.some(found)
    }
}
