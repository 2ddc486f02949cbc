import HTTPServer
import TestSupport
import Testing
import WebAPI

/// What pages of other sites have their visitors' browsers send is counted apart (decision 0169).
@Suite("Limits and pages of other sites") struct ForeignPageLimitTests {
    private typealias Sent = [(String, String)]

    /// What a browser adds to a script's request that asks nobody's leave.
    private static let foreign: Sent = [
        ("origin", "https://evil.example"), ("sec-fetch-site", "cross-site"),
        ("sec-fetch-mode", "no-cors"), ("sec-fetch-dest", "empty"),
    ]

    private static func post(
        _ web: WebSide,
        _ path: String,
        _ body: String,
        _ sent: Sent = [],
        type: String = WebSide.form
    ) async throws -> Answer {
        try await web.send(
            .post,
            path,
            fields: sent + [("content-type", type)],
            body: Array(body.utf8)
        )
    }

    @Test("attack: a page of another site spends nobody's failures") func failures() async throws {
        let web = try await WebSide(limits: [.failedRequest: .init(perMinute: 5)])
        for _ in 0..<5 {
            let failed = try await Self.post(web, "/oauth2/token", "", Self.foreign)
            #expect(failed.status == 401)
        }
        for path in ["/oauth2/token", "/oauth2/revoke", "/oauth2/userinfo"] {
            #expect(try await Self.post(web, path, "token=a", Self.foreign).status == 429)
        }
        #expect(try await Self.post(web, "/oauth2/revoke", "token=a").status == 200)
        for (method, path) in [
            (Method.get, "/oauth2/userinfo"), (.get, "/api/v1/sessions"), (.post, "/oauth2/token"),
            (.post, "/oauth2/introspect"), (.post, "/oauth2/app_session_token"),
        ] {
            #expect(try await web.send(method, path).status != 429, "\(path)")
        }
    }

    @Test("attack: a page of another site keeps no client out by wrong secrets") func secrets()
        async throws
    {
        let web = try await WebSide(limits: [.failedClientAuthentication: .init(perMinute: 2)])
        let guess = "token=a&client_id=api&client_secret=wrong"
        for _ in 0..<2 {
            let wrong = try await Self.post(web, "/oauth2/introspect", guess, Self.foreign)
            #expect(wrong.error == "invalid_client")
        }
        let more = try await Self.post(web, "/oauth2/introspect", guess, Self.foreign)
        #expect(more.status == 429)
        let own = [("authorization", "Basic YXBpOmEtc2VjcmV0")]
        #expect(try await Self.post(web, "/oauth2/introspect", "token=a", own).status == 200)
    }

    @Test("attack: a page of another site takes nobody's challenges") func challenges()
        async throws
    {
        let web = try await WebSide(limits: [.challenge: .init(perMinute: 3)])
        func ask(_ body: String, _ sent: Sent, _ type: String) async throws -> Int {
            try await Self.post(web, "/oauth2/challenge", body, sent, type: type).status
        }
        for _ in 0..<3 { #expect(try await ask("", Self.foreign, "text/plain") == 400) }
        #expect(try await ask("", Self.foreign, "text/plain") == 429)
        let purpose = #"{"purpose":"app2app_request"}"#
        #expect(try await ask(purpose, [], "application/json") == 200)
    }

    private static let issuer = "https://auth.example.com"
    private static let client = "https://app.example.com"
    private static let abroad: Sent = [("sec-fetch-site", "cross-site")]
    private static let wholeTab: Sent = [
        ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document"),
    ]

    /// What is sent, and whether it is counted apart.
    private static let calls: [(String, Sent, Bool)] = [
        ("an app", [], false),
        ("a page of ours", [("origin", issuer)], false),
        ("a client's page", [("origin", client)], false),
        ("the same, said to be elsewhere", abroad + [("origin", client)], false),
        ("a form of ours", [("origin", "null"), ("sec-fetch-site", "same-origin")], false),
        ("typed in by hand", [("sec-fetch-site", "none")], false),
        ("a stranger's page", [("origin", "https://evil.example")], true),
        ("a page that hides who it is", [("origin", "null")], true),
        ("two origins", [("origin", client), ("origin", client)], true),
        ("another site", abroad, true),
        ("a sibling host", [("sec-fetch-site", "same-site")], true),
        ("a whole tab, where no person goes", abroad + wholeTab, true),
    ]

    @Test("is told by what the browser says of the page", arguments: calls.indices)
    func call(_ index: Int) async throws {
        let (name, sent, isApart) = Self.calls[index]
        let web = try await WebSide(limits: [.failedRequest: .init(perMinute: 1)])
        #expect(try await Self.post(web, "/oauth2/revoke", "", sent).status == 400, "\(name)")
        #expect(try await Self.post(web, "/oauth2/revoke", "", sent).status == 429, "\(name)")
        let app = try await Self.post(web, "/oauth2/revoke", "token=a")
        #expect(app.status == (isApart ? 200 : 429), "\(name)")
    }

    private static let visits: [(String, Sent, Bool)] = [
        ("who follows a link", abroad + wholeTab, false),
        ("whom an app's page posts", abroad + wholeTab + [("origin", client)], false),
        ("whom another's page posts", abroad + wholeTab + [("origin", "null")], false),
        ("an image", abroad + [("sec-fetch-mode", "no-cors"), ("sec-fetch-dest", "image")], true),
        ("a frame", abroad + [("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "iframe")], true),
        ("a look ahead", abroad + wholeTab + [("sec-purpose", "prefetch")], true),
    ]

    @Test("at pages, who comes with a whole tab counts as anybody", arguments: visits.indices)
    func visit(_ index: Int) async throws {
        let (name, sent, isApart) = Self.visits[index]
        let address = try await WebSide(limits: [.page: .init(perMinute: 1)])
        let client = try await WebSide(limits: [.pagePerClient: .init(perMinute: 1)])
        for (web, path) in [(address, "/login/wait"), (client, "/oauth2/authorize?client_id=app")] {
            #expect(try await web.send(.get, path, fields: sent).status != 429, "\(name)")
            #expect(try await web.send(.get, path, fields: sent).status == 429, "\(name)")
            let own = try await web.send(.get, path).status
            #expect((own == 429) != isApart, "\(name): \(path) \(own)")
        }
    }
}
