import Foundation
import TestSupport
import Testing

/// A PostgreSQL that holds its connections and answers nothing (Security 13).
@Suite("A frozen database", .timeLimit(.minutes(3))) struct FrozenDatabaseTests {
    @Test("is told within a second, also by what revokes; forgotten when it moves again")
    func frozen() async throws {
        let stack = try RunningStack.running()
        let name = "frozen-\(UUID().uuidString.prefix(8).lowercased())"
        let issuer = try await IssuerProcess(
            beside: stack,
            named: name,
            ["CHANCERY__NODE__SHUTDOWN_NOTICE_SECONDS": "0"]
        )
        defer {
            issuer.signal(SIGTERM)
            #expect(issuer.end() == 0)
        }
        let host = try #require(stack.issuer.components(separatedBy: "://").last)
        let page = try await LoginPage(at: issuer.origin, host: host, email: "\(name)@example.com")
        let admin = Browser(issuer.adminOrigin)
        let servers = try await Self.settled(name, admin, stack)
        for server in servers { kill(server, SIGSTOP) }
        defer { for server in servers { kill(server, SIGCONT) } }
        let service = stack.facts["CLIENT_API"] ?? ""
        var shortest: [String: Duration] = [:]
        for round in 0..<3 {
            for (what, send) in Self.requests(issuer.origin, host, page, by: service) {
                let begin = ContinuousClock.now
                let answer = try await send()
                let took = ContinuousClock.now - begin
                #expect(answer.status == 503, "\(what), round \(round): \(answer.text)")
                #expect(answer["retry-after"] == "1", "\(what)")
                shortest[what] = min(took, shortest[what] ?? took)
            }
        }
        // The bound is one second; a machine that is busy three times is not foreseen.
        for (what, took) in shortest { #expect(took < .milliseconds(1_500), "\(what)") }
        #expect(try await Self.ready(admin) == 503)
        var keys = Browser(issuer.origin)
        let named = [("Host", host)]
        #expect(try await keys.send("GET", "/oauth2/jwks", headers: named).status == 200)
        for server in servers { kill(server, SIGCONT) }
        try await Waiting.until("ready again") { try await Self.ready(admin) == 200 }
        var browser = page.browser
        let status = try await browser.send("GET", "/login/status?tx=\(page.tx)", headers: named)
        #expect(status.status == 200)
    }

    private typealias Request = @Sendable () async throws -> WireAnswer

    /// A look-up, a page that appends, and what uses, ends or looks at a token.
    private static func requests(
        _ origin: String,
        _ host: String,
        _ page: LoginPage,
        by service: String
    ) -> [(what: String, send: Request)] {
        let token = "rt_\(String(repeating: "A", count: 72))"
        let authorize =
            "/oauth2/authorize?client_id=app&response_type=code&scope=openid"
            + "&redirect_uri=\(SignIn.escaped(SignIn.redirectURIs["app"] ?? ""))"
            + "&code_challenge=\(SignIn.challenge)&code_challenge_method=S256"
        let refresh = "grant_type=refresh_token&client_id=app&refresh_token=\(token)"
        let status = WireRequest("GET", "/login/status?tx=\(page.tx)")
        let basic = "Basic \(Data(service.utf8).base64EncodedString())"
        let requests: [(what: String, browser: Browser, request: WireRequest)] = [
            ("status", page.browser, status),
            ("authorize", Browser(origin), WireRequest("GET", authorize)),
            ("refresh", Browser(origin), WireRequest("POST", "/oauth2/token", [], refresh)),
            (
                "revoke", Browser(origin),
                WireRequest("POST", "/oauth2/revoke", [], "client_id=app&token=\(token)")
            ),
            (
                "introspect", Browser(origin),
                WireRequest(
                    "POST",
                    "/oauth2/introspect",
                    [("Authorization", basic)],
                    "token=\(token)"
                )
            ),
        ]
        return requests.map { what, browser, request in
            (
                what,
                {
                    var browser = browser
                    return try await browser.send(
                        request.method,
                        request.target,
                        headers: [("Host", host)] + request.headers,
                        body: request.body,
                        isRepeated: false
                    )
                }
            )
        }
    }

    private static func ready(_ admin: Browser) async throws -> Int {
        var admin = admin
        return try await admin.send("GET", "/readyz", isRepeated: false).status
    }

    /// The server processes of a node that has all its connections, and the one that would make
    /// more of them.
    private static func settled(
        _ node: String,
        _ admin: Browser,
        _ stack: RunningStack
    ) async throws -> [Int32] {
        var servers: [Int32] = []
        try await Waiting.until("\(node) has its connections") {
            let before = servers
            servers = try Self.servers(of: node, stack)
            try await Task.sleep(for: .milliseconds(300))
            return try await ready(admin) == 200 && servers.count >= 3 && servers == before
        }
        let parent = try #require(servers.first.flatMap(Self.parent))
        return [parent] + servers
    }

    private static func parent(of process: Int32) -> Int32? {
        let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("PPid:") }
        return line?.split(separator: "\t").last.flatMap { Int32($0) }
    }

    /// The server processes that a node's connections have.
    private static func servers(of node: String, _ stack: RunningStack) throws -> [Int32] {
        let rows = try Psql.rows(
            "SELECT pid FROM pg_stat_activity WHERE application_name = '\(node)' ORDER BY pid",
            stack
        )
        return rows.compactMap { $0.first.flatMap { Int32($0) } }
    }
}
