/// The document of a test project.
extension TestProject {
    /// The demo's domain is above all of ours.
    static let cookiePrefix = "test_"

    func document(nonces: Bool) throws -> String {
        try [apps(nonces: nonces), stern(), crowd(), servers()].joined(separator: "\n")
    }

    /// The demo's apps under its names, and those it has not.
    private func apps(nonces: Bool) -> String {
        let host = site.host
        return """
            id: \(id)
            name: A project under test
            http:
              public_origin: "\(site.origin)"
              hosts: [\(host)]
              cookie_domain: \(host)
              cookie_prefix: \(Self.cookiePrefix)
            oauth:
              dpop_nonce: \(nonces)
              resources: [{uri: "\(Self.resource)", scopes: []}]
              clients:
                - client_id: app
                  name: App
                  x_application_type: native
                  redirect_uris: ["\(SignIn.redirectURIs["app"] ?? "")"]
                  x_app2app_enabled: true
                  universal_link: {app2app: true}
                  x_biometric_enabled: true
                  x_native_sso_group: test
                  x_pre_authenticated_url_enabled: true
                - client_id: invest
                  name: Target, and guest
                  x_application_type: native
                  redirect_uris: ["\(SignIn.redirectURIs["invest"] ?? "")"]
                  x_native_sso_group: test
                - client_id: loose
                  name: Owner that binds keys late
                  x_application_type: native
                  redirect_uris: ["\(SignIn.redirectURIs["loose"] ?? "")"]
                  x_app2app_enabled: true
                  x_app2app_insecure_device_key_binding_enabled: true
                - client_id: cascading
                  name: Owner whose end is its targets'
                  x_application_type: native
                  redirect_uris: ["\(SignIn.redirectURIs["cascading"] ?? "")"]
                  x_app2app_enabled: true
                  x_app2app_cascade_revocation: true
                - client_id: denying
                  name: App whose links only its own device approves
                  x_application_type: native
                  redirect_uris: ["\(SignIn.redirectURIs["denying"] ?? "")"]
                  x_login_link_cross_device_approval: deny
                - client_id: confirming
                  name: App whose links another device approves by a number
                  x_application_type: native
                  redirect_uris: ["\(SignIn.redirectURIs["confirming"] ?? "")"]
                  x_login_link_cross_device_approval: confirm
            """
    }

    /// Apps that are stricter than others.
    private func stern() -> String {
        """
            - client_id: bound
              name: App whose access tokens are bound
              x_application_type: native
              redirect_uris: ["\(SignIn.redirectURIs["bound"] ?? "")"]
              dpop_bound_access_tokens: true
              x_biometric_enabled: true
              x_native_sso_group: test
            - client_id: strict
              name: Owner whose JWTs say all that they are for
              x_application_type: native
              redirect_uris: ["\(SignIn.redirectURIs["strict"] ?? "")"]
              x_app2app_enabled: true
              x_app2app_strict_jwt: true
            - client_id: lapsed
              name: Owner that bound keys late until a day
              x_application_type: native
              redirect_uris: ["\(SignIn.redirectURIs["lapsed"] ?? "")"]
              x_app2app_enabled: true
              x_app2app_insecure_device_key_binding_enabled: true
              x_app2app_insecure_binding_until: "2026-01-31"
            - client_id: guarded
              name: Owner whose approvals need a finger
              x_application_type: native
              redirect_uris: ["\(SignIn.redirectURIs["guarded"] ?? "")"]
              x_app2app_enabled: true
              x_app2app_biometric_protection_required: true
              x_biometric_enabled: true
            - client_id: hasty
              name: App whose keys are set up at once
              x_application_type: native
              redirect_uris: ["\(SignIn.redirectURIs["hasty"] ?? "")"]
              x_biometric_enabled: true
              x_biometric_setup_max_age_seconds: 1
            - client_id: alone
              name: App that lets nobody in
              x_application_type: native
              redirect_uris: ["\(SignIn.redirectURIs["alone"] ?? "")"]
              x_biometric_enabled: true
            - client_id: choosy
              name: Owner with a list
              x_application_type: native
              redirect_uris: ["\(SignIn.redirectURIs["choosy"] ?? "")"]
              x_app2app_enabled: true
              x_app2app_allowed_clients: [invest, outsider]
              x_app2app_strict_jwt: true
              x_biometric_enabled: true
            - client_id: outsider
              name: Somebody else's app
              x_application_type: third_party_app
              token_endpoint_auth_method: none
              redirect_uris: ["\(SignIn.redirectURIs["outsider"] ?? "")"]
        """
    }

    /// An API that is not the issuer.
    static let resource = "https://payments.demo.example"

    /// Apps that share the sessions of the first one: more than a session takes.
    static let guests = (1...16).map { "guest-\($0)" }

    private func crowd() -> String {
        let open = """
                - client_id: stranger
                  name: App of another group
                  x_application_type: native
                  redirect_uris: ["\(SignIn.redirectURIs["stranger"] ?? "")"]
                  x_native_sso_group: other
                - client_id: open-guest
                  name: Guest that would bind keys late
                  x_application_type: native
                  redirect_uris: ["\(SignIn.redirectURIs["open-guest"] ?? "")"]
                  x_native_sso_group: test
                  x_app2app_enabled: true
                  x_app2app_insecure_device_key_binding_enabled: true
                - client_id: asking
                  name: Guest that needs a consent
                  x_application_type: native
                  redirect_uris: ["com.example.asking:/callback"]
                  x_consent_required: true
                  x_native_sso_group: test

            """
        return open
            + Self.guests.map { guest in
                """
                    - client_id: \(guest)
                      name: One of many guests
                      x_application_type: native
                      redirect_uris: ["com.example.\(guest):/callback"]
                      x_native_sso_group: test
                """
            }.joined(separator: "\n")
    }

    /// The clients with a server of their own, the last entries of the document.
    private func servers() throws -> String {
        let sets = try keys.mapValues { #"{keys: [\#(try $0.publicJWK(kid: "the-key"))]}"# }
        return """
                - client_id: offers
                  name: Web pages that the app opens
                  x_application_type: traditional_webapp
                  redirect_uris: ["\(SignIn.redirectURIs["offers"] ?? "")"]
                  x_pre_authenticated_url_enabled: true
                  x_pre_authenticated_url_allowed_origins: ["https://offers.demo.example"]
                - client_id: shop
                  name: Other web pages that the app opens
                  x_application_type: traditional_webapp
                  redirect_uris: ["\(SignIn.redirectURIs["shop"] ?? "")"]
                  allowed_scopes: [openid]
                  x_pre_authenticated_url_enabled: true
                - client_id: desk
                  name: A server that signs
                  x_application_type: confidential
                  token_endpoint_auth_method: private_key_jwt
                  redirect_uris: ["\(SignIn.redirectURIs["desk"] ?? "")"]
                  jwks: \(sets["desk"] ?? "")
                - client_id: vault
                  name: A server that signs and gets a new token each time
                  x_application_type: confidential
                  token_endpoint_auth_method: private_key_jwt
                  refresh_token_rotation: always
                  redirect_uris: ["\(SignIn.redirectURIs["vault"] ?? "")"]
                  jwks: \(sets["vault"] ?? "")
                - client_id: service
                  name: A service that signs
                  x_application_type: m2m
                  token_endpoint_auth_method: private_key_jwt
                  resources: ["\(site.origin)", offers]
                  jwks: \(sets["service"] ?? "")

            """
    }
}
