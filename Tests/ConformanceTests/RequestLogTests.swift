import Foundation
import TestSupport
import Testing

/// What a token-issuer writes down of its requests, through the wire (Security 4.1 and 6).
@Suite("The log of requests", .timeLimit(.minutes(3))) struct RequestLogTests {
    private static let marker = "canary-5f0c2d7e"

    /// Answered or refused by their routes, of each form of errors.
    private static let heard = [
        WireRequest("GET", "/oauth2/authorize?client_id=\(marker)&state=\(marker)"),
        WireRequest("GET", "/oauth2/authorize?state=\(marker)&state=\(marker)"),
        WireRequest("GET", "/oauth2/end_session?id_token_hint=\(marker)"),
        WireRequest("GET", "/oauth2/userinfo?access_token=\(marker)"),
        WireRequest("GET", "/flows/verify_login_link?client=app&token=ll_\(marker)"),
        WireRequest("GET", "/clients/app/flows/verify_login_link?token=ll_\(marker)"),
        WireRequest("POST", "/clients/app/flows/verify_login_link?token=ll_\(marker)"),
        WireRequest("GET", "/login/wait?tx=\(marker)"),
    ]

    /// Refused by the grammar, or before a route has heard of them.
    private static let unheard = [
        WireRequest("GET", "/oauth2/authorize?state=%zz\(marker)"),
        WireRequest("POST", "/oauth2/token?code=\(marker)", [], "grant_type=\(marker)"),
        WireRequest("GET", "/nothing?token=\(marker)"),
        WireRequest("PUT", "/oauth2/token?code=\(marker)"),
        WireRequest("GET", "/login?token=\(marker)", [("Host", "elsewhere.example")]),
        WireRequest("GET", "/login?token=\(marker)", [("Bad Header", "x")]),
        WireRequest("GET", "/login?token=\(marker)\(String(repeating: "a", count: 40_000))"),
    ]

    @Test("holds no query, at its finest level, whatever becomes of the request")
    func queries() async throws {
        let stack = try RunningStack.running()
        let issuer = try await IssuerProcess(
            beside: stack,
            named: "logging",
            ["CHANCERY__LOG__LEVEL": "debug"]
        )
        defer { issuer.stop() }
        func send(_ request: WireRequest) async throws -> WireAnswer {
            try await WireClient.exchange(
                request.bytes(origin: stack.issuer),
                with: issuer.origin
            )
        }
        for request in Self.unheard {
            let status = try await send(request).status
            #expect(400..<500 ~= status, "\(request.method) \(request.target.prefix(60))")
        }
        var ids: [String] = []
        for request in Self.heard {
            ids.append(try #require(try await send(request)["x-request-id"]))
        }
        // Lines are written a moment later.
        var unsaid: [String] = []
        try? await Waiting.until("each answer is in the log") {
            let said = issuer.said
            unsaid = ids.filter { !said.contains($0) }
            return unsaid.isEmpty
        }
        #expect(unsaid == [])
        let told = issuer.said.split(separator: "\n").filter { $0.contains(Self.marker) }
        #expect(told == [])
    }
}
