import OAuth

extension Walk {
    private static let exchange = "urn:ietf:params:oauth:grant-type:token-exchange"
    private static let tokenType = "urn:authgear:params:oauth:token-type:"
    private static let deals = "https://offers.demo.example/deals"

    /// A second app of the same vendor joins the session (OpenID Native SSO).
    func share(_ tokens: Tokens) async throws(CommandFailure) {
        let fields = exchange(tokens, of: "invest")
        try await step("POST /oauth2/token Native SSO, by the other app") {
            () async throws(CommandFailure) in
            let answer = try await app.post("/oauth2/token", fields)
            try Self.require(answer.json?["refresh_token"]?.string != nil, answer)
            return ("tokens of the same session", ())
        }
    }

    /// The app opens the vendor's web page, logged in by a cookie (pre-authenticated URL).
    func openWebPage(_ tokens: Tokens) async throws(CommandFailure) {
        let fields =
            exchange(tokens, of: "offers")
            + [("requested_token_type", Self.tokenType + "pre-authenticated-url-token")]
        let url = try await step("POST /oauth2/token pre-authenticated URL") {
            () async throws(CommandFailure) in
            let answer = try await app.post("/oauth2/token", fields)
            guard let token = answer.json?["access_token"]?.string,
                let hint = answer.json?["id_token"]?.string
            else { throw Self.failure(answer) }
            return ("\(token.prefix(12))…, and the next device secret", (token, hint))
        }
        let type = "urn:authgear:params:oauth:response-type:pre-authenticated-url%20token"
        let target =
            "/oauth2/authorize?client_id=offers&response_type=\(type)&response_mode=cookie"
            + "&prompt=none&id_token_hint=\(url.1)&x_pre_authenticated_url_token=\(url.0)"
            + "&redirect_uri=\(Self.deals)"
        try await step("GET /oauth2/authorize, in a browser") {
            () async throws(CommandFailure) in
            var browser = WalkBrowser(facts["ISSUER"] ?? "", on: loop)
            let answer = try await browser.get(target, [("Sec-Fetch-Site", "none")])
            let isOpen = answer["set-cookie"]?.hasPrefix("app_access_token=") == true
            try Self.require(answer["location"] == Self.deals && isOpen, answer)
            return ("303 to the web page, with its cookie", ())
        }
    }

    private func exchange(_ tokens: Tokens, of client: String) -> [(name: String, value: String)] {
        [
            ("grant_type", Self.exchange), ("client_id", client),
            ("audience", facts["ISSUER"] ?? ""), ("subject_token", tokens.identity),
            ("subject_token_type", "urn:ietf:params:oauth:token-type:id_token"),
            ("actor_token", tokens.deviceSecret),
            ("actor_token_type", "urn:x-oath:params:oauth:token-type:device-secret"),
        ]
    }
}
