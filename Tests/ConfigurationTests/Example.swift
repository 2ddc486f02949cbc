/// The example of WireContract 3.3.
enum Example {
    static let fingerprint =
        "14:6D:E9:83:C5:73:06:50:D8:EE:B9:95:2F:34:FC:64:"
        + "16:A0:83:42:E6:1D:BE:A8:8A:04:96:B2:3F:CF:44:E5"
    static let digest = "5b1f0a9c47d2e86e3f7ab0c9d41e52860f9d3c7be1a4586072c3d9e8f6a1b405"
    /// What sha256sum says of nothing.
    static let emptyDigest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    static let text = """
        id: bank
        name: Example Bank
        http: {public_origin: "https://auth.example.com", cookie_domain: example.com}
        oauth:
          resources:
            - {uri: "https://api.example.com", scopes: [payments.read, payments.write]}
          clients:
            - client_id: client_a                      # owner: holds the session, approves others
              name: Example Bank
              x_application_type: native
              redirect_uris: ["com.example.bank:/callback", "https://a.example.com/redirect"]
              default_resources: ["https://api.example.com"]
              x_app2app_enabled: true
              x_app2app_allowed_clients: [client_b]
              x_biometric_enabled: true
              x_native_sso_group: example
              x_pre_authenticated_url_enabled: true
              x_login_link_cross_device_approval: confirm
              universal_link:
                ios: {enabled: true, bundle_id: com.example.bank, team_id: A1B2C3D4E5}
                android:
                  enabled: true
                  bundle_id: com.example.bank
                  # One line, as any scalar.
                  sha_signature: \(fingerprint)
            - client_id: client_b                      # target, and second app of the same vendor
              name: Example Invest
              x_application_type: native
              redirect_uris: ["https://b.example.com/redirect"]
              x_app2app_enabled: true
              x_native_sso_group: example
            - client_id: web
              name: Example Offers
              x_application_type: traditional_webapp
              redirect_uris: ["https://www.example.com/redirect"]
              x_pre_authenticated_url_enabled: true
              x_pre_authenticated_url_allowed_origins: ["https://www.example.com"]
              x_login_link_app_client_id: client_a
              backchannel_logout_uri: https://www.example.com/backchannel-logout
            - client_id: api
              name: Example API
              x_application_type: m2m
              client_secret_sha256: [\(digest)]
              resources: ["https://api.example.com"]
              allowed_scopes: [revocations.read, ssf.read, ssf.manage]
        """
}
