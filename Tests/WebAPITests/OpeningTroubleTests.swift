import HTTPServer
import InMemory
import TestSupport
import Testing

/// Openings that fail for trouble of our own: the browser still has all that was asked.
@Suite("An opening that fails") struct OpeningTroubleTests {
    private typealias URLs = PreAuthenticatedURLTests
    private typealias Tokens = AppSessionTokenTests

    @Test("without the log a URL's address is a page that says try again, and then opens")
    func unavailableURL() async throws {
        let web = try await WebSide()
        let target = URLs.target(
            try URLs.parameters(try await URLs.exchange(web, try await URLs.session(web)))
        )
        web.side.store.fail(.unavailable)
        let failed = try await web.send(.get, target)
        #expect(failed.word == "503 temporarily_unavailable")
        #expect(failed.field("Retry-After") == ["1"])
        #expect(failed.field("Location") == [])
        #expect(failed.field("Set-Cookie") == [])
        #expect(failed.refusal?.id == "ST-001")
        #expect(try await web.send(.get, target).field("Set-Cookie").count == 2)
    }

    @Test("without the log an app's page is one that says try again, and then opens")
    func unavailablePage() async throws {
        let web = try await WebSide()
        let token = try await Tokens.tokens(web).browser
        web.side.store.fail(.unavailable)
        let failed = try await Tokens.open(web, token)
        #expect(failed.word == "503 temporarily_unavailable")
        #expect(failed.field("Retry-After") == ["1"])
        #expect(failed.field("Location") == [])
        #expect(failed.refusal?.id == "ST-001")
        #expect(try await Tokens.open(web, token).field("Set-Cookie").count == 1)
    }
}
