import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing

/// The order of checks of the authorization endpoint: one row per line of the table.
@Suite("Authorization request") struct SignInRequestTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var sentence: String
        var client = "web"
        var changes: [String: String?]
        var error: String

        init(
            _ sentence: String,
            of client: String = "web",
            _ changes: [String: String?],
            _ error: String
        ) {
            self.sentence = sentence
            self.client = client
            self.changes = changes
            self.error = error
        }

        var testDescription: String { sentence }
    }

    static let long = String(repeating: "s", count: 513)

    static let pages = [
        Row("a state past 512 bytes", ["state": long], "invalid_request"),
        Row("a nonce past 512 bytes", ["nonce": long], "invalid_request"),
        Row("no client", ["client_id": nil], "invalid_request"),
        Row("an unknown client", ["client_id": "nobody"], "invalid_client"),
        Row("a malformed client", ["client_id": "no body"], "invalid_client"),
        Row("a disabled client", of: "disabled", [:], "invalid_client"),
        Row("a client without users", of: "service", [:], "unauthorized_client"),
        Row("a pushed request nobody pushed", ["request_uri": "urn:x"], "invalid_request"),
        Row("a foreign redirect URI", ["redirect_uri": "https://evil.example"], "invalid_request"),
        Row(
            "a redirect URI with one byte more",
            ["redirect_uri": "\(SignInSide.redirectURI(of: "web"))/"],
            "invalid_request"
        ),
        Row(
            "none, although two are registered",
            of: "app",
            ["redirect_uri": nil],
            "invalid_request"
        ),
        Row(
            "an unknown client before a wrong response type",
            ["client_id": "nobody", "response_type": "token"],
            "invalid_client"
        ),
    ]

    static let redirects = [
        Row("no response type", ["response_type": nil], "invalid_request"),
        Row("an empty one counts as none", ["response_type": ""], "invalid_request"),
        Row("an unknown one", ["response_type": "token"], "unsupported_response_type"),
        Row("two at once", ["response_type": "code token"], "unsupported_response_type"),
        Row("an unknown response mode", ["response_mode": "jwt"], "invalid_request"),
        Row("a mode of another type", ["response_mode": "cookie"], "invalid_request"),
        Row("a request object", ["request": "eyJ9"], "request_not_supported"),
        Row("an unknown prompt", ["prompt": "sometimes"], "invalid_request"),
        Row("none beside another", ["prompt": "none login"], "invalid_request"),
        Row("max_age with a sign", ["max_age": "+5"], "invalid_request"),
        Row("max_age of eleven digits", ["max_age": "10000000000"], "invalid_request"),
        Row(
            "no challenge",
            ["code_challenge": nil, "code_challenge_method": nil],
            "invalid_request"
        ),
        Row("a method without challenge", ["code_challenge": nil], "invalid_request"),
        Row("a challenge without method", ["code_challenge_method": nil], "invalid_request"),
        Row("plain", ["code_challenge_method": "plain"], "invalid_request"),
        Row("a short challenge", ["code_challenge": "AAAA"], "invalid_request"),
        Row(
            "a challenge no hash has",
            ["code_challenge": String(repeating: "B", count: 43)],
            "invalid_request"
        ),
        Row("a malformed key thumbprint", ["dpop_jkt": "AAAA"], "invalid_request"),
        Row("a state that is not ASCII", ["state": "ü"], "invalid_request"),
        Row("no scope", ["scope": nil], "invalid_request"),
        Row("a scope of others", ["scope": "openid device_sso"], "invalid_scope"),
        Row("a malformed scope", ["scope": "openid  email"], "invalid_scope"),
        Row("an unknown resource", ["resource": "https://other.example"], "invalid_target"),
        Row("a hint nobody signed", ["id_token_hint": "e30.e30.x"], "invalid_request"),
        Row(
            "the response type before the challenge",
            ["response_type": "token", "code_challenge": nil],
            "unsupported_response_type"
        ),
        Row(
            "the challenge before the scope",
            ["code_challenge": nil, "scope": "device_sso"],
            "invalid_request"
        ),
        Row("the scope before the resource", ["scope": "x", "resource": "y"], "invalid_scope"),
        Row("neither challenge nor nonce", of: "server", withoutChallenge, "invalid_request"),
        Row("a nonce that no ID token carries", of: "server", nonce("email"), "invalid_request"),
        Row("a nonce without scope", of: "server", nonce(nil), "invalid_request"),
        Row("a nonce with a word like openid", of: "server", nonce("openid2"), "invalid_request"),
    ]

    static let withoutChallenge: [String: String?] = [
        "code_challenge": nil, "code_challenge_method": nil,
    ]

    @Test("steps 1 to 4 answer with a page", arguments: pages)
    func page(_ row: Row) async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        do {
            _ = try await browser.authorize(row.client, row.changes)
            Issue.record("accepted")
        } catch {
            guard case .page(let why)? = error as? AuthorizationRefusal else { throw error }
            #expect(why.code.rawValue == row.error)
        }
        #expect(side.store.commits.isEmpty)
    }

    @Test("later steps go back to the client, with state and iss", arguments: redirects)
    func redirect(_ row: Row) async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        do {
            _ = try await browser.authorize(row.client, row.changes)
            Issue.record("accepted")
        } catch {
            guard case .redirect(let answer)? = error as? AuthorizationRefusal else { throw error }
            let response = SignInStep.respond(answer).response
            #expect(response?["error"] == row.error)
            #expect(response?["iss"] == "https://auth.example.com")
            #expect(response?["state"] != nil)
            #expect(answer.redirectURI.text == SignInSide.redirectURI(of: row.client))
        }
        #expect(side.store.commits.isEmpty)
    }

    static let accepted = [
        Row("unknown parameters are ignored", ["vendor": "x"], ""),
        Row("the only redirect URI need not be named", ["redirect_uri": nil], ""),
        Row(
            "a loopback port may differ",
            of: "app",
            ["redirect_uri": "http://127.0.0.1:9/callback"],
            ""
        ),
        Row("a known resource", ["resource": "https://api.example.com"], ""),
        Row("a nonce instead of a challenge", of: "server", nonce("email openid"), ""),
        Row("a key thumbprint", ["dpop_jkt": SignInSide.challenge], ""),
    ]

    /// A nonce instead of a challenge.
    static func nonce(_ scope: String?) -> [String: String?] {
        ["nonce": "n", "scope": scope, "code_challenge": nil, "code_challenge_method": nil]
    }

    @Test("what is right leads to the login page", arguments: accepted)
    func isAccepted(_ row: Row) async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        let step = try await browser.authorize(row.client, row.changes)
        guard case .login = step else { return #expect(Bool(false), "\(step)") }
    }

    @Test("a thumbprint is kept, but for a client whose proofs are ignored") func thumbprints()
        async throws
    {
        for isDisabled in [false, true] {
            let side = try await SignInSide()
            if isDisabled { side.reconfigure { $0.clients[0].dpop = .disabled } }
            var browser = TestBrowser(side)
            _ = try await browser.authorize("web", ["dpop_jkt": SignInSide.challenge])
            let event = try #require(side.store.commits.first?.streams.first?.events.first)
            guard case .authorization(.started(let request, _)) = event else {
                return #expect(Bool(false), "\(event)")
            }
            #expect((request.dpopKey == nil) == isDisabled)
        }
    }

    @Test("a parameter twice is refused, resource is not") func repeats() async throws {
        let side = try await SignInSide()
        let browser = TestBrowser(side)
        let good = TestBrowser.form(TestBrowser.parameters())
        for name in ["client_id", "state", "prompt", "x_platform"] {
            let twice = Form(fields: good.fields + [field(name, "a"), field(name, "a")])
            await #expect(throws: AuthorizationRefusal.self) {
                try await side.authorize.start(twice, browser.request)
            }
        }
        let resource = field("resource", "https://api.example.com")
        let both = Form(fields: good.fields + [resource, resource])
        _ = try await side.authorize.start(both, browser.request)
        let nine = Form(fields: good.fields + Array(repeating: resource, count: 9))
        await #expect(throws: AuthorizationRefusal.self) {
            try await side.authorize.start(nine, browser.request)
        }
    }

    @Test("an answer keeps to its mode, and the registered query", arguments: modes)
    func keepsMode(_ row: (String, String)) async throws {
        let side = try await SignInSide()
        let uri = "https://web.example.com/callback?a=b"
        side.reconfigure { $0.clients[0].redirectURIs = [RedirectURI(uri)].compactMap(\.self) }
        var browser = TestBrowser(side)
        let changes = ["prompt": "none", "response_mode": row.0, "redirect_uri": uri]
        let step = try await browser.authorize("web", changes)
        guard case .respond(let answer) = step else { return #expect(Bool(false), "\(step)") }
        #expect(answer.location.hasPrefix(uri + row.1))
        #expect(
            answer.location.contains("a%20state%20with%20spaces%20%26%20signs") == !row.1.isEmpty
        )
    }

    static let modes = [("query", "&error="), ("fragment", "#error="), ("form_post", "")]

    /// Of a native client, and whether a browser posts forms there.
    static let formTargets = [
        ("https://app.example.com/callback", true), ("http://127.0.0.1:9/callback", true),
        ("com.example.app:/callback", false),
    ]

    @Test("form_post is for the web alone, and refused by query elsewhere", arguments: formTargets)
    func formPost(_ uri: String, _ isPosted: Bool) async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        let changes = ["redirect_uri": uri, "prompt": "none", "response_mode": "form_post"]
        do {
            let step = try await browser.authorize("app", changes)
            guard case .respond(let answer) = step else { return #expect(Bool(false), "\(step)") }
            #expect(isPosted && answer.mode == .formPost)
        } catch {
            guard case .redirect(let answer)? = error as? AuthorizationRefusal else { throw error }
            #expect(!isPosted && answer.mode == .query)
            #expect(answer.failure?.refusal.map { "\($0)" } == "AZ-008")
            #expect(answer.location.hasPrefix("\(uri)?error=invalid_request&"))
        }
    }

    private func field(_ name: String, _ value: String) -> Form.Field {
        Form.Field(name: Array(name.utf8), value: Array(value.utf8))
    }
}
