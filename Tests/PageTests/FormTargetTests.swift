import InMemory
import Issuing
import TestSupport
import Testing

/// A browser holds every redirect on a form's way against the page's policy, also the client's own.
@Suite("A redirect URI that leads on to another origin", .serialized) struct FormTargetTests {
    private static func arrives(_ browser: Chromium) async throws {
        try await browser.wait(for: "main[data-client]")
        #expect(try await browser.url.hasPrefix("http://localhost:"))
        #expect(try await browser.url.contains("/arrived?"))
        #expect(try await browser.complaints().isEmpty)
    }

    @Test("is arrived at from the waiting page, and by the button of the logout")
    func completes() async throws {
        try await Stage.with { stage in
            let browser = try await stage.browser()
            let moved = "\(stage.server.site)\(ClientSite.moved)"
            try await browser.open(stage.server.authorizeURL("web", ["redirect_uri": moved]))
            try await browser.signIn(SignInSide.address, stage.server)
            try await Self.arrives(browser)
            #expect(try await browser.url.contains("code=ac_"))
            try await browser.open(
                "\(stage.server.issuer)/oauth2/end_session?client_id=web"
                    + "&post_logout_redirect_uri=\(moved)&state=s"
            )
            try await browser.click("main form button")
            try await Self.arrives(browser)
            #expect(try await browser.url.hasSuffix("state=s"))
        }
    }

    @Test("is arrived at from the consent, and from the page of form_post")
    func consents() async throws {
        try await Stage.with { stage in
            let browser = try await stage.browser()
            let moved = "\(stage.server.site)\(ClientSite.moved)"
            try await browser.open(stage.server.authorizeURL("third", ["redirect_uri": moved]))
            try await browser.signIn(SignInSide.address, stage.server)
            try await browser.wait(for: "button[value=allow]")
            try await browser.click("button[value=allow]")
            try await Self.arrives(browser)
            let changes = [
                "redirect_uri": moved, "prompt": "none", "response_mode": "form_post",
            ]
            try await browser.open(stage.server.authorizeURL("web", changes))
            try await Self.arrives(browser)
        }
    }
}
