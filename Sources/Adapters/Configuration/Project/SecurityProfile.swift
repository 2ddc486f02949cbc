internal import Domain

/// `x_security_profile`: what FAPI 2.0 fixes, a contradicting key is refused (WireContract 3.2).
struct SecurityProfile {
    private enum Name: String, CaseIterable { case none, fapi2 }

    let isOn: Bool
    private let section: Section
    private let reading: ProjectReading
    private let project: ProjectSettings

    init(_ section: Section, _ reading: ProjectReading, _ project: ProjectSettings) {
        self.section = section
        self.reading = reading
        self.project = project
        isOn = section.choice("x_security_profile", default: Name.none) == .fapi2
    }

    /// Reports every key of `client` that the profile does not allow.
    func check(_ client: ClientSettings) {
        guard isOn else { return }
        if client.authenticationMethod != .privateKeyJWT {
            refuse("token_endpoint_auth_method", "must be private_key_jwt")
        }
        for key in [
            "require_pushed_authorization_requests", "require_pkce", "dpop_bound_access_tokens",
        ] where section.optionalBool(key) == false {
            refuse(key, "must be true")
        }
        if section.optionalBool("x_dpop_disabled") == true {
            refuse("x_dpop_disabled", "must be false")
        }
        if client.refreshTokenRotation != .never {
            refuse("refresh_token_rotation", "must be never")
        }
        if client.idTokenAlgorithm == .rs256 {
            refuse("id_token_signed_response_alg", "must be ES256 or EdDSA")
        }
        // By such a key it could never authenticate.
        for key in section.section("jwks").sections("keys")
        where key.optionalString("alg") == "RS256" {
            let problem = "must be PS256, ES256 or EdDSA with x_security_profile fapi2"
            reading.reportUnlessInForce(key, "alg", problem)
        }
        if project.codeLifetimeSeconds > 60 {
            refuse("x_security_profile", "oauth.authorization_code_lifetime_seconds is above 60")
        }
        // Access tokens are signed by it, whatever the client's own algorithm.
        if project.signingAlgorithm == .rs256 {
            refuseUnlessInForce("oauth.signing_algorithm is RS256")
        }
        if project.requestURILifetimeSeconds >= 600 {
            refuseUnlessInForce("oauth.request_uri_lifetime_seconds is not below 600")
        }
    }

    /// Rules of the project that documents of before may break.
    private func refuseUnlessInForce(_ problem: String) {
        let text = "\(problem) with x_security_profile fapi2"
        reading.reportUnlessInForce(section, "x_security_profile", text)
    }

    private func refuse(_ key: String, _ problem: String) {
        section.report(key, "\(problem) with x_security_profile fapi2")
    }
}
