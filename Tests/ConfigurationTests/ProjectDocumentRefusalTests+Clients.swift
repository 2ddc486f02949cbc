extension ProjectDocumentRefusalTests {
    static let tokens = [
        Row(
            "an access token of two hours",
            add: "access_token_lifetime_seconds: 7200",
            "access_token_lifetime_seconds: must be a whole number from 60 to 3600, not `7200`"
        ),
        Row(
            "a grace of two minutes",
            add: "refresh_token_rotation_grace_seconds: 120",
            "refresh_token_rotation_grace_seconds: must be a whole number from 0 to 60, not `120`"
        ),
        Row(
            "a refresh token of two years",
            add: "refresh_token_lifetime_seconds: 63072000",
            "refresh_token_lifetime_seconds: must be a whole number from 3600 to 31536000, "
                + "not `63072000`"
        ),
        Row(
            "both rotation keys",
            add: "{refresh_token_rotation: always, refresh_token_rotation_enabled: true}".lines,
            "refresh_token_rotation_enabled: contradicts refresh_token_rotation; keep one of the "
                + "two"
        ),
        Row(
            "a public client without PKCE",
            add: "require_pkce: false",
            "require_pkce: cannot be false for a public client"
        ),
        Row(
            "no authentication of a confidential client",
            type: "confidential",
            add: "token_endpoint_auth_method: none",
            "token_endpoint_auth_method: `none` is not allowed for confidential"
        ),
        Row(
            "no authentication of a machine",
            type: "m2m",
            add: "token_endpoint_auth_method: none",
            "token_endpoint_auth_method: `none` is not allowed for m2m"
        ),
        Row(
            "three secrets",
            type: "confidential",
            add: "client_secret_sha256: [\(Example.digest), \(Example.digest), \(Example.digest)]",
            "client_secret_sha256: at most 2 at a time"
        ),
        Row(
            "a secret in the clear",
            type: "confidential",
            add: "client_secret_sha256: [hunter2]",
            "client_secret_sha256[0]: must be a SHA-256 digest: 64 hexadecimal digits in lower "
                + "case"
        ),
        Row(
            "the digest of no secret",
            type: "confidential",
            add: "client_secret_sha256: [\(Example.emptyDigest)]",
            "client_secret_sha256: is the digest of an empty text: what was digested was not there"
        ),
        Row(
            "no secret of a machine",
            type: "m2m",
            add: "token_endpoint_auth_method: client_secret_post",
            "client_secret_sha256: is required for client_secret_post: without a secret the "
                + "client is always refused"
        ),
        Row(
            "a foreign grant type",
            add: "grant_types: [refresh_token, client_credentials]",
            "grant_types[1]: client_credentials is not for native; it may be one of "
                + "authorization_code, refresh_token, "
                + "urn:authgear:params:oauth:grant-type:app2app, "
                + "urn:authgear:params:oauth:grant-type:app2app-request, "
                + "urn:ietf:params:oauth:grant-type:token-exchange, "
                + "urn:authgear:params:oauth:grant-type:id-token, "
                + "urn:authgear:params:oauth:grant-type:biometric-request"
        ),
        Row(
            "an unknown scope",
            add: "allowed_scopes: [openid, payments]",
            "allowed_scopes[1]: payments is no built-in scope and of none of oauth.resources"
        ),
        Row(
            "a machine's scope for an app",
            add: "allowed_scopes: [revocations.read]",
            "allowed_scopes[0]: revocations.read is for m2m clients"
        ),
        Row(
            "a user's scope for a machine",
            type: "m2m",
            add: "allowed_scopes: [openid]",
            "allowed_scopes[0]: openid is not for m2m clients: there is no user"
        ),
        Row(
            "full access for a third party",
            type: "third_party_app",
            add: "allowed_scopes: [\"https://authgear.com/scopes/full-access\"]",
            "allowed_scopes[0]: https://authgear.com/scopes/full-access is for first-party "
                + "clients"
        ),
        Row(
            "device_sso without its switch",
            add: "allowed_scopes: [device_sso]",
            "allowed_scopes[0]: device_sso needs x_native_sso_group or "
                + "x_pre_authenticated_url_enabled"
        ),
        Row(
            "the pre-authenticated scope without its switch",
            add: "allowed_scopes: [\"https://authgear.com/scopes/pre-authenticated-url\"]",
            "allowed_scopes[0]: https://authgear.com/scopes/pre-authenticated-url needs "
                + "x_pre_authenticated_url_enabled"
        ),
        Row(
            "an unknown default resource",
            add: "default_resources: [\"https://x.example\"]",
            "default_resources[0]: is none of oauth.resources"
        ),
        Row(
            "audiences of an app",
            add: "resources: [\"https://auth.example.com\"]",
            "resources: is for m2m clients: the audiences a service is"
        ),
        Row(
            "an unknown audience of a machine",
            type: "m2m",
            add: "resources: [nobody]",
            "resources[0]: is none of oauth.resources, not the issuer and no client_id"
        ),
        Row(
            "a logout URL over http",
            add: "backchannel_logout_uri: http://a.example/x",
            "backchannel_logout_uri: must be an https URL without fragment"
        ),
        Row(
            "DPoP required and disabled",
            add: "{dpop_bound_access_tokens: true, x_dpop_disabled: true}".lines,
            "x_dpop_disabled: contradicts dpop_bound_access_tokens"
        ),
        Row(
            "fapi2 and what contradicts it",
            add: "{x_security_profile: fapi2, token_endpoint_auth_method: none, "
                .appending("require_pushed_authorization_requests: false, ")
                .appending("dpop_bound_access_tokens: false, refresh_token_rotation: always, ")
                .appending("id_token_signed_response_alg: RS256}").lines,
            "token_endpoint_auth_method: must be private_key_jwt with x_security_profile fapi2",
            "require_pushed_authorization_requests: must be true with x_security_profile fapi2",
            "dpop_bound_access_tokens: must be true with x_security_profile fapi2",
            "refresh_token_rotation: must be never with x_security_profile fapi2",
            "id_token_signed_response_alg: must be ES256 or EdDSA with x_security_profile fapi2"
        ),
    ]

    private static func key(_ sentence: String, _ key: String, _ problems: String...) -> Row {
        var row = Row(
            sentence,
            type: "m2m",
            add: "{token_endpoint_auth_method: private_key_jwt, jwks: {keys: [\(key)]}}".lines
        )
        row.lines = problems.map { "oauth.clients[0].jwks.keys[0].\($0)" }
        return row
    }

    private static let x = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"

    static let keys = [
        Row(
            "no key for private_key_jwt",
            type: "m2m",
            add: "token_endpoint_auth_method: private_key_jwt",
            "jwks: is required for private_key_jwt: {keys: [{kty: …, kid: …}]}"
        ),
        key(
            "a key without kid",
            "{kty: OKP, crv: Ed25519, x: \(x)}",
            "kid: is required: the name assertions carry in their header"
        ),
        key(
            "a private key",
            "{kid: a, kty: OKP, crv: Ed25519, x: \(x), d: \(x)}",
            "d: belongs to a private key: take it out and make a new key"
        ),
        key(
            "a symmetric key",
            "{kid: a, kty: oct, k: AAAA}",
            "kty: must be EC, RSA or OKP, not `oct`",
            "k: belongs to a private key: take it out and make a new key"
        ),
        key(
            "another curve",
            "{kid: a, kty: EC, crv: P-384, x: \(x), y: \(x)}",
            "crv: must be P-256"
        ),
        key(
            "a short coordinate",
            "{kid: a, kty: EC, crv: P-256, x: AAAA, y: \(x)}",
            "x: must be 32 bytes"
        ),
        key(
            "padding",
            "{kid: a, kty: OKP, crv: Ed25519, x: AA==}",
            "x: must be base64url without padding"
        ),
        key(
            "RSA of 256 bits",
            "{kid: a, kty: RSA, n: \(x), e: AQAB}",
            "n: must have 2048-4096 bits"
        ),
        key(
            "an even exponent",
            "{kid: a, kty: RSA, n: \(String(repeating: "_", count: 342)), e: Ag}",
            "n: must be base64url without padding",
            "e: must be odd, from 3 to 2^32-1"
        ),
        key(
            "an algorithm of another kind",
            "{kid: a, kty: OKP, crv: Ed25519, x: \(x), alg: ES256}",
            "alg: must be EdDSA for OKP"
        ),
        key(
            "a key for encryption",
            "{kid: a, kty: OKP, crv: Ed25519, x: \(x), use: enc}",
            "use: must be sig"
        ),
    ]
}

extension String {
    /// `{a: 1, b: 2}` as lines of a client: only commas outside brackets part them.
    var lines: String {
        var depth = 0
        var text = ""
        for character in dropFirst().dropLast() {
            if "[{".contains(character) { depth += 1 }
            if "]}".contains(character) { depth -= 1 }
            text.append(character)
            if character == ",", depth == 0 {
                text.removeLast()
                text += "\n     "
            }
        }
        return text
    }

    func appending(_ more: String) -> String { self + more }
}
