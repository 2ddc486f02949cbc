import HTTPServer
import TestSupport
import Testing
import WebAPI

/// What counts for a client (Security 9, L4).
@Suite("Limits of clients") struct ClientLimitTests {
    private typealias URLs = PreAuthenticatedURLTests

    /// What names a client, and is none of its requests.
    static let strangers = [
        "client_id=app&redirect_uri=https://evil.example/", "client_id=app&client_id=app",
        "client_id=app&state=\(String(repeating: "a", count: 513))", "client_id=api",
        "client_id=app&request_uri=urn:ietf:params:oauth:request_uri:x", "client_id=nobody",
    ]

    @Test(
        "attack: a stranger names a client, and spends nothing that is the client's",
        arguments: strangers
    )
    func spendNothing(_ query: String) async throws {
        let web = try await WebSide(limits: [.pagePerClient: .init(perMinute: 1)])
        for _ in 0..<3 {
            #expect(try await web.send(.get, "/oauth2/authorize?\(query)").status == 400)
            #expect(try await web.post("/oauth2/par", query).status != 429)
        }
        let own = "/oauth2/authorize?client_id=app"
        #expect(try await web.send(.get, own).status == 303)
        #expect(try await web.send(.get, own).status == 429)
        #expect(try await web.send(.get, "/oauth2/authorize?\(query)").status == 400)
    }

    /// Of each kind of request, the address that makes it a client's, and another.
    static let kinds: [(fields: [(String, String)], own: String, other: String)] = [
        (
            [("client_id", "app"), ("response_type", "code")], TokenSide.redirectURI,
            "https://www.example.com/deals"
        ),
        (
            [("client_id", "offers"), ("response_type", PreAuthenticatedURLTests.type)],
            "https://www.example.com/deals", "https://evil.example/"
        ),
        (
            [
                ("client_id", "app"), ("response_type", "none"),
                (
                    "login_hint",
                    "https://authgear.com/login_hint?type=app_session_token&app_session_token=x"
                ),
            ], AppSessionTokenTests.settings, "https://evil.example/settings"
        ),
    ]

    @Test("a request of any kind counts, at an address of its client's", arguments: kinds.indices)
    func counts(_ index: Int) async throws {
        let (fields, own, other) = Self.kinds[index]
        let web = try await WebSide(limits: [.pagePerClient: .init(perMinute: 1)])
        func status(_ address: String) async throws -> Int {
            let target = URLs.target(fields + [("redirect_uri", address)])
            return try await web.send(.get, target).status
        }
        for _ in 0..<2 { #expect(try await status(other) == 400) }
        #expect(try await status(own) == 303)
        #expect(try await status(own) == 429)
        #expect(try await status(other) == 400)
    }

    @Test("a pushed request counts when it is pushed, and not again when a browser brings it")
    func pushed() async throws {
        let web = try await WebSide(limits: [.pagePerClient: .init(perMinute: 1)])
        let pushed = try await PushedRequestTests.push(web)
        #expect(pushed.status == 201)
        #expect(try await PushedRequestTests.bring(web, pushed).status == 303)
        #expect(try await PushedRequestTests.push(web).word == "429 x_rate_limited")
    }
}
