extension ProjectDocumentRefusalTests {
    static let features = [
        Row(
            "app2app switches without app2app",
            add: "{x_app2app_strict_jwt: true, x_app2app_allowed_clients: [app], "
                .appending("x_app2app_insecure_binding_until: 2026-12-31, ")
                .appending("universal_link: {app2app: true}}").lines,
            "x_app2app_strict_jwt: needs x_app2app_enabled",
            "x_app2app_allowed_clients: needs x_app2app_enabled",
            "x_app2app_insecure_binding_until: needs x_app2app_enabled",
            "universal_link.app2app: needs x_app2app_enabled"
        ),
        Row(
            "an app2app target that does not exist",
            add: "{x_app2app_enabled: true, x_app2app_allowed_clients: [app, ghost]}".lines,
            "x_app2app_allowed_clients[1]: no client is ghost"
        ),
        Row(
            "the 30th of February",
            add: "{x_app2app_enabled: true, x_app2app_insecure_binding_until: 2026-02-30}".lines,
            "x_app2app_insecure_binding_until: must be a date such as 2026-12-31, "
                + "not `2026-02-30`"
        ),
        Row(
            "biometric keys of a web client",
            type: "spa",
            add: "x_biometric_enabled: true",
            "x_biometric_enabled: is for native clients"
        ),
        Row(
            "native SSO of a web client",
            type: "spa",
            add: "x_native_sso_group: g",
            "x_native_sso_group: is for native clients"
        ),
        Row(
            "a native SSO group with a space",
            add: "x_native_sso_group: my group",
            "x_native_sso_group: must be `a`-`z`, digits and `-`, at most 40"
        ),
        Row(
            "pre-authenticated URLs of a confidential client",
            type: "confidential",
            add: "x_pre_authenticated_url_enabled: true",
            "x_pre_authenticated_url_enabled: is for native and web clients"
        ),
        Row(
            "pre-authenticated URLs of a web client with bound tokens",
            type: "traditional_webapp",
            add: "{x_pre_authenticated_url_enabled: true, dpop_bound_access_tokens: true}".lines,
            "x_pre_authenticated_url_enabled: contradicts dpop_bound_access_tokens: a cookie is "
                + "bound to no key"
        ),
        Row(
            "pre-authenticated URLs of a web client that must push",
            type: "traditional_webapp",
            add: "{x_pre_authenticated_url_enabled: true, "
                .appending("require_pushed_authorization_requests: true}").lines,
            "x_pre_authenticated_url_enabled: contradicts require_pushed_authorization_requests: "
                + "a URL cannot be pushed; keep one of the two"
        ),
        Row(
            "origins without their switch",
            add: "x_pre_authenticated_url_allowed_origins: [\"https://www.example.com\"]",
            "x_pre_authenticated_url_allowed_origins: needs x_pre_authenticated_url_enabled"
        ),
        Row(
            "an origin with a path",
            add: "{x_pre_authenticated_url_enabled: true, "
                .appending("x_pre_authenticated_url_allowed_origins: [\"https://a.example/x\"]}")
                .lines,
            "x_pre_authenticated_url_allowed_origins[0]: \(notAnOrigin)`https://a.example/x`"
        ),
        Row(
            "another approval policy",
            add: "x_login_link_cross_device_approval: maybe",
            "x_login_link_cross_device_approval: must be one of `automatic`, `confirm`, `deny`, "
                + "not `maybe`"
        ),
        Row(
            "a link app that does not exist",
            add: "x_login_link_app_client_id: ghost",
            "x_login_link_app_client_id: no client is ghost"
        ),
        Row(
            "an iOS app without bundle id",
            add: "universal_link: {ios: {enabled: true}}",
            "universal_link.ios.bundle_id: is required when enabled: such as com.example.app"
        ),
        Row(
            "a bundle id with a slash, a team id of nine",
            add: "universal_link: {ios: {bundle_id: a/b, team_id: A1B2C3D4E}}",
            "universal_link.ios.bundle_id: must be 3-155 letters, digits, `.` and `-`",
            "universal_link.ios.team_id: must be 10 upper-case letters and digits, "
                + "not `A1B2C3D4E`"
        ),
        Row(
            "each platform's app with the mark of the other's",
            add: "universal_link: {ios: {bundle_id: com.example.my_app}, "
                .appending("android: {bundle_id: com.example.my-app}}"),
            "universal_link.ios.bundle_id: must be 3-155 letters, digits, `.` and `-`",
            "universal_link.android.bundle_id: must be 3-155 letters, digits, `.` and `_`"
        ),
        Row(
            "an Android app without fingerprint",
            add: "universal_link: {android: {enabled: true, bundle_id: com.example}}",
            "universal_link.android.sha_signature: is required when enabled: "
                + "32 hexadecimal pairs joined by colons"
        ),
        Row(
            "an Android app with a list of no fingerprints",
            add: "universal_link: {android: {enabled: true, bundle_id: com.example, "
                .appending("sha_signature: []}}"),
            "universal_link.android.sha_signature: is required when enabled: "
                + "32 hexadecimal pairs joined by colons"
        ),
        Row(
            "a fingerprint of 31 pairs among good ones",
            add: "universal_link: {android: {sha_signature: [\(Example.fingerprint), "
                .appending("\(Example.fingerprint.dropLast(3))]}}"),
            "universal_link.android.sha_signature[1]: must be 32 hexadecimal pairs joined by "
                + "colons"
        ),
        Row(
            "another security profile",
            add: "x_security_profile: fapi1",
            "x_security_profile: must be one of `none`, `fapi2`, not `fapi1`"
        ),
    ]
}
