internal import Domain
internal import OAuth

/// What the server says of itself (RFC 8414, OpenID Connect Discovery 1.0; WireContract 11).
///
/// The order of members is fixed and what is not there is left out, so the same configuration
/// always gives the same bytes.
package struct DiscoveryMetadata: Sendable {
    private let project: Project
    private let grantTypes: [String]
    /// The others count for nothing here.
    private let clients: [ClientSettings]

    /// `grantTypes`: what the token endpoint answers to, in its order; the metadata lists only what
    /// some client of the project may use.
    package init(_ project: Project, grantTypes: [String]) {
        self.project = project
        self.grantTypes = grantTypes
        clients = project.settings.clients.filter(\.enabled)
    }

    /// One JSON object.
    package func render() -> [UInt8] {
        var writer = JSONWriter(reserving: 4096)
        writer.object { writer in
            endpoints(&writer)
            protocols(&writer)
            algorithms(&writer)
            vocabulary(&writer)
            switches(&writer)
        }
        return writer.bytes
    }

    private func endpoints(_ writer: inout JSONWriter) {
        let issuer = project.issuer
        writer.member("issuer", issuer)
        writer.member("authorization_endpoint", issuer + "/oauth2/authorize")
        writer.member("token_endpoint", issuer + "/oauth2/token")
        writer.member("userinfo_endpoint", issuer + "/oauth2/userinfo")
        writer.member("jwks_uri", issuer + "/oauth2/jwks")
        writer.member("revocation_endpoint", issuer + "/oauth2/revoke")
        writer.member("introspection_endpoint", issuer + "/oauth2/introspect")
        writer.member("end_session_endpoint", issuer + "/oauth2/end_session")
        writer.member("pushed_authorization_request_endpoint", issuer + "/oauth2/par")
        writer.member("challenge_endpoint", issuer + "/oauth2/challenge")
        writer.member("require_pushed_authorization_requests", false)
    }

    private func protocols(_ writer: inout JSONWriter) {
        typealias Request = AuthorizationRequest
        writer.member(
            "response_types_supported",
            Request.ResponseType.allCases.map(\.rawValue)
                + (opensURLs ? [AuthorizationRequestReader.urlResponseType] : [])
        )
        writer.member(
            "response_modes_supported",
            Request.ResponseMode.allCases.map(\.rawValue) + (opensURLs ? ["cookie"] : [])
        )
        writer.member("grant_types_supported", usedGrantTypes)
        writer.member("code_challenge_methods_supported", ["S256"])
    }

    private func algorithms(_ writer: inout JSONWriter) {
        let methods = ClientSettings.AuthenticationMethod.allCases.map(\.rawValue)
        let proving = ClientSettings.AuthenticationMethod.allCases.filter { $0 != .none }
        writer.member("token_endpoint_auth_methods_supported", methods)
        writer.member("token_endpoint_auth_signing_alg_values_supported", Self.assertions)
        writer.member(
            "introspection_endpoint_auth_methods_supported",
            proving.map(\.rawValue)
        )
        // RFC 8414 section 2: demanded beside `private_key_jwt`, at each of the three.
        writer.member("introspection_endpoint_auth_signing_alg_values_supported", Self.assertions)
        writer.member(
            "introspection_signing_alg_values_supported",
            [project.settings.signingAlgorithm.rawValue]
        )
        writer.member("revocation_endpoint_auth_methods_supported", methods)
        writer.member("revocation_endpoint_auth_signing_alg_values_supported", Self.assertions)
        writer.member(
            "dpop_signing_alg_values_supported",
            ClientJWT.Kind.dpop.algorithms
        )
        writer.member("id_token_signing_alg_values_supported", signingAlgorithms)
    }

    private func vocabulary(_ writer: inout JSONWriter) {
        writer.member("subject_types_supported", ["public"])
        writer.member("scopes_supported", scopes)
        writer.member("claims_supported", Self.claims)
        writer.member(
            "acr_values_supported",
            ["urn:chancery:acr:email-link", "urn:chancery:acr:device-key"]
        )
        writer.member(
            "prompt_values_supported",
            AuthorizationRequest.Prompt.allCases.map(\.rawValue)
        )
        writer.member("ui_locales_supported", ["en"])
    }

    private func switches(_ writer: inout JSONWriter) {
        writer.member("claims_parameter_supported", false)
        writer.member("request_parameter_supported", false)
        writer.member("request_uri_parameter_supported", false)
        writer.member("authorization_response_iss_parameter_supported", true)
        if sharesSessions { writer.member("native_sso_supported", true) }
    }

    /// Those a token can be signed with now.
    private var signingAlgorithms: [String] {
        SigningKeyRing.Algorithm.allCases
            .filter { algorithm in
                project.keys.keys.contains {
                    $0.status == .current && $0.algorithm == algorithm
                }
            }
            .map(\.rawValue)
    }

    /// Those that a client may use now (WireContract 11).
    ///
    /// A code always: a project without clients waits for one, and nothing said would mean the
    /// implicit grant, too (RFC 8414 section 2).
    private var usedGrantTypes: [String] {
        let hasOwner = clients.contains { $0.app2app != nil }
        return grantTypes.filter { name in
            AuthorizationCodeGrant.names.contains(name)
                || clients.contains { client in
                    guard client.grantTypes.contains(name) else { return false }
                    return switch name {
                    case _ where App2AppGrant.names.contains(name): hasOwner
                    case _ where BiometricRequestGrant.names.contains(name): client.biometric != nil
                    case _ where TokenExchangeGrant.names.contains(name):
                        sharesSessions || opensURLs
                    default: true
                    }
                }
        }
    }

    private var sharesSessions: Bool { exchanging.contains { $0.nativeSSOGroup != nil } }

    /// A native client may only ask for URLs: they open the pages of another.
    private var opensURLs: Bool {
        project.settings.cookieDomain != nil && exchanging.contains(where: \.opensURLs)
    }

    /// Those that may exchange a device secret: what comes of it is for nobody else.
    private var exchanging: [ClientSettings] {
        clients.filter { $0.grantTypes.contains(where: TokenExchangeGrant.names.contains) }
    }

    private var scopes: [String] {
        var names = BuiltInScopes.user + BuiltInScopes.firstParty
        if sharesSessions || opensURLs { names.append(BuiltInScopes.deviceSSO) }
        if opensURLs { names.append(BuiltInScopes.preAuthenticatedURL) }
        return names + project.settings.resources.flatMap(\.scopes)
    }

    /// Algorithms of client assertions.
    private static let assertions = ["ES256", "PS256", "EdDSA", "RS256"]

    private static let claims = [
        "iss", "sub", "aud", "iat", "exp", "auth_time", "nonce", "acr", "amr", "sid", "at_hash",
        "ds_hash", "email", "email_verified", "updated_at",
        "https://authgear.com/claims/user/is_anonymous",
        "https://authgear.com/claims/user/is_verified",
        "https://authgear.com/claims/user/can_reauthenticate",
        "https://authgear.com/claims/user/roles",
    ]
}
