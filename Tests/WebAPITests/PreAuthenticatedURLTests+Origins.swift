import HTTPServer
import TestSupport
import Testing

extension PreAuthenticatedURLTests {
    @Test(
        "path and query are free at a listed origin",
        arguments: [
            "https://www.example.com/find?q=a*b", "https://www.example.com/a/../b",
            "https://www.example.com", "https://www.example.com?x", "https://www.example.com/#a*",
            "https://www.example.com/?u=https://evil.example/",
        ]
    )
    func freePath(_ address: String) async throws {
        let web = try await WebSide()
        let exchanged = try await Self.exchange(web, try await Self.session(web))
        let parameters = try Self.parameters(exchanged).filter {
            $0.0 != "redirect_uri" && $0.0 != "state"
        }
        let target = Self.target(parameters + [("redirect_uri", address)])
        let opened = try await web.send(.get, target)
        #expect(opened.status == 303)
        #expect(opened.field("Location") == [address])
    }
}
