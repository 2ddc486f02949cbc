import InMemory
import Issuing
import TestSupport
import Testing

/// Every page on both screens in both colours; with `SCREENSHOTS=<folder>` the pictures stay.
@Suite("Pages on screens", .serialized, .timeLimit(.minutes(4))) struct PictureTests {
    struct Device: Sendable, CustomTestStringConvertible {
        var screen: Chromium.Screen
        var isDark: Bool

        var testDescription: String { name }
        var name: String { "\(screen.rawValue)-\(isDark ? "dark" : "light")" }
    }

    /// Each screen once; all four pairs when somebody wants to look.
    static let devices =
        [Device(screen: .phone, isDark: false), Device(screen: .desktop, isDark: true)]
        + (Chromium.keepsPictures
            ? [Device(screen: .phone, isDark: true), Device(screen: .desktop, isDark: false)] : [])

    @Test("no page is wider than its screen", arguments: devices)
    func fits(_ device: Device) async throws {
        try await Stage.with { stage in
            let browser = try await stage.browser(device.screen)
            if device.isDark { try await browser.prefersDark() }
            for page in Self.pages {
                try await page.reach(browser, stage.server)
                let width = try await browser.number("document.documentElement.scrollWidth")
                #expect(width <= device.screen.size.width, "\(page.name)")
                try await browser.keepPicture("\(page.name)-\(device.name)")
            }
        }
    }

    /// A page, and how somebody comes to it.
    struct Visited: Sendable {
        var name: String
        var reach: @Sendable (Chromium, PageServer) async throws -> Void
    }

    static let pages = [
        Visited(name: "01-login") { browser, server in
            try await browser.open(server.authorizeURL("third"))
        },
        Visited(name: "02-login-refused") { browser, _ in
            try await browser.type("ada.example.com", into: "#email")
            try await browser.clickWithoutValidation("main form button")
            try await browser.wait(for: "#fault")
        },
        Visited(name: "03-waiting") { browser, server in
            try await browser.enter("ada.lovelace@example.com")
            _ = try await server.link(after: 0)
        },
        Visited(name: "04-link") { browser, server in
            try await browser.open(server.link())
        },
        Visited(name: "05-approved") { browser, _ in
            try await browser.click("button[value=approve]")
            try await browser.wait(for: "main[data-result]")
        },
        Visited(name: "15-link-refused") { browser, server in
            try await browser.open(server.authorizeURL("third"))
            let mails = server.side.mailQueue.sent.count
            try await browser.enter("alan.turing@example.com")
            let link = try await server.link(after: mails)
            let first = try await browser.window()
            try await browser.openTab()
            try await browser.open(link)
            try await browser.click("button[value=deny]")
            try await browser.wait(for: "main[data-result=denied]")
            try await browser.closeTab(backTo: first)
            try await browser.wait(for: "main[data-status=denied]")
        },
        Visited(name: "06-consent") { browser, server in
            try await browser.open(server.authorizeURL("third"))
            try await browser.signIn("grace.hopper@example.com", server)
            try await browser.wait(for: "button[value=allow]")
        },
        Visited(name: "07-continue") { browser, server in
            try await browser.open(server.authorizeURL("app", ["prompt": "select_account"]))
            try await browser.wait(for: "button[value=other]")
        },
        Visited(name: "13-settings") { browser, server in
            try await browser.open(server.appURL())
            try await browser.click("button[value=continue]")
            try await browser.wait(for: "main[data-client]")
            try await server.redeem(try await browser.url, on: "Pixel 8")
            try await server.addKey()
            try await browser.open(server.authorizeURL("third"))
            try await browser.click("button[value=allow]")
            try await browser.wait(for: "main[data-client]")
            try await browser.open("\(server.issuer)/settings")
            try await browser.wait(for: ".here")
        },
        Visited(name: "17-settings-consents") { browser, server in
            try await browser.open("\(server.issuer)/settings#consents")
            try await browser.wait(for: "button[value=withdraw_consent]")
        },
        Visited(name: "08-number") { browser, server in
            try await browser.open(server.authorizeURL("confirming", ["prompt": "login"]))
            try await browser.enter("ada.lovelace@example.com")
        },
        Visited(name: "09-logout") { browser, server in
            try await browser.open("\(server.issuer)/oauth2/end_session?client_id=web")
            try await browser.wait(for: "main form button")
        },
        Visited(name: "10-signed-out") { browser, _ in
            try await browser.click("main form button")
            try await browser.wait(for: "main[data-result]")
        },
        Visited(name: "14-settings-signed-out") { browser, server in
            try await browser.open("\(server.issuer)/settings")
        },
        Visited(name: "18-other-mail") { browser, server in
            var other = TestBrowser(server.side)
            let mails = server.side.mailQueue.sent.count
            let callback = "\(server.site)/callback"
            let step = try await other.authorize("third", ["redirect_uri": callback])
            _ = try await other.enter("joan.clarke@example.com", at: step)
            _ = try await server.side.mails.run(by: Fixture.noDeadline)
            let link = try await server.link(after: mails)
            try await browser.open(server.authorizeURL("third", ["prompt": "login"]))
            try await browser.enter("mary.somerville@example.com")
            try await browser.open(link)
            try await browser.wait(for: "button[value=deny]")
        },
        Visited(name: "11-error") { browser, server in
            try await browser.open(server.authorizeURL("nobody"))
        },
        Visited(name: "16-nowhere") { browser, server in
            try await browser.open("\(server.issuer)/nowhere")
            try await browser.wait(for: "main")
        },
    ]
}
