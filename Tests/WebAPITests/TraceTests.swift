import Domain
import Foundation
import HTTPServer
import InMemory
import Issuing
import Runtime
import TestSupport
import Testing
import WebAPI

/// What is kept of a trace (Architecture 13).
@Suite("Traces") struct TraceTests {
    private static let traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let traceparent = "00-\(traceID)-00f067aa0ba902b7-01"

    private static func request(
        from address: String,
        _ headers: [(name: String, value: String)],
        _ body: String = "",
        to path: String = "/oauth2/token"
    ) throws -> WebAPI.Request {
        let intake = Intake(
            proxies: TrustedProxies([try Fixture.some(AddressRange("192.0.2.0/24"))]),
            entropy: SeededEntropy()
        )
        let all = headers + [(name: "content-type", value: "application/x-www-form-urlencoded")]
        let head = RequestHead(.post, path, host: "auth.example.com", fields: all)
        return intake.request(
            HTTPServer::Request(
                head,
                body: Array(body.utf8),
                remote: try Fixture.some(SocketAddress(address)),
                loop: try Loop(name: "trace")
            )
        )
    }

    @Test("a trusted proxy's is kept as it was sent, nobody else's, and none that is malformed")
    func kept() throws {
        let sent = [(name: "traceparent", value: Self.traceparent)]
        let proxied = try Self.request(from: "192.0.2.9:1", sent)
        #expect(proxied.traceparent == Self.traceparent)
        #expect(proxied.id.text == Self.traceID)
        let direct = try Self.request(from: "198.51.100.9:1", sent)
        #expect(direct.traceparent == nil && direct.id.text != Self.traceID)
        for wrong in ["01" + Self.traceparent.dropFirst(2), Self.traceparent + "-00", ""] {
            let request = try Self.request(from: "192.0.2.9:1", [("traceparent", wrong)])
            #expect(request.traceparent == nil && request.id.text != Self.traceID)
        }
    }

    @Test("every event of the request carries it, and what followed names its cause")
    func recorded() async throws {
        let web = try await CascadeTests.cascading()
        let owner = try await CascadeTests.Holder(web, web.side.code())
        let target = try await owner.letIn("other")
        let before = web.commits
        let request = try Self.request(
            from: "192.0.2.9:1",
            [(name: "traceparent", value: Self.traceparent)],
            "token=\(owner.refreshToken)",
            to: "/oauth2/revoke"
        )
        #expect(await web.api.respond(to: request).status == .ok)
        let commits = Array(web.side.store.commits[before...])
        try #require(commits.count == 2)
        for commit in commits {
            #expect(commit.attributes.correlation?.traceparent == Self.traceparent)
            #expect(commit.attributes.correlation?.request == request.id.stream)
            #expect(commit.attributes.correlation?.source?.network == "192.0.2.0/24")
        }
        #expect(commits[0].attributes.cause == nil)
        let ended = try #require(commits[0].streams.first { $0.kind == .offlineGrant })
        #expect(commits[1].streams.first?.stream == (try target.session().stream))
        #expect(
            commits[1].attributes.cause
                == Cause(
                    stream: try owner.session().stream,
                    version: ended.expected + Int32(ended.events.count)
                )
        )
    }

    @Test("a refused request's line names its trace, its client, its network and the time it took")
    func logged() async throws {
        let web = try await WebSide()
        // As quiet as a log is that is kept.
        let said = SaidLog(level: .notice)
        let api = PublicAPI(
            Routes.tokenSide(web.services),
            projects: web.side.projects,
            snapshots: web.services.snapshots,
            intake: Intake(proxies: TrustedProxies(), entropy: web.side.entropy),
            observer: RequestObserver(metrics: Metrics(), log: said.log),
            clock: web.side.clock
        )
        for client in ["app", "nobody@example.com"] {
            let request = try Self.request(
                from: "192.0.2.9:1",
                client == "app" ? [(name: "traceparent", value: Self.traceparent)] : [],
                "grant_type=refresh_token&client_id=\(client)"
            )
            _ = await api.respond(to: request)
        }
        let text = said.end()
        let lines = try text.split(separator: "\n").map { line in
            try #require(
                JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            )
        }
        try #require(lines.count == 2)
        #expect(lines[0]["trace_id"] as? String == Self.traceID)
        #expect(lines[0]["client"] as? String == "app")
        #expect(lines[0]["ms"] is Double)
        #expect(lines[0]["level"] as? String == "notice")
        #expect(lines[0]["network"] as? String == "192.0.2.0/24")
        #expect(lines[1]["trace_id"] == nil && lines[1]["client"] == nil)
    }
}
