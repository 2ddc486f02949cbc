import InMemory
import Issuing
import TestSupport
import Testing

/// A phone shows the mail's link while the waiting page is in the background (WireContract 7.1).
@Suite("A waiting page in the background", .serialized, .timeLimit(.minutes(4)))
struct BackgroundTests {
    /// Approves on another device.
    private static func approve(_ stage: Stage, _ mails: Int) async throws {
        let phone = try await stage.browser(.phone)
        try await phone.open(stage.server.link(after: mails))
        try await phone.click("button[value=approve]")
        try await phone.wait(for: "main[data-result=approved]")
    }

    @Test("spends nothing until it is looked at again") func hidden() async throws {
        try await Stage.with { stage in
            let browser = try await stage.browser()
            let mails = stage.server.side.mailQueue.sent.count
            try await browser.open(stage.server.authorizeURL())
            try await browser.enter(SignInSide.address)
            try await browser.setHidden(true)
            try await Self.approve(stage, mails)
            let commits = stage.server.side.store.commits.count
            try await Task.sleep(for: .seconds(2))
            #expect(stage.server.side.store.commits.count == commits)
            #expect(try await browser.url.hasPrefix(stage.server.issuer))
            try await browser.setHidden(false)
            try await browser.wait(for: "main[data-client]")
            #expect(try await browser.url.contains("/callback?code=ac_"))
        }
    }

    @Test("that leads to an app waits for a tap on Android, which opens none without")
    func tapped() async throws {
        try await Stage.with { stage in
            let browser = try await stage.browser(.phone)
            try await browser.becomeAndroid()
            let mails = stage.server.side.mailQueue.sent.count
            let callback = ["redirect_uri": PageServer.appCallback]
            try await browser.open(stage.server.authorizeURL("app", callback))
            try await browser.enter(SignInSide.address)
            // The tap on the button before is over.
            try await Task.sleep(for: .seconds(6))
            try await Self.approve(stage, mails)
            let commits = stage.server.side.store.commits.count
            try await browser.wait(for: "#complete:not([hidden]) button")
            #expect(try await browser.text("h1") == "Approved")
            #expect(stage.server.side.store.commits.count == commits)
            try await browser.click("#complete button")
            try await Waiting.until("the code") {
                stage.server.side.store.commits.count > commits
            }
        }
    }

    @Test("that has opened an app says so, and offers nothing of before") func besideApp()
        async throws
    {
        try await Stage.with { stage in
            let browser = try await stage.browser()
            let mails = stage.server.side.mailQueue.sent.count
            let callback = ["redirect_uri": PageServer.appCallback]
            try await browser.open(stage.server.authorizeURL("app", callback))
            try await browser.enter(SignInSide.address)
            #expect(try await browser.text().contains("Cancel"))
            // The page stays, as where the app opens.
            try await browser.devTools(
                "Runtime.evaluate",
                ["expression": "HTMLFormElement.prototype.submit = () => {}"]
            )
            try await Self.approve(stage, mails)
            try await browser.wait(for: "#complete:not([hidden]) button")
            let text = try await browser.text()
            #expect(text.hasPrefix("Approved") && text.contains("If the application did not open"))
            for gone in ["Check your e-mail", "We sent", "Send it again", "Cancel"] {
                #expect(!text.contains(gone), "\(gone)")
            }
        }
    }
}
