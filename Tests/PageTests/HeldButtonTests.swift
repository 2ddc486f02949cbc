import InMemory
import TestSupport
import Testing

/// A page of somebody else's has its visitor click twice, and is gone, or out of the way, after the
/// first click (Security 4.5).
@Suite("A click that was meant for another page", .serialized, .timeLimit(.minutes(4)))
struct HeldButtonTests {
    private static let button = "button[value=continue]"

    /// Whether a press on the continue page does nothing, and leaves it there.
    ///
    /// A busy machine may press too late; then it is tried again.
    private static func stays(
        _ browser: Chromium,
        _ server: PageServer,
        after press: () async throws -> Void
    ) async throws -> Bool {
        for _ in 0..<5 {
            try await browser.moveMouseAway()
            try await browser.open(server.authorizeURL("web", ["prompt": "select_account"]))
            try await browser.wait(for: button)
            try await browser.noteSubmits()
            try await press()
            // Before the page is looked for: the next one has noted nothing either.
            let hasSubmitted = try? await browser.hasSubmitted()
            let isThere = try await browser.count(button) == 1
            if hasSubmitted == false, isThere { return true }
        }
        return false
    }

    @Test("attack: our page comes between two clicks: at once a press does nothing, later it does")
    func atOnce() async throws {
        try await Stage.with { stage in
            let browser = try await stage.browser()
            try await browser.open(stage.server.authorizeURL())
            try await browser.signIn(SignInSide.address, stage.server)
            try await browser.wait(for: "main[data-client]")
            let stays = try await Self.stays(browser, stage.server) {
                try await browser.pressMouse(on: Self.button)
            }
            #expect(stays)
            try await browser.wait(untilTaking: Self.button)
            try await browser.pressMouse(on: Self.button)
            try await browser.wait(for: "main[data-client]")
            #expect(try await browser.url.contains("code=ac_"))
        }
    }

    @Test("attack: our page lay ready beneath: no press counts before the mouse has been there")
    func beneath() async throws {
        try await Stage.with { stage in
            let browser = try await stage.browser(hasMouse: true)
            let mails = stage.server.side.mailQueue.sent.count
            try await browser.open(stage.server.authorizeURL())
            try await browser.enter(SignInSide.address)
            let phone = try await stage.browser(.phone)
            try await phone.open(stage.server.link(after: mails))
            try await phone.click("button[value=approve]")
            try await browser.wait(for: "main[data-client]")
            let stays = try await Self.stays(browser, stage.server) {
                try await browser.wait(untilTaking: Self.button)
                try await browser.pressMouse(on: Self.button)
            }
            #expect(stays)
            try await browser.wait(untilTaking: Self.button)
            try await browser.pressMouse(on: Self.button)
            try await browser.wait(for: "main[data-client]")
        }
    }

    @Test(
        "is kept off wherever a press gives or ends something, where no button has the focus",
        arguments: [false, true]
    )
    func pages(_ isMotionReduced: Bool) async throws {
        try await Stage.with { stage in
            let server = stage.server
            let browser = try await stage.browser()
            if isMotionReduced { try await browser.prefersReducedMotion() }
            try await browser.open(server.authorizeURL("third"))
            let mails = server.side.mailQueue.sent.count
            try await browser.enter(SignInSide.address)
            try await browser.open(server.link(after: mails))
            #expect(try await browser.holdsAllButtons(), "approval")
            try await browser.open(server.authorizeURL("third"))
            try await browser.signIn("grace.hopper@example.com", server)
            try await browser.wait(for: "button[value=allow]")
            #expect(try await browser.holdsAllButtons(), "consent")
            let others = [
                server.authorizeURL("web", ["prompt": "select_account"]),
                "\(server.issuer)/settings", "\(server.issuer)/oauth2/end_session?client_id=web",
            ]
            for page in others {
                try await browser.open(page)
                #expect(try await browser.holdsAllButtons(), "\(page)")
            }
        }
    }
}

extension Chromium {
    /// Presses the mouse where an element is, whatever takes the press; it was not moved there.
    fileprivate func pressMouse(on selector: String) async throws {
        let box = "document.querySelector('\(selector)').getBoundingClientRect()"
        let x = try await number("Math.round((\(box).left + \(box).right) / 2)")
        let y = try await number("Math.round((\(box).top + \(box).bottom) / 2)")
        for type in ["mousePressed", "mouseReleased"] {
            try await devTools(
                "Input.dispatchMouseEvent",
                ["type": type, "x": x, "y": y, "button": "left", "clickCount": 1]
            )
        }
    }

    fileprivate func moveMouseAway() async throws {
        try await devTools("Input.dispatchMouseEvent", ["type": "mouseMoved", "x": -5, "y": -5])
    }

    fileprivate func noteSubmits() async throws {
        _ = try await number(
            "(() => { addEventListener('submit', () => { window.submits = 1; }); return 0; })()"
        )
    }

    /// Since `noteSubmits()`.
    fileprivate func hasSubmitted() async throws -> Bool {
        try await number("window.submits ?? 0") == 1
    }

    /// Waits until a press where the element is falls on it.
    fileprivate func wait(untilTaking selector: String) async throws {
        let style = "getComputedStyle(document.querySelector('\(selector)'))"
        try await Waiting.until("\(selector) to take a press") {
            try await number("\(style).pointerEvents === 'none' ? 0 : 1") == 1
        }
    }

    /// Whether there are buttons, each takes no press at first, and none has the focus.
    fileprivate func holdsAllButtons() async throws -> Bool {
        let buttons = "[...document.querySelectorAll('main button')]"
        let held =
            "\(buttons).every((one) => { const style = getComputedStyle(one); return "
            + "/^held/.test(style.animationName) && /^0.8s/.test(style.animationDuration); })"
        let isBare = "document.activeElement === document.body"
        return try await number("\(buttons).length > 0 && \(held) && \(isBare) ? 1 : 0") == 1
    }
}
