import EventFormat
import Foundation
import TestSupport
import Testing

/// Texts that would be more than texts if anybody put statements together from them
/// (Security 4.13).
@Suite("Injections", .timeLimit(.minutes(3))) struct InjectionTests {
    private static let statement = "x'); DROP TABLE es.events; --"

    /// What is asked with it, and what comes back.
    private static func requests(_ token: String?)
        -> [(sentence: String, request: WireRequest, outcome: String)]
    {
        let escaped = SignIn.escaped(statement)
        let pushed = SignIn.escaped("urn:ietf:params:oauth:request_uri:\(statement)")
        return [
            ("a client", .token(GrantForm.refresh("rt", of: statement)), "401 invalid_client"),
            ("a code", .token(GrantForm.code("ac_\(statement)")), "400 invalid_grant"),
            (
                "a refresh token", .token(GrantForm.refresh("rt_\(statement)")),
                "400 invalid_grant"
            ),
            ("a NUL", .token(GrantForm.refresh("rt_\u{0}")), "400 invalid_request"),
            ("a token to be ended", .revoke(statement), "200"),
            ("an access token", .bearing(statement), "401 invalid_token"),
            ("a login", WireRequest("GET", "/login?tx=\(escaped)"), "404"),
            (
                "a pushed request",
                WireRequest("GET", "/oauth2/authorize?client_id=app&request_uri=\(pushed)"), "400"
            ),
            (
                "a session", .bearing(token, "GET", "/api/v1/sessions/\(escaped)"),
                "404 NotFound"
            ),
            (
                "a place in a list", .bearing(token, "GET", "/api/v1/sessions?cursor=\(escaped)"),
                "400 BadRequest"
            ),
        ]
    }

    @Test("attack: SQL injection: a statement is a text like any other, wherever it comes in")
    func statements() async throws {
        let project = try await TestProject.named("injected")
        let site = project.site
        var person = Person(at: site)
        let session = try await person.session(scope: Person.everything)
        let own = try #require(session.claim("sub", of: "access_token"))
        let race = try Race(at: project)
        for (sentence, request, outcome) in Self.requests(session.member("access_token")) {
            for node in site.nodes.indices {
                let answer = try await site.send(request, at: node)
                #expect(answer.outcome == outcome, "\(sentence): \(answer.text)")
            }
        }
        #expect(try race.events() == [:])
        // As much of one as an address may hold: it is somebody's, and not everybody's.
        let email = "x'or'1'='1'--\(UUID().uuidString.prefix(8).lowercased())@example.com"
        let signIn = SignIn(mailPage: site.mailPage, client: "app", scope: "openid", email: email)
        var browser = site.browser()
        let other = try await site.token(GrantForm.code(try await signIn.code(&browser)))
        let subject = try #require(other.claim("sub", of: "access_token"))
        #expect(subject != own)
        var admin = Browser(project.stack.facts["ADMIN_URL"] ?? "")
        let operators = [
            (name: "Authorization", value: "Bearer \(project.stack.facts["ADMIN_TOKEN"] ?? "")"),
            (name: "Content-Type", value: "application/json"),
        ]
        let found = try await admin.send(
            "GET",
            "/admin/v1/subjects?project=\(project.id)&email=\(SignIn.escaped(email))",
            headers: operators
        )
        let subjects = found.object("result")?["subjects"] as? [[String: Any]] ?? []
        #expect(subjects.map { $0["sub"] as? String } == [subject], "\(found.text)")
        // An operator's words stand beside what they did.
        let disabled = try await admin.send(
            "POST",
            "/admin/v1/subjects/\(subject)/disable?project=\(project.id)",
            headers: operators,
            body: #"{"reason":"\#(Self.statement)"}"#
        )
        #expect(disabled.status == 200, "\(disabled.text)")
        #expect(try race.events()[.subjectDisabled] == 1)
        #expect(try await site.uses(of: session) == ["200", "200"])
    }
}
