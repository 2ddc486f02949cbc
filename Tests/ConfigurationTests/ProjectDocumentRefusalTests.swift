import Configuration
import Domain
import Issuing
import Testing

@Suite("A project document is refused") struct ProjectDocumentRefusalTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var text: String
        var lines: [String]

        /// The minimal document of a native client with `part` replaced.
        init(_ sentence: String, _ part: String, _ text: String, _ lines: String...) {
            testDescription = sentence
            self.text = ProjectDocumentTests.minimal("native").replacing(part, with: text)
            self.lines = lines
        }

        /// The minimal document of a client of `type` with `line` added to the client.
        init(_ sentence: String, type: String = "native", add line: String, _ lines: String...) {
            testDescription = sentence
            text = ProjectDocumentTests.minimal(type, "      " + line)
            self.lines = lines.map { "oauth.clients[0].\($0)" }
        }
    }

    @Test(arguments: outside + identity + names) func document(_ row: Row) { check(row) }
    @Test(arguments: registries) func cookieDomain(_ row: Row) { check(row) }
    @Test(arguments: redirects) func redirectURI(_ row: Row) { check(row) }
    @Test(arguments: tokens + keys) func client(_ row: Row) { check(row) }
    @Test(arguments: features) func feature(_ row: Row) { check(row) }

    private func check(_ row: Row) {
        let findings = #expect(throws: ProjectFindings.self) {
            try ProjectDocumentTests.read(row.text)
        }
        #expect(findings?.lines == row.lines)
    }

    static let origin = "{public_origin: \"https://auth.example.com\"}"
    static let notAnOrigin =
        "must be an origin in lower case without path and default port, such as "
        + "https://auth.example.com, not "

    static let outside = [
        Row(
            "an unknown key",
            "name: Bank",
            "name: Bank\nnmae: x",
            "nmae: unknown key; did you mean `name`?"
        ),
        Row(
            "an unknown key of a client",
            "name: App",
            "name: App\n      scopes: [x]",
            "oauth.clients[0].scopes: unknown key; known here: "
                + known
        ),
        Row("no id", "id: bank\n", "", "id: is required: a short name such as `bank`"),
        Row(
            "an id with a capital",
            "id: bank",
            "id: Bank",
            "id: must be `a`-`z`, digits and `-`, a letter first, at most 40"
        ),
        Row("no name", "name: Bank\n", "", "name: is required: what users see, 1-80 characters"),
        Row(
            "a name of 81 characters",
            "name: Bank",
            "name: \(String(repeating: "é", count: 81))",
            "name: must have 1-80 characters and no control characters"
        ),
        Row(
            "no origin",
            origin,
            "{}",
            "http.public_origin: is required: an origin such as https://auth.example.com"
        ),
        Row(
            "an origin with a slash",
            origin,
            #"{public_origin: "https://auth.example.com/"}"#,
            "http.public_origin: \(notAnOrigin)`https://auth.example.com/`"
        ),
        Row(
            "an origin in capitals",
            origin,
            #"{public_origin: "https://Auth.example.com"}"#,
            "http.public_origin: \(notAnOrigin)`https://Auth.example.com`"
        ),
        Row(
            "an origin with its default port",
            origin,
            #"{public_origin: "https://auth.example.com:443"}"#,
            "http.public_origin: \(notAnOrigin)`https://auth.example.com:443`"
        ),
        Row(
            "hosts without the issuer's",
            origin,
            #"{public_origin: "https://auth.example.com", hosts: [a.example.com]}"#,
            "http.hosts: must contain auth.example.com, the host of public_origin"
        ),
        Row(
            "a host with a port",
            origin,
            #"{public_origin: "https://auth.example.com", hosts: [auth.example.com, "a:80"]}"#,
            "http.hosts[1]: must be a host name in lower case, without port, not `a:80`"
        ),
        Row(
            "an allowed origin over http",
            origin,
            #"{public_origin: "https://auth.example.com", allowed_origins: ["http://a.b"]}"#,
            "http.allowed_origins[0]: must be https"
        ),
        Row(
            "a cookie prefix with a space",
            origin,
            #"{public_origin: "https://auth.example.com", cookie_prefix: "a b"}"#,
            "http.cookie_prefix: must be letters, digits, `_` and `-`, at most 32"
        ),
        Row(
            "a cookie prefix that forbids a domain, and a domain",
            origin,
            #"{public_origin: "https://auth.example.com", cookie_domain: example.com, "#
                + #"cookie_prefix: "__Host-"}"#,
            "http.cookie_prefix: `__Host-` forbids a cookie_domain: use `__Secure-`"
        ),
        Row(
            "a cookie domain that is no parent",
            origin,
            #"{public_origin: "https://auth.example.com", cookie_domain: example.org}"#,
            "http.cookie_domain: must be a parent of the host of public_origin"
        ),
        Row(
            "a cookie domain that only ends alike",
            origin,
            #"{public_origin: "https://auth.example.com", cookie_domain: ample.com}"#,
            "http.cookie_domain: must be a parent of the host of public_origin"
        ),
        Row(
            "a public suffix as cookie domain",
            origin,
            #"{public_origin: "https://auth.example.co.uk", cookie_domain: co.uk}"#,
            "http.cookie_domain: co.uk is a public suffix: everybody's cookies"
        ),
        Row(
            "a top-level domain as cookie domain",
            origin,
            #"{public_origin: "https://auth.example.com", cookie_domain: com}"#,
            "http.cookie_domain: com is a public suffix: everybody's cookies"
        ),
        Row(
            "a code life of 29 seconds",
            "oauth:",
            "oauth:\n  authorization_code_lifetime_seconds: 29",
            "oauth.authorization_code_lifetime_seconds: must be a whole number from 30 to 600, "
                + "not `29`"
        ),
        Row(
            "HS256",
            "oauth:",
            "oauth:\n  signing_algorithm: HS256",
            "oauth.signing_algorithm: must be one of `ES256`, `RS256`, `EdDSA`, not `HS256`"
        ),
        Row(
            "a resource over http",
            "oauth:",
            #"oauth:\#n  resources: [{uri: "http://a.b"}]"#,
            "oauth.resources[0].uri: must be an https URI"
        ),
        Row(
            "a resource with a fragment",
            "oauth:",
            #"oauth:\#n  resources: [{uri: "https://a.b#c"}]"#,
            "oauth.resources[0].uri: a fragment is not allowed"
        ),
        Row(
            "a resource at the issuer",
            "oauth:",
            #"oauth:\#n  resources: [{uri: "https://auth.example.com/api"}]"#,
            "oauth.resources[0].uri: must lie outside the issuer's origin"
        ),
        Row(
            "a resource twice",
            "oauth:",
            #"oauth:\#n  resources: [{uri: "https://a.b"}, {uri: "https://a.b"}]"#,
            "oauth.resources[1].uri: appears twice"
        ),
        Row(
            "a built-in scope as a resource's",
            "oauth:",
            #"oauth:\#n  resources: [{uri: "https://a.b", scopes: [openid, "a b"]}]"#,
            "oauth.resources[0].scopes[0]: openid is a built-in scope",
            "oauth.resources[0].scopes[1]: must be printable ASCII without space, quote and "
                + "backslash"
        ),
        Row(
            "a session of four minutes",
            "oauth:",
            "session: {lifetime_seconds: 240}\noauth:",
            "session.lifetime_seconds: must be a whole number from 300 to 31536000, not `240`"
        ),
        Row(
            "another sign-up",
            "oauth:",
            "authentication: {signup: invite}\noauth:",
            "authentication.signup: must be one of `open`, `closed`, not `invite`"
        ),
        Row(
            "a link of an hour",
            "oauth:",
            "authentication: {login_link: {lifetime_seconds: 3600}}\noauth:",
            "authentication.login_link.lifetime_seconds: must be a whole number from 60 to 1800, "
                + "not `3600`"
        ),
        Row(
            "a push host with a path",
            "oauth:",
            "ssf: {push_hosts: [a.b/c]}\noauth:",
            "ssf.push_hosts[0]: must be a host or host:port, not `a.b/c`"
        ),
        Row(
            "a duplicate key",
            "name: Bank",
            "name: Bank\nname: Bank",
            "line 3: key `name` appears twice"
        ),
        Row(
            "a tag",
            "name: Bank",
            "name: !x Bank",
            "line 2: tags (!name) are not supported; leave the tag out"
        ),
    ]

    static let known =
        "access_token_lifetime_seconds, allowed_scopes, backchannel_logout_session_required, "
        + "backchannel_logout_uri, client_id, client_secret_sha256, default_resources, "
        + "dpop_bound_access_tokens, enabled, grant_types, id_token_signed_response_alg, jwks, "
        + "name, post_logout_redirect_uris, redirect_uris, refresh_token_idle_timeout_enabled, "
        + "refresh_token_idle_timeout_seconds, refresh_token_lifetime_seconds, "
        + "refresh_token_rotation, refresh_token_rotation_enabled, "
        + "refresh_token_rotation_grace_seconds, require_pkce, "
        + "require_pushed_authorization_requests, resources, token_endpoint_auth_method, "
        + "universal_link, x_app2app_allowed_clients, "
        + "x_app2app_biometric_protection_required, x_app2app_cascade_revocation, "
        + "x_app2app_enabled, x_app2app_insecure_binding_until, "
        + "x_app2app_insecure_device_key_binding_enabled, x_app2app_strict_jwt, "
        + "x_application_type, x_biometric_enabled, x_biometric_setup_max_age_seconds, "
        + "x_consent_required, x_dpop_disabled, x_login_link_app_client_id, "
        + "x_login_link_cross_device_approval, x_native_sso_group, "
        + "x_pre_authenticated_url_allowed_origins, x_pre_authenticated_url_enabled, "
        + "x_security_profile"

    static let identity = [
        Row(
            "no client_id",
            "client_id: app",
            "enabled: true",
            "oauth.clients[0].client_id: is required: a name such as `app`"
        ),
        Row(
            "a client_id with a space",
            "client_id: app",
            "client_id: my app",
            "oauth.clients[0].client_id: must be letters, digits and `. _ ~ -`, at most 64"
        ),
        Row(
            "no application type",
            "      x_application_type: native\n",
            "",
            "oauth.clients[0].x_application_type: is required: one of native, spa, "
                + "traditional_webapp, confidential, third_party_app, m2m"
        ),
        Row(
            "another application type",
            "type: native",
            "type: mobile",
            "oauth.clients[0].x_application_type: must be one of `native`, `spa`, "
                + "`traditional_webapp`, `confidential`, `third_party_app`, `m2m`, not `mobile`"
        ),
        Row(
            "two clients of one name",
            "    - client_id: app\n",
            "    - {client_id: app, name: M, x_application_type: m2m, "
                + "client_secret_sha256: [\(Example.digest)]}\n    - client_id: app\n",
            "oauth.clients[1].client_id: app appears twice"
        ),
        Row(
            "every mistake at once",
            "id: bank\nname: Bank",
            "id: BANK\nnmae: Bank",
            "name: is required: what users see, 1-80 characters",
            "id: must be `a`-`z`, digits and `-`, a letter first, at most 40",
            "nmae: unknown key; did you mean `name`?"
        ),
    ]
}
