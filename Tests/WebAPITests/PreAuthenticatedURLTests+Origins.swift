import Domain
import HTTPServer
import Issuing
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

    @Test("attack: a site makes URLs for itself, which would outlive its secret") func ownSite()
        async throws
    {
        let web = try await WebSide()
        var settings = web.side.project.settings
        let site = try #require(settings.clients.firstIndex { $0.id.text == "offers" })
        settings.clients[site].allowedScopes = settings.clients[0].allowedScopes
        settings.clients[site].grantTypes = settings.clients[0].grantTypes
        try await web.side.apply(settings)
        let session = try await NativeSSOTests.session(web, client: "offers", scope: Self.scope)
        let answer = try await web.expectNothingRecorded { try await Self.exchange(web, session) }
        #expect(answer.word == "400 unauthorized_client")
        #expect(try await Self.exchange(web, session, client: "offers2").status == 200)
    }
}
