import TestSupport
import Testing

/// Attacks on clients with a server of their own (security.md 4.1).
///
/// One test at a time: each counts what the log of its project gains.
@Suite("Attacks on servers", .serialized, .timeLimit(.minutes(3))) struct ServerAttackTests {
    private static func project() async throws -> TestProject {
        try await TestProject.named("servers")
    }

    /// Every endpoint where a client proves itself, with all that it wants but the proof.
    private static func forms(of client: String) -> [(path: String, form: GrantForm.Fields)] {
        [
            ("/oauth2/token", [("grant_type", "client_credentials")]),
            ("/oauth2/introspect", [("token", "no")]), ("/oauth2/revoke", [("token", "no")]),
            (
                "/oauth2/par",
                [
                    ("response_type", "code"), ("scope", "openid"),
                    ("redirect_uri", SignIn.redirectURIs[client] ?? ""),
                    ("code_challenge", SignIn.challenge), ("code_challenge_method", "S256"),
                ]
            ),
        ]
    }

    @Test("attack: an assertion that another client's key signed, by its name or without")
    func otherKey() async throws {
        let project = try await Self.project()
        let race = try Race(at: project)
        let clients = project.keys.keys.sorted()
        for client in clients {
            for signer in clients where signer != client {
                for options in [[:], ["header.kid": "the-key"]] {
                    for (path, form) in Self.forms(of: client) {
                        for node in project.site.nodes.indices {
                            let proof = try project.assertionForm(client, by: signer, options)
                            let answer = try await project.site.send(
                                WireRequest("POST", path, [], SignIn.form(form + proof)),
                                at: node
                            )
                            let sentence = "\(client) by \(signer) at \(path): \(answer.text)"
                            #expect(answer.outcome == "401 invalid_client", "\(sentence)")
                        }
                    }
                }
            }
        }
        #expect(try race.events() == [:])
        // Each by its own.
        for client in clients {
            let own = try project.assertionForm(client, ["header.kid": "the-key"])
            let asked = WireRequest(
                "POST",
                "/oauth2/revoke",
                [],
                SignIn.form([("token", "no")] + own)
            )
            #expect(try await project.site.send(asked).status == 200, "\(client)")
        }
    }
}
