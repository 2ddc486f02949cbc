import Domain
import HTTPServer
import Issuing
import TestSupport
import Testing

/// Pages of other origins (WireContract 1.3, decision 0143).
@Suite("Cross-origin answers") struct CrossOriginTests {
    @Test("a preflight of a client's origin is allowed, of another is not") func preflight()
        async throws
    {
        let web = try await WebSide()
        let allowed = try await web.send(
            .options,
            "/oauth2/token",
            headers: [
                "origin": "https://app.example.com", "access-control-request-method": "POST",
            ]
        )
        #expect(allowed.status == 204)
        #expect(allowed.field("Access-Control-Allow-Origin") == ["https://app.example.com"])
        #expect(allowed.field("Access-Control-Allow-Methods") == ["POST, OPTIONS"])
        #expect(
            allowed.field("Access-Control-Allow-Headers") == ["Authorization, Content-Type, DPoP"]
        )
        #expect(allowed.field("Access-Control-Allow-Credentials") == ["true"])
        #expect(allowed.field("Access-Control-Max-Age") == ["600"])
        #expect(allowed.field("Vary") == ["Origin"])
        let other = try await web.send(
            .options,
            "/oauth2/token",
            headers: [
                "origin": "https://evil.example.com", "access-control-request-method": "POST",
            ]
        )
        #expect(other.field("Access-Control-Allow-Origin").isEmpty)
        #expect(other.field("Access-Control-Allow-Methods").isEmpty)
        #expect(other.field("Access-Control-Allow-Credentials").isEmpty)
        #expect(other.field("Vary") == ["Origin"])
    }

    @Test("a page may read that its method was wrong, as it reads every refusal") func method()
        async throws
    {
        let web = try await WebSide()
        for (origin, isAllowed) in [
            ("https://app.example.com", true), ("https://evil.example", false),
        ] {
            let answer = try await web.send(.get, "/oauth2/token", headers: ["origin": origin])
            #expect(answer.status == 405 && answer.field("Allow") == ["POST, OPTIONS"])
            let allowed = answer.field("Access-Control-Allow-Origin")
            #expect(allowed == (isAllowed ? [origin] : []))
            #expect(answer.field("Access-Control-Expose-Headers").isEmpty != isAllowed)
            #expect(answer.field("Vary") == ["Origin"])
        }
        let keys = try await web.post("/oauth2/jwks", "", ["origin": "https://evil.example"])
        #expect(keys.status == 405)
        #expect(keys.field("Access-Control-Allow-Origin") == ["*"])
        let page = try await web.send(
            .put,
            "/oauth2/introspect",
            headers: ["origin": "https://app.example.com"]
        )
        #expect(page.status == 405 && page.field("Access-Control-Allow-Origin").isEmpty)
    }

    @Test("cross-origin answers: token for a client's origin, keys for everybody") func cors()
        async throws
    {
        let web = try await WebSide()
        let token = try await web.post(
            "/oauth2/token",
            "",
            ["origin": "https://app.example.com"]
        )
        #expect(token.field("Access-Control-Allow-Origin") == ["https://app.example.com"])
        let exposed = "DPoP-Nonce, WWW-Authenticate, X-Request-Id, Retry-After"
        #expect(token.field("Access-Control-Expose-Headers") == [exposed])
        #expect(token.field("Access-Control-Allow-Credentials") == ["true"])
        let keys = try await web.send(
            .get,
            "/oauth2/jwks",
            headers: ["origin": "https://evil.example.com"]
        )
        #expect(keys.field("Access-Control-Allow-Origin") == ["*"])
        #expect(keys.field("Access-Control-Allow-Credentials").isEmpty)
        let introspection = try await web.post(
            "/oauth2/introspect",
            "",
            ["origin": "https://app.example.com"]
        )
        #expect(introspection.field("Access-Control-Allow-Origin").isEmpty)
    }

    @Test("whose pages may call: those of enabled clients, where URLs open, and of the project")
    func origins() async throws {
        let web = try await WebSide()
        var settings = web.side.project.settings
        settings.allowedOrigins = ["https://tools.example.com", "capacitor://localhost"]
        let invest = try #require(settings.clients.firstIndex { $0.id.text == "invest" })
        let offers = try #require(settings.clients.firstIndex { $0.id.text == "offers" })
        let page = try #require(RedirectURI("https://invest.example.com/callback"))
        settings.clients[invest].redirectURIs = [page]
        settings.clients[offers].preAuthenticatedURL?.allowedOrigins = ["https://deals.example.com"]
        try await web.side.apply(settings)
        let ofClients = ["https://invest.example.com", "https://deals.example.com"]
        let ofAll = ofClients + settings.allowedOrigins
        #expect(try await Self.allowed(ofAll, at: "/oauth2/token", web) == ofAll)
        #expect(try await Self.allowed(ofAll, at: "/oauth2/par", web).isEmpty)
        for index in [invest, offers] { settings.clients[index].enabled = false }
        try await web.side.apply(settings)
        #expect(try await Self.allowed(ofAll, at: "/oauth2/token", web) == settings.allowedOrigins)
    }

    /// Those whose pages may read the answer.
    private static func allowed(_ origins: [String], at path: String, _ web: WebSide)
        async throws -> [String]
    {
        var allowed: [String] = []
        for origin in origins {
            let answer = try await web.post(path, "", ["origin": origin])
            #expect(answer.field("Vary").isEmpty == (path == "/oauth2/par"))
            allowed += answer.field("Access-Control-Allow-Origin")
        }
        return allowed
    }
}
