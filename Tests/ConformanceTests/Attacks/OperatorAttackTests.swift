import Foundation
import TestSupport
import Testing

/// Attacks on what operators use, and by them (Security 4.12).
///
/// One test at a time: each counts what the log of its project gains.
@Suite("Attacks on operators", .serialized, .timeLimit(.minutes(3))) struct OperatorAttackTests {
    /// What an operator may ask about a project, and about a session of it, without a token.
    private struct Orders {
        let reads: [WireRequest]
        /// Without a reason.
        let changes: [WireRequest]

        init(_ project: TestProject, _ session: WireAnswer) throws {
            let subject = try #require(session.claim("sub", of: "access_token"))
            let sid = try #require(session.claim("sid", of: "access_token"))
            let query = "?project=\(project.id)"
            reads = [
                "project\(query)", "project/history\(query)", "keys\(query)",
                "sessions\(query)&subject=\(subject)", "subjects\(query)&email=a@example.com",
            ].map { WireRequest("GET", "/admin/v1/\($0)") }
            changes = [
                "project/suspend", "keys/stage", "subjects/\(subject)/disable",
                "subjects/\(subject)/erase", "sessions/\(sid)/end",
            ].map { path in
                let type = [(name: "Content-Type", value: "application/json")]
                return WireRequest("POST", "/admin/v1/\(path)\(query)", type, "{}")
            }
        }

        /// The same, with one.
        var reasoned: [WireRequest] {
            changes.map { change in
                var change = change
                change.body = #"{"reason":"test"}"#
                return change
            }
        }
    }

    private static func outcome(
        of request: WireRequest,
        by authorization: String?,
        at listener: String
    ) async throws -> String {
        var browser = Browser(listener)
        let own = authorization.map { [(name: "Authorization", value: $0)] } ?? []
        return try await browser.send(
            request.method,
            request.target,
            headers: request.headers + own,
            body: request.body
        ).outcome
    }

    @Test("attack: the admin listener is found: nobody is anonymous there, and no word opens it")
    func found() async throws {
        let project = try await TestProject.named("operated")
        let (site, stack) = (project.site, project.stack)
        let listener = try #require(stack.facts["ADMIN_URL"])
        let token = try #require(stack.facts["ADMIN_TOKEN"])
        var person = Person(at: site)
        let session = try await person.session(scope: Person.everything)
        let orders = try Orders(project, session)
        let settings = try SettingsCopy(of: stack, named: "operated").original
        let digest = try #require(settings.components(separatedBy: "token_sha256: ").last)
        let strangers = [
            nil, "Bearer", "Bearer admin", "Basic YWRtaW46YWRtaW4=", "DPoP \(token)",
            "Bearer \(token)x", "Bearer \(token.dropLast())", "Bearer \(digest.prefix(64))",
            "Bearer \(session.member("access_token") ?? "")",
        ]
        let race = try Race(at: project)
        for request in orders.reads + orders.reasoned {
            for stranger in strangers {
                let outcome = try await Self.outcome(of: request, by: stranger, at: listener)
                #expect(outcome == "401 Unauthenticated", "\(request.target): \(stranger ?? "")")
            }
            var asking = request
            asking.target += "&access_token=\(token)"
            let outcome = try await Self.outcome(of: asking, by: nil, at: listener)
            #expect(outcome == "401 Unauthenticated", "\(request.target): in the query")
        }
        // Where everybody may ask, nothing of it is there, whoever asks.
        let health = ["/livez", "/readyz", "/metrics"].map { WireRequest("GET", $0) }
        for request in orders.reads + orders.reasoned + health {
            for node in site.nodes.indices {
                var asking = request
                asking.headers.append((name: "Authorization", value: "Bearer \(token)"))
                let answer = try await site.send(asking, at: node)
                #expect(answer.status == 404, "\(request.target)")
            }
        }
        #expect(try race.events() == [:])
        for request in orders.reads {
            let outcome = try await Self.outcome(of: request, by: "Bearer \(token)", at: listener)
            #expect(outcome == "200", "\(request.target)")
        }
    }

    @Test("attack: an operator orders what their role does not allow, or without a reason")
    func misuse() async throws {
        let project = try await TestProject.named("operated")
        let stack = project.stack
        let token = try #require(stack.facts["ADMIN_TOKEN"])
        var person = Person(at: project.site)
        let session = try await person.session(scope: Person.everything)
        let orders = try Orders(project, session)
        let issuer = try await ProxiedIssuer(beside: stack, named: "operated")
        defer { issuer.end() }
        let listener = issuer.process.adminOrigin
        let race = try Race(at: project)
        for (requests, who, expected) in [
            (orders.reads, ProxiedIssuer.secondToken, "200"),
            (orders.reasoned, ProxiedIssuer.secondToken, "403 AccessDenied"),
            (orders.changes, token, "400 ValidationFailed"),
        ] {
            for request in requests {
                let outcome = try await Self.outcome(of: request, by: "Bearer \(who)", at: listener)
                #expect(outcome == expected, "\(request.target)")
            }
        }
        #expect(try race.events() == [:])
        #expect(try await project.site.uses(of: session) == ["200", "200"])
    }
}
