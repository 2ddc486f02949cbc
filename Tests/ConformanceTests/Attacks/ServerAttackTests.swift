import Foundation
import TestSupport
import Testing

/// Attacks on clients with a server of their own (Security 4.1).
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

    private typealias Row = (sentence: String, options: [String: String])

    private static let spoiltForms: [Row] = [
        ("none", ["header.alg": "none", "signature": "none"]),
        ("none, with the signature", ["header.alg": "none"]),
        ("no signature", ["signature": "none"]), ("another signer", ["signature": "other"]),
        ("a MAC by the public key", ["header.alg": "HS256", "signature": "mac"]),
        ("that MAC under the key's own algorithm", ["signature": "mac"]),
        ("another algorithm than the key's", ["header.alg": "RS256"]),
        (
            "an extension that must be understood",
            ["header.crit": "json:['x_more']", "header.x_more": "json:1"]
        ),
        ("a payload that is not encoded", ["header.b64": "json:false"]),
        ("compressed", ["header.zip": "DEF"]),
        ("a key from elsewhere", ["header.jku": "https://evil.example/keys"]),
        ("a chain from elsewhere", ["header.x5u": "https://evil.example/chain"]),
        ("a chain of certificates", ["header.x5c": "json:['MIIB']"]),
        ("the typ of a proof", ["typ": "dpop+jwt"]),
        ("the typ of our own tokens", ["typ": "at+jwt"]),
    ]

    private static let spoiltClaims: [Row] = [
        ("expired", ["claim.exp": "now-61"]), ("good for too long", ["claim.exp": "now+700"]),
        ("without exp", ["claim.exp": "absent"]), ("good later", ["claim.nbf": "now+120"]),
        ("made in the future", ["claim.iat": "now+120"]),
        ("made long ago", ["claim.iat": "now-120"]), ("without jti", ["claim.jti": "absent"]),
        ("a long jti", ["claim.jti": String(repeating: "x", count: 129)]),
        ("for another server", ["claim.aud": "https://auth.example.org"]),
        ("for nobody", ["claim.aud": "absent"]), ("by another client", ["claim.iss": "desk"]),
        ("of another client", ["claim.sub": "desk"]),
    ]

    @Test("attack: an assertion of another form, time or audience, or that its key did not sign")
    func assertions() async throws {
        let project = try await Self.project()
        let grant = [("grant_type", "client_credentials")]
        let elsewhere = ["claim.aud": "\(project.site.origin)/oauth2/par"]
        let rows = Self.spoiltForms + Self.spoiltClaims + [("for another endpoint", elsewhere)]
        let id = UUID().uuidString
        let refused = try rows.map { sentence, options in
            let all = ["claim.jti": id].merging(options) { $1 }
            let form = grant + (try project.assertionForm("service", all))
            return (sentence: sentence, form: form)
        }
        try await project.refuse(refused, as: "401 invalid_client")
        // Not even its id was burnt.
        let good = grant + (try project.assertionForm("service", ["claim.jti": id]))
        #expect(try await project.site.token(good).status == 200)
    }

    @Test("attack: a pushed request without challenge, or whose challenge is no S256")
    func pushed() async throws {
        let project = try await Self.project()
        func push(_ more: GrantForm.Fields) -> WireRequest {
            let fields =
                [
                    ("client_id", "app"), ("response_type", "code"), ("scope", "openid"),
                    ("redirect_uri", SignIn.redirectURIs["app"] ?? ""), ("nonce", "n"),
                ] + more
            return WireRequest("POST", "/oauth2/par", [], SignIn.form(fields))
        }
        let challenge = ("code_challenge", SignIn.challenge)
        let method = ("code_challenge_method", "S256")
        let requests = [
            ("a nonce alone", push([])), ("a method alone", push([method])),
            ("plain, said by nothing", push([challenge])),
            ("plain", push([challenge, ("code_challenge_method", "plain")])),
            ("another size", push([("code_challenge", "short"), method])),
            ("padding", push([("code_challenge", "\(SignIn.challenge)="), method])),
        ]
        try await project.refuse(
            requests: requests.map { ($0.0, $0.1) },
            as: "400 invalid_request"
        )
        #expect(try await project.site.send(push([challenge, method])).status == 201)
    }

    /// A request for a code in a browser that is signed in; `more` comes without a challenge.
    private static func authorization(
        _ client: String,
        _ more: [(String, String)],
        in browser: Browser
    ) -> WireRequest {
        let query = SignIn.form(
            [
                ("client_id", client), ("response_type", "code"), ("scope", "openid"),
                ("redirect_uri", SignIn.redirectURIs[client] ?? ""), ("prompt", "none"),
                ("state", "xyz"),
            ] + more
        )
        let cookies = [(name: "Cookie", value: browser.jar.header ?? "")]
        return WireRequest("GET", "/oauth2/authorize?\(query)", cookies)
    }

    private static func sent(_ name: String, in location: String?) -> String? {
        let items = location.flatMap { URLComponents(string: $0) }?.queryItems ?? []
        return items.first { $0.name == name }?.value
    }

    @Test("attack: a request without challenge, or whose challenge is no S256") func downgrade()
        async throws
    {
        let project = try await Self.project()
        let site = project.site
        var person = Person(at: site)
        _ = try await person.code()
        let nonce = ("nonce", "n")
        let challenge = ("code_challenge", SignIn.challenge)
        let rows: [(sentence: String, client: String, more: [(String, String)])] = [
            ("neither challenge nor nonce", "desk", []),
            ("an empty nonce", "desk", [("nonce", "")]),
            ("a method alone", "desk", [nonce, ("code_challenge_method", "S256")]),
            ("plain, said by nothing", "desk", [nonce, challenge]),
            ("plain", "desk", [nonce, challenge, ("code_challenge_method", "plain")]),
            (
                "a challenge of another size", "desk",
                [nonce, ("code_challenge", "short"), ("code_challenge_method", "S256")]
            ),
            ("a public client without", "app", []),
            ("a public client with a nonce", "app", [nonce]),
        ]
        let race = try Race(at: project)
        for (sentence, client, more) in rows {
            let request = Self.authorization(client, more, in: person.browser)
            let uri = SignIn.redirectURIs[client] ?? ""
            for node in site.nodes.indices {
                let answer = try await site.send(request, at: node)
                let location = answer["location"]
                #expect(answer.status == 303, "\(sentence)")
                #expect(location?.hasPrefix("\(uri)?error=invalid_request&") == true, "\(sentence)")
                #expect(Self.sent("state", in: location) == "xyz", "\(sentence)")
                #expect(Self.sent("iss", in: location) == site.origin, "\(sentence)")
            }
        }
        #expect(try race.events() == [:])
    }

    @Test("attack: a verifier for a code that was asked for without a challenge") func verifier()
        async throws
    {
        let project = try await Self.project()
        let site = project.site
        var person = Person(at: site)
        _ = try await person.code()
        let request = Self.authorization("desk", [("nonce", "n")], in: person.browser)
        let code = Self.sent("code", in: try await site.send(request)["location"])
        let good = GrantForm.code(try #require(code), of: "desk")
            .filter { $0.0 != "code_verifier" }
        let race = try Race(at: project)
        for node in site.nodes.indices {
            let proof = try project.assertionForm("desk")
            let form = good + [("code_verifier", SignIn.verifier)] + proof
            let answer = try await site.token(form, at: node)
            #expect(answer.outcome == "400 invalid_grant", "\(answer.text)")
        }
        #expect(try race.events() == [:])
        let redeemed = try await site.token(good + project.assertionForm("desk"))
        #expect(redeemed.status == 200, "\(redeemed.text)")
    }
}
