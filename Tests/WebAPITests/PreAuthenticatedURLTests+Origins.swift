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

    @Test("its response type is two words, in either order") func order() async throws {
        let web = try await WebSide()
        let exchanged = try await Self.exchange(web, try await Self.session(web))
        let type = Self.type.split(separator: " ").reversed().joined(separator: " ")
        #expect(type.hasPrefix("token "))
        let others = try Self.parameters(exchanged).filter { $0.0 != "response_type" }
        let opened = try await web.send(.get, Self.target(others + [("response_type", type)]))
        #expect(opened.field("Location") == ["https://www.example.com/deals?a=b&state=s%201#top"])
        #expect(opened.field("Set-Cookie").count == 2)
    }
}
