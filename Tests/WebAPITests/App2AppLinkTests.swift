import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// The hosted app2app link, where no app has taken it (WireContract 4.7).
@Suite("Hosted app2app link") struct App2AppLinkTests {
    static let challenge = String(repeating: "A", count: 43)

    static func side() async throws -> WebSide {
        let web = try await WebSide()
        var settings = web.side.project.settings
        settings.clients[0].universalLink.opensApp2App = true
        try await web.side.apply(settings)
        return web
    }

    static func open(
        _ web: WebSide,
        _ changes: [String: String] = [:],
        owner: String = "app"
    ) async throws -> Answer {
        var fields = [
            "client_id": "other", "redirect_uri": TokenSide.redirectURI,
            "code_challenge": challenge, "state": "s 1",
        ]
        fields.merge(changes) { $1 }
        let pairs = fields.filter { !$0.value.isEmpty }.map { ($0, $1) }
        let query = PreAuthenticatedURLTests.target(pairs).split(separator: "?")[1]
        return try await web.send(.get, "/clients/\(owner)/flows/app2app?\(query)")
    }

    @Test("an ordinary login of the target, with what the link said") func lands() async throws {
        let web = try await Self.side()
        let commits = web.commits
        let answer = try await Self.open(web, ["scope": "payments.read", "prompt": "none"])
        #expect(answer.status == 303)
        let target = try #require(answer.field("Location").first)
        #expect(
            target == "/oauth2/authorize?client_id=other"
                + "&redirect_uri=https%3A%2F%2Fapp.example.com%2Fcallback"
                + "&code_challenge=\(Self.challenge)&state=s%201&response_type=code"
                + "&code_challenge_method=S256&scope=openid%20offline_access"
        )
        #expect(web.commits == commits)
        let start = try await web.send(.get, target)
        #expect(start.field("Location").first?.hasPrefix("/login?tx=") == true)
    }

    @Test(
        "attack: an open redirect, a downgrade, a foreign pair: page 400",
        arguments: [
            ["redirect_uri": "https://evil.example/cb"], ["client_id": "nobody"],
            ["client_id": ""], ["redirect_uri": ""], ["code_challenge": ""],
            ["code_challenge": "short"], ["code_challenge_method": "plain"],
        ]
    )
    func refused(_ changes: [String: String]) async throws {
        let answer = try await Self.open(try await Self.side(), changes)
        #expect(answer.status == 400)
        #expect(answer.pageError == "invalid_request")
        #expect(answer.field("Location") == [])
    }

    @Test("attack: an owner that has not opted in", arguments: ["other", "nobody", "web"])
    func closed(_ owner: String) async throws {
        #expect(try await Self.open(try await Self.side(), owner: owner).status == 400)
        #expect(try await Self.open(try await WebSide()).status == 400)
    }
}
