import Configuration
import Domain
import Issuing
import Testing

@Suite("A document that was taken before") struct DocumentInForceTests {
    @Test("a rule that came later warns of what is in force, and refuses it at the next change")
    func laterRule() throws {
        let text = ProjectDocumentTests.minimal(
            "traditional_webapp",
            """
                  x_pre_authenticated_url_enabled: true
                  require_pushed_authorization_requests: true
            """
        )
        let bytes = Array(text.utf8)
        #expect(throws: ProjectFindings.self) { try ProjectDocument().read(bytes) }
        let client = try ProjectDocument().readInForce(bytes).clients.first
        #expect(client?.requiresPushedRequests == true)
        let path = "oauth.clients[0].x_pre_authenticated_url_enabled"
        #expect(ProjectDocument().cautions(in: bytes).contains { $0.hasPrefix("\(path): contra") })
        // Nothing else is let pass.
        let spoilt = Array(text.replacing("oauth:", with: "oauth_: 1\noauth:").utf8)
        #expect(throws: ProjectFindings.self) { try ProjectDocument().readInForce(spoilt) }
    }

    @Test("a name that breaks its line stays until the next change", arguments: ["2028", "0085"])
    func name(_ scalar: String) throws {
        let text = ProjectDocumentTests.minimal("native", "")
        let bytes = Array(text.replacing("name: Bank", with: "name: \"B\\u\(scalar)k\"").utf8)
        #expect(throws: ProjectFindings.self) { try ProjectDocument().read(bytes) }
        #expect(try ProjectDocument().readInForce(bytes).name.hasSuffix("k"))
    }

    @Test(
        "a client_id that is a step in a path stays until the next change",
        arguments: [".", ".."]
    )
    func step(_ name: String) throws {
        let text = ProjectDocumentTests.minimal("native", "")
        let bytes = Array(text.replacing("client_id: app", with: "client_id: \(name)").utf8)
        #expect(throws: ProjectFindings.self) { try ProjectDocument().read(bytes) }
        #expect(try ProjectDocument().readInForce(bytes).clients.map(\.id.text) == [name])
        let cautions = ProjectDocument().cautions(in: bytes)
        #expect(cautions.contains { $0.hasPrefix("oauth.clients[0].client_id: must not be") })
        // Other names with dots are no steps.
        let other = Array(text.replacing("client_id: app", with: "client_id: \(name)a").utf8)
        _ = try ProjectDocument().read(other)
    }

    @Test(
        "a client without a secret, or with that of nothing, stays until the next change",
        arguments: ["token_endpoint_auth_method: client_secret_basic", "enabled: false"]
    )
    func secretless(_ line: String) throws {
        let isDisabled = line.hasPrefix("enabled")
        // The word stands in a comment, so that the document gets no secret.
        let text = ProjectDocumentTests.minimal("m2m", "      \(line) # no client_secret_sha256")
        let bytes = Array(text.utf8)
        _ = try ProjectDocument().readInForce(bytes)
        let cautions = ProjectDocument().cautions(in: bytes)
        let path = "oauth.clients[0].client_secret_sha256: is required"
        #expect(cautions.contains { $0.hasPrefix(path) } != isDisabled, "\(cautions)")
        // One that nobody may use needs none.
        guard !isDisabled else { return _ = try ProjectDocument().read(bytes) }
        #expect(throws: ProjectFindings.self) { try ProjectDocument().read(bytes) }
        let digest = "      client_secret_sha256: [\(Example.emptyDigest)]"
        let empty = Array(ProjectDocumentTests.minimal("m2m", digest).utf8)
        #expect(throws: ProjectFindings.self) { try ProjectDocument().read(empty) }
        _ = try ProjectDocument().readInForce(empty)
    }

    @Test("a cookie domain of a registry that no list had stays until the next change")
    func cookieDomain() throws {
        func document(_ domain: String) -> [UInt8] {
            let text = ProjectDocumentTests.minimal("native", "")
            let http = "{public_origin: \"https://auth.bank.co.ke\", cookie_domain: \(domain)}"
            return Array(text.replacing(ProjectDocumentRefusalTests.origin, with: http).utf8)
        }
        #expect(throws: ProjectFindings.self) { try ProjectDocument().read(document("co.ke")) }
        #expect(try ProjectDocument().readInForce(document("co.ke")).cookieDomain == "co.ke")
        let cautions = ProjectDocument().cautions(in: document("co.ke"))
        #expect(cautions.contains { $0.hasPrefix("http.cookie_domain: co.ke is a public suffix") })
        #expect(try ProjectDocument().read(document("bank.co.ke")).cookieDomain == "bank.co.ke")
    }

    @Test(
        "a cookie prefix that browsers take for __Host- stays until the next change",
        arguments: [
            ("__host-", true), ("__HOST-bank-", true), ("__secure-", false), ("_host-", false),
        ]
    )
    func cookiePrefix(_ prefix: String, _ isOne: Bool) throws {
        func document(_ domain: String) -> [UInt8] {
            let text = ProjectDocumentTests.minimal("native", "")
            let origin = "public_origin: \"https://auth.example.com\""
            let http = "{\(origin), cookie_prefix: \(prefix)\(domain)}"
            return Array(text.replacing(ProjectDocumentRefusalTests.origin, with: http).utf8)
        }
        let named = document(", cookie_domain: example.com")
        #expect(try ProjectDocument().readInForce(named).cookiePrefix == prefix)
        let line = "http.cookie_prefix: `\(prefix.prefix(7))` is `__Host-` to browsers"
        let cautions = ProjectDocument().cautions(in: named)
        #expect(cautions.contains { $0.hasPrefix(line) } == isOne, "\(cautions)")
        if isOne {
            #expect(throws: ProjectFindings.self) { try ProjectDocument().read(named) }
        } else {
            _ = try ProjectDocument().read(named)
        }
        // Without a domain there is no such cookie.
        _ = try ProjectDocument().read(document(""))
    }

    @Test("a fapi2 client's keys are of algorithms that it may sign with") func fapiKeys() throws {
        let number = "\(String(repeating: "_", count: 341))w"
        let text = { (algorithm: String) in
            Array(
                ProjectDocumentTests.minimal(
                    "confidential",
                    """
                          token_endpoint_auth_method: private_key_jwt
                          x_security_profile: fapi2
                          jwks:
                            keys: [{kid: a, kty: RSA, n: \(number), e: AQAB, alg: \(algorithm)}]
                    """
                ).utf8
            )
        }
        _ = try ProjectDocument().read(text("PS256"))
        #expect(throws: ProjectFindings.self) { try ProjectDocument().read(text("RS256")) }
        let cautions = ProjectDocument().cautions(in: text("RS256"))
        #expect(cautions.contains { $0.hasPrefix("oauth.clients[0].jwks.keys[0].alg: must be") })
        _ = try ProjectDocument().readInForce(text("RS256"))
    }

    @Test(
        "a fapi2 client has no place in a project that contradicts its profile",
        arguments: [
            ("signing_algorithm: ES256", nil), ("signing_algorithm: EdDSA", nil),
            ("signing_algorithm: RS256", "oauth.signing_algorithm is RS256"),
            ("request_uri_lifetime_seconds: 599", nil),
            (
                "request_uri_lifetime_seconds: 600",
                "oauth.request_uri_lifetime_seconds is not below 600"
            ),
        ] as [(String, String?)]
    )
    func fapiProject(_ setting: String, _ problem: String?) throws {
        let point = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"
        let text = ProjectDocumentTests.minimal(
            "confidential",
            """
                  token_endpoint_auth_method: private_key_jwt
                  x_security_profile: fapi2
                  id_token_signed_response_alg: ES256
                  jwks: {keys: [{kid: a, kty: OKP, crv: Ed25519, x: \(point)}]}
            """
        )
        let bytes = Array(text.replacing("oauth:\n", with: "oauth:\n  \(setting)\n").utf8)
        _ = try ProjectDocument().readInForce(bytes)
        guard let problem else { return _ = try ProjectDocument().read(bytes) }
        let findings = #expect(throws: ProjectFindings.self) { try ProjectDocument().read(bytes) }
        let path = "oauth.clients[0].x_security_profile"
        #expect(findings?.lines == ["\(path): \(problem) with x_security_profile fapi2"])
    }

    @Test("a document is as long as an event can keep it, lines and quotes counted twice")
    func longest() throws {
        let text = ProjectDocumentTests.minimal("native", "")
        let lines = text.utf8.count { $0 == 0x0A } + text.utf8.count { $0 == UInt8(ascii: "\"") }
        let room = ProjectDocument.bytesMax - 1024 - "app".utf8.count - 3
        let rest = room - text.utf8.count - lines
        let longest = Array("#\(String(repeating: "a", count: rest - 3))\n\(text)".utf8)
        _ = try ProjectDocument().read(longest)
        #expect(throws: ProjectFindings.self) {
            try ProjectDocument().read(Array("#a".utf8) + longest.dropFirst())
        }
        // What was taken before stays readable.
        _ = try ProjectDocument().readInForce(Array("#a".utf8) + longest.dropFirst())
    }

    @Test("and as it leaves room for the clients that its event names")
    func named() throws {
        let text = Array(ProjectDocumentTests.minimal("native", "").utf8)
        let gone = (0..<4_000).compactMap { ClientID("a-client-with-a-name-that-is-long-\($0)") }
        let document = ProjectDocument()
        try document.checkSize(of: text, naming: Array(gone.prefix(4_000)))
        let longer = text + Array("#\(String(repeating: "a", count: 120_000))\n".utf8)
        _ = try document.read(longer)
        try document.checkSize(of: longer, naming: Array(gone.prefix(1_000)))
        let findings = #expect(throws: ProjectFindings.self) {
            try document.checkSize(of: longer, naming: gone)
        }
        #expect(findings?.lines.first?.hasSuffix("remove them in more than one step") == true)
    }

    @Test("hosts are read of a document that is otherwise refused") func hosts() throws {
        let text = ProjectDocumentTests.minimal("native", "      no_such_key: 1")
        #expect(throws: ProjectFindings.self) { try ProjectDocument().read(Array(text.utf8)) }
        #expect(ProjectDocument().hosts(in: Array(text.utf8)) == ["auth.example.com"])
        #expect(ProjectDocument().hosts(in: Array("[".utf8)).isEmpty)
        let http = #"{projector_origin: "https://feed.example.com:8443", public_origin: "#
        let apart = text.replacing("{public_origin: ", with: http)
        let hosts = ProjectDocument().hosts(in: Array(apart.utf8))
        #expect(hosts == ["auth.example.com", "feed.example.com"])
    }

    @Test("so is the cookie of web clients' tokens") func accessCookie() throws {
        let text = ProjectDocumentTests.minimal("native", "      no_such_key: 1")
        let http = "{cookie_domain: example.com, cookie_prefix: a_, public_origin: "
        let named = Array(text.replacing("{public_origin: ", with: http).utf8)
        #expect(throws: ProjectFindings.self) { try ProjectDocument().read(named) }
        let cookie = try #require(ProjectDocument().accessCookie(in: named))
        #expect(cookie.domain == "example.com" && cookie.name == "a_app_access_token")
        #expect(ProjectDocument().accessCookie(in: Array(text.utf8)) == nil)
        #expect(ProjectDocument().accessCookie(in: Array("[".utf8)) == nil)
    }
}
