import Foundation
import TestSupport
import Testing

/// Attacks on the authorization request and on who asks (Security 4.1).
///
/// One test at a time: each counts what the log of its project gains.
@Suite("Attacks on authorizations", .serialized, .timeLimit(.minutes(3)))
struct AuthorizationAttackTests {
    private static func request(_ more: [(String, String)]) -> WireRequest {
        let query = SignIn.form(
            [
                ("client_id", "app"), ("response_type", "code"), ("scope", "openid"),
                ("redirect_uri", SignIn.redirectURIs["app"] ?? ""), ("prompt", "none"),
                ("code_challenge", SignIn.challenge), ("code_challenge_method", "S256"),
            ] + more
        )
        return WireRequest("GET", "/oauth2/authorize?\(query)")
    }

    @Test("attack: a state or nonce that is too long, and one that would change on its way")
    func echoed() async throws {
        let project = try await TestProject.named("asking")
        let site = project.site
        let odd = "a b+c%&=#?/\\\"'<>;~" + String(repeating: "x", count: 512 - 18)
        for node in site.nodes.indices {
            let answer = try await site.send(Self.request([("state", odd)]), at: node)
            let location = try #require(answer["location"])
            let items = URLComponents(string: location)?.percentEncodedQueryItems ?? []
            func value(_ name: String) -> String? {
                items.first { $0.name == name }?.value?.replacing("+", with: "%20")
                    .removingPercentEncoding
            }
            #expect(value("state") == odd)
            #expect(value("error") == "login_required")
            #expect(value("iss") == site.origin)
            #expect(answer["referrer-policy"] == "no-referrer")
            let race = try Race(at: project)
            for name in ["state", "nonce"] {
                let long = Self.request([(name, String(repeating: "x", count: 513))])
                let refused = try await site.send(long, at: node)
                // Sizes are looked at before it is known where an answer may go.
                #expect(refused.status == 400, "\(name): \(refused.text)")
                #expect(refused.text.contains("data-error=\"invalid_request\""), "\(name)")
                #expect(refused["location"] == nil, "\(name)")
                #expect(!refused.text.contains("xxx"), "\(name)")
            }
            #expect(try race.events() == [:])
        }
    }

    @Test("attack: a client that was disabled goes on with what it has; enabled, it may")
    func disabled() async throws {
        let project = try await TestProject.named("disabling")
        let site = project.site
        var person = Person(at: site)
        let session = try await person.session("loose")
        let code = try await person.code("loose")
        let refresh = GrantForm.refresh(session.member("refresh_token"), of: "loose")
        let redemption = GrantForm.code(code, of: "loose")
        let name = "- client_id: loose"
        try await project.change(name, to: "\(name)\n      enabled: false")
        // From the first request after the change on, at every node.
        try await project.refuse(
            [("a refresh token", refresh), ("a code", redemption)],
            as: "401 invalid_client"
        )
        let page = WireRequest("GET", "/oauth2/authorize?client_id=loose&response_type=code")
        try await project.refuse(requests: [("a login", page)], as: "400")
        try await project.change("\n      enabled: false", to: "")
        #expect(try await site.token(refresh).status == 200)
        #expect(try await site.token(redemption).status == 200)
    }
}
