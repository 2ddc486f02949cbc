/// The forms of the token endpoint, one for each grant type.
enum GrantForm {
    typealias Fields = [(String, String)]

    static func code(_ code: String, of client: String = "app", _ more: Fields = []) -> Fields {
        [
            ("grant_type", "authorization_code"), ("client_id", client), ("code", code),
            ("redirect_uri", SignIn.redirectURIs[client] ?? ""),
            ("code_verifier", SignIn.verifier),
        ] + more
    }

    static func refresh(_ token: String?, of client: String = "app") -> Fields {
        [("grant_type", "refresh_token"), ("client_id", client), ("refresh_token", token ?? "")]
    }

    /// Lets `target` in on an owner's refresh token.
    static func app2app(_ owner: String?, _ jwt: String, for target: String = "invest") -> Fields {
        [
            ("grant_type", "urn:authgear:params:oauth:grant-type:app2app"),
            ("client_id", target), ("refresh_token", owner ?? ""), ("jwt", jwt),
        ] + link(to: target)
    }

    /// What a link names of the app that opened it.
    static func link(to target: String = "invest") -> Fields {
        [
            ("redirect_uri", SignIn.redirectURIs[target] ?? ""),
            ("code_challenge", SignIn.challenge),
        ]
    }

    static func biometric(_ jwt: String, _ more: Fields = [], of client: String = "app")
        -> Fields
    {
        [
            ("grant_type", "urn:authgear:params:oauth:grant-type:biometric-request"),
            ("client_id", client), ("jwt", jwt),
        ] + more
    }

    static let urlType = "urn:authgear:params:oauth:token-type:pre-authenticated-url-token"

    /// Trades an id token and a device secret for tokens of `client`, or for its URL token.
    static func exchange(
        _ idToken: String?,
        _ secret: String?,
        for client: String,
        at site: Site,
        type: String = ""
    ) -> Fields {
        [
            ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"),
            ("client_id", client), ("audience", site.origin), ("subject_token", idToken ?? ""),
            ("subject_token_type", "urn:ietf:params:oauth:token-type:id_token"),
            ("actor_token", secret ?? ""),
            ("actor_token_type", "urn:x-oath:params:oauth:token-type:device-secret"),
            ("requested_token_type", type),
        ]
    }
}

extension WireRequest {
    /// Opens a pre-authenticated URL in a browser.
    static func open(url token: String?, hint: String?) -> Self {
        let query = SignIn.form([
            ("client_id", "offers"), ("prompt", "none"), ("response_mode", "cookie"),
            (
                "response_type",
                "urn:authgear:params:oauth:response-type:pre-authenticated-url token"
            ),
            ("id_token_hint", hint ?? ""), ("x_pre_authenticated_url_token", token ?? ""),
            ("redirect_uri", "https://offers.demo.example/deals"),
        ])
        return Self("GET", "/oauth2/authorize?\(query)")
    }

    /// Opens the settings with an app-session token.
    static func open(settingsOf site: Site, _ token: String?) -> Self {
        let inner = SignIn.form([
            ("type", "app_session_token"), ("app_session_token", token ?? ""),
        ])
        let query = SignIn.form([
            ("client_id", "app"), ("response_type", "none"), ("prompt", "none"),
            ("redirect_uri", "\(site.origin)/settings"),
            ("login_hint", "https://authgear.com/login_hint?\(inner)"),
        ])
        return Self("GET", "/oauth2/authorize?\(query)")
    }

    /// Asks for an app-session token.
    static func appSession(_ refreshToken: String?) -> Self {
        Self(
            "POST",
            "/oauth2/app_session_token",
            [("Content-Type", "application/json")],
            #"{"refresh_token":"\#(refreshToken ?? "")"}"#
        )
    }

    static func revoke(_ token: String?) -> Self {
        Self("POST", "/oauth2/revoke", [], SignIn.form([("token", token ?? "")]))
    }

    /// Any request with an access token.
    static func bearing(
        _ token: String?,
        _ method: String = "GET",
        _ target: String = "/oauth2/userinfo",
        _ body: String = ""
    ) -> Self {
        Self(method, target, [("Authorization", "Bearer \(token ?? "")")], body)
    }
}
