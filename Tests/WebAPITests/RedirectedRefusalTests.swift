import HTTPServer
import TestSupport
import Testing

/// What the log says of refusals that go back to the client through the browser.
@Suite("A refusal that goes back to the client") struct RedirectedRefusalTests {
    private typealias URLs = PreAuthenticatedURLTests
    private typealias Tokens = AppSessionTokenTests

    @Test("has its cause in the log") func redirected() async throws {
        let web = try await WebSide()
        let exchanged = try await URLs.exchange(web, try await URLs.session(web))
        _ = try await URLs.open(web, exchanged)
        let again = try await URLs.open(web, exchanged)
        #expect(again.word == "303 invalid_request")
        #expect(again.refusal?.id == "PU-005")
        #expect(again.refusal?.cause == "unknown or used")
        let silent = try await web.send(
            .get,
            "/oauth2/authorize?\(PushedRequestTests.form())&prompt=none"
        )
        #expect(silent.word == "303 login_required")
        #expect(silent.refusal?.cause == "nothing counts")
    }

    @Test("has it there by a form, too") func posted() async throws {
        let web = try await WebSide()
        let token = try await Tokens.tokens(web).browser
        let changes = ["redirect_uri": TokenSide.redirectURI, "response_mode": "form_post"]
        _ = try await Tokens.open(web, token, changes)
        let again = try await Tokens.open(web, token, changes)
        #expect(again.status == 200)
        #expect(again.body.contains(#"name="error" value="login_required""#))
        #expect(again.refusal?.cause == "the app-session token was used")
    }
}
