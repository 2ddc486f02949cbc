import InMemory
import TestSupport
import Testing

/// A browser driver and an issuer for one test, taken down whatever happens.
final class Stage {
    let server: PageServer
    private let driver: WebDriver
    private var browsers: [Chromium] = []

    private init() async throws {
        driver = try await WebDriver()
        server = try await PageServer()
    }

    static func with(_ body: (Stage) async throws -> Void) async throws {
        let stage = try await Stage()
        do {
            try await body(stage)
        } catch {
            await stage.end()
            throw error
        }
        await stage.end()
    }

    /// One more device.
    func browser(
        _ screen: Chromium.Screen = .desktop,
        runsScripts: Bool = true,
        hasMouse: Bool = false
    ) async throws -> Chromium {
        let browser = try await Chromium(
            driver,
            screen,
            runsScripts: runsScripts,
            hasMouse: hasMouse
        )
        browsers.append(browser)
        return browser
    }

    private func end() async {
        for browser in browsers { await browser.close() }
        driver.stop()
        await server.stop()
    }
}

extension Chromium {
    /// Types an address on the login page and posts it.
    func enter(_ address: String) async throws {
        try await wait(for: "#email")
        try await devTools(
            "Runtime.evaluate",
            ["expression": "document.getElementById('email').value = ''"]
        )
        try await type(address, into: "#email")
        try await click("main form button")
        try await wait(for: "main[data-status-url]")
    }

    /// The whole way from the login page: enters, opens the mail's link in a second tab, approves.
    func signIn(_ address: String, _ server: PageServer) async throws {
        let mails = server.side.mailQueue.sent.count
        try await enter(address)
        let link = try await server.link(after: mails)
        let first = try await window()
        try await openTab()
        try await open(link)
        try await click("button[value=approve]")
        try await wait(for: "main[data-result]")
        try await closeTab(backTo: first)
    }
}
